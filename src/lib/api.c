/* SPDX-License-Identifier: MIT */
/*
 * The public functions that read: a trace of any kind, told apart by its first bytes, and what is made of it.
 *
 * Thin on purpose: each function finds the layer that does the work, and adds the path to its failures.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stages/ahead.h"
#include "rules/rules.h"
#include "stages/arrange.h"
#include "base/failure.h"
#include "base/io.h"
#include "jsonl/jsonl.h"
#include "event/kind_words.h"
#include "base/known_options.h"
#include "session/look.h"
#include "stages/naming.h"
#include "render/render.h"
#include "store/store.h"
#include "textrace/textrace.h"
#include "session/told.h"
#include "lib/trace.h"

#define SNIFF_BYTES 512
#define MEMORY_BYTES (64u << 20) /* of a stream, before a file is needed */

const char *ct_version(void)
{
	return CT_VERSION_TEXT;
}

/*
 * A stream cannot be looked at and then read again: it is kept meanwhile, in memory while it is small,
 * then in a file without a name, in TMPDIR or /var/tmp.
 */
static enum ct_status open_spool(int *descriptor, struct ct_error *reterr)
{
	const char *folder = getenv("TMPDIR");
	int file =
		open(folder && *folder ? folder : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	enum ct_status status = CT_OK;
	struct stat kept;
	off_t at = 0;

	if (file < 0)
		return ct_fail_errno(reterr, "keeping what is read in '%s'",
			folder && *folder ? folder : "/var/tmp");
	if (fstat(*descriptor, &kept) < 0)
		status = ct_fail_errno(reterr, "keeping what is read");
	while (status == CT_OK && at < kept.st_size) {
		if (sendfile(file, *descriptor, &at, (size_t)(kept.st_size - at)) < 0 &&
			errno != EINTR)
			status = ct_fail_errno(reterr, "keeping what is read");
	}
	if (status) {
		close(file);
		return status;
	}
	close(*descriptor);
	*descriptor = file;
	return CT_OK;
}

static enum ct_status copy_stream(int stream, int *ret_descriptor, struct ct_error *reterr)
{
	int descriptor = memfd_create("corotracer-input", MFD_CLOEXEC);
	size_t nr_bytes = 0, room = MEMORY_BYTES;
	char piece[65536];
	enum ct_status status = CT_OK;
	ssize_t got = 1;

	if (descriptor < 0)
		return ct_fail_errno(reterr, "keeping what is read");
	while (status == CT_OK && got != 0) {
		got = read(stream, piece, sizeof(piece));
		if (got < 0 && errno != EINTR)
			status = ct_fail_errno(reterr, "can not read it");
		if (got <= 0 || status)
			continue;
		nr_bytes += (size_t)got;
		if (nr_bytes > room) {
			status = open_spool(&descriptor, reterr);
			room = SIZE_MAX;
		}
		if (status == CT_OK)
			status = io_write(descriptor, piece, (size_t)got, reterr);
	}
	if (status) {
		close(descriptor);
		return status;
	}
	*ret_descriptor = descriptor;
	return CT_OK;
}

/* The name in messages. */
static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static enum ct_status open_rows(const char *path, const char *name, int descriptor,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	enum ct_status status = told_open(descriptor, name, ret_source, reterr);

	return status == CT_END ? jsonl_source_open(path, name, ret_source, reterr) : status;
}

/* `path` is where it can be read, `shown` what the user calls it. */
static enum ct_status open_by_first_bytes(const char *path, const char *shown, int descriptor,
	const struct ct_open_options *options, struct ct_source **ret_source,
	struct ct_error *reterr)
{
	unsigned char first[SNIFF_BYTES];
	ssize_t got = pread(descriptor, first, sizeof(first), 0);

	if (got < 0)
		return ct_fail_errno(reterr, "can not read it");
	if (store_is_ours(first, (size_t)got))
		return store_source_open_last(path, options->last_bytes, ret_source, reterr);
	if (textrace_is_ours(first, (size_t)got))
		return textrace_source_open(path, name_of(shown), ret_source, reterr);
	if (jsonl_is_ours(first, (size_t)got) && options->as_stored)
		return jsonl_source_open(path, name_of(shown), ret_source, reterr);
	if (jsonl_is_ours(first, (size_t)got))
		return open_rows(path, name_of(shown), descriptor, ret_source, reterr);
	if (got == 0)
		return ct_fail(reterr, CT_ERR_FORMAT, "the file is empty");
	if (ct_is_flight(path))
		return ct_fail(reterr, CT_ERR_FORMAT,
			"not a trace yet: a program's flight recorder wrote it, and "
			"'corotracer recover' makes a trace of it");
	return ct_fail(
		reterr, CT_ERR_FORMAT, "not a trace: its first bytes are of no form that is known");
}

static enum ct_status open_stream(const char *shown, int stream,
	const struct ct_open_options *options, struct ct_source **ret_source,
	struct ct_error *reterr)
{
	struct ct_open_options how = *options;
	char name[64];
	int copy;
	enum ct_status status = copy_stream(stream, &copy, reterr);

	if (status)
		return status;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", copy);
	how.last_bytes = 0;
	status = open_by_first_bytes(name, shown, copy, &how, ret_source, reterr);
	close(copy);
	return status;
}

/* A pipe, such as the shell's <(command) or a FIFO, can be read once. */
static bool is_stream(int descriptor)
{
	return lseek(descriptor, 0, SEEK_CUR) < 0 && errno == ESPIPE;
}

/* The output of a recording has its name only when it is complete. */
static enum ct_status fail_open(const char *path, struct ct_error *reterr)
{
	int number = errno;
	char partial[PATH_MAX];
	int length = snprintf(partial, sizeof(partial), "%s.partial", path);

	if (number == ENOENT && length > 0 && (size_t)length < sizeof(partial) &&
		access(partial, F_OK) == 0)
		return ct_fail(reterr, CT_ERR_NOT_FOUND,
			"it is not complete yet: '%s' is being recorded, or is what a recording "
			"that was killed has left",
			partial);
	errno = number;
	return ct_fail_errno(reterr, "can not open it");
}

static enum ct_status open_source(const char *path, const struct ct_open_options *options,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	enum ct_status status;
	int descriptor;

	if (strcmp(path, "-") == 0)
		return open_stream(path, STDIN_FILENO, options, ret_source, reterr);
	descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (descriptor < 0)
		return fail_open(path, reterr);
	status = is_stream(descriptor)
			 ? open_stream(path, descriptor, options, ret_source, reterr)
			 : open_by_first_bytes(path, path, descriptor, options, ret_source, reterr);
	close(descriptor);
	return status;
}

/* Messages of text and JSON lines begin with file and line; all others do not know the file. */
static enum ct_status name_file(struct ct_error *reterr, enum ct_status status, const char *path)
{
	size_t length;

	path = name_of(path);
	length = strlen(path);
	if (reterr && strncmp(reterr->text, path, length) == 0 && reterr->text[length] == ':')
		return status;
	return ct_context(reterr, status, "'%s'", path);
}

enum ct_status ct_trace_open(const char *path, const struct ct_open_options *options,
	struct ct_trace **ret_trace, struct ct_error *reterr)
{
	struct ct_trace *trace = calloc(1, sizeof(*trace));
	struct ct_open_options known;
	enum ct_status status;

	if (!trace)
		return ct_fail_memory(reterr);
	known_options(&known, sizeof(known), options);
	arena_init(&trace->arena);
	if (known.look) {
		trace->live = known.look->live;
		trace->is_live_lent = true;
	}
	status = known.is_followed ? store_follow_open(path, &trace->source, reterr)
				   : open_source(path, &known, &trace->source, reterr);
	/* A growing file is read when events are asked for, and its events come as they are. */
	if (status == CT_OK && !known.is_followed && !known.as_stored)
		status = arrange_open(trace->source, &trace->source, reterr);
	if (status == CT_OK && !known.is_followed && !known.as_stored)
		status = ahead_open(trace->source, &trace->source, reterr);
	if (status == CT_OK && !known.no_symbols && !known.is_followed)
		status = naming_fill_tables(trace->source, &trace->arena, reterr);
	if (status) {
		ct_trace_close(trace);
		return name_file(reterr, status, path);
	}
	*ret_trace = trace;
	return CT_OK;
}

void ct_trace_close(struct ct_trace *trace)
{
	if (!trace)
		return;
	source_close(trace->source);
	arena_fini(&trace->arena);
	if (!trace->is_live_lent)
		live_free((struct live *)(uintptr_t)trace->live.seen);
	free(trace);
}

const struct ct_tables *ct_trace_tables(const struct ct_trace *trace)
{
	return trace->source->tables;
}

enum ct_status ct_trace_next(
	struct ct_trace *trace, const struct ct_event **ret_event, struct ct_error *reterr)
{
	return source_next(trace->source, ret_event, reterr);
}

bool ct_trace_is_carried(const struct ct_trace *trace)
{
	return source_is_carried(trace->source);
}

enum ct_status ct_trace_rewind(struct ct_trace *trace, struct ct_error *reterr)
{
	return source_reset(trace->source, reterr);
}

static enum ct_status copy_as_text(
	struct ct_trace *trace, const char *path, struct ct_error *reterr)
{
	const struct ct_event *event;
	struct io_output output;
	struct text text = {0};
	uint32_t nr_losses = trace->source->tables->nr_losses;
	enum ct_status status = io_output_open(&output, path, reterr), end = CT_OK;

	if (status)
		return status;
	textrace_print_tables(&text, trace->source->tables);
	while (status == CT_OK && end == CT_OK) {
		end = source_next(trace->source, &event, reterr);
		if (end == CT_OK) {
			textrace_print_event(&text, trace->source->tables, event,
				source_is_carried(trace->source));
			text_char(&text, '\n');
		}
		if (end == CT_OK && text.length < 65536)
			continue;
		if (end == CT_END)
			textrace_print_losses(&text, trace->source->tables, nr_losses);
		status = text_status(&text, reterr);
		if (status == CT_OK)
			status = io_output_write(&output, text_peek(&text), text.length, reterr);
		text_clear(&text);
	}
	text_fini(&text);
	if (status == CT_OK && end < 0)
		status = end;
	if (status == CT_OK)
		return io_output_close(&output, true, reterr);
	io_output_close(&output, false, NULL);
	return status;
}

static enum ct_status copy_to_sink(struct ct_trace *trace, const struct ct_write_options *options,
	const char *path, struct ct_error *reterr)
{
	struct store_options store_options = {.pack_level = options->pack_level};
	struct jsonl_options rows = {.all_kinds = options->all_kinds};
	struct ct_sink *sink;
	enum ct_status status = options->format == CT_FORMAT_JSONL
					? jsonl_sink_open(path, &rows, &sink, reterr)
					: store_sink_open(path, &store_options, &sink, reterr);

	if (status)
		return status;
	status = textrace_to_sink(trace->source, sink, reterr);
	if (status) {
		sink_close(sink, false, NULL);
		return status;
	}
	return sink_close(sink, true, reterr);
}

enum ct_status ct_trace_write(struct ct_trace *trace, const struct ct_write_options *options,
	const char *path, struct ct_error *reterr)
{
	enum ct_status status = ct_trace_rewind(trace, reterr);
	struct ct_write_options known;

	if (status)
		return status;
	known_options(&known, sizeof(known), options);
	if (known.format == CT_FORMAT_TEXT)
		return copy_as_text(trace, path, reterr);
	return copy_to_sink(trace, &known, path, reterr);
}

enum ct_status ct_trace_copy(
	struct ct_trace *trace, enum ct_format format, const char *path, struct ct_error *reterr)
{
	struct ct_write_options options = {.size = sizeof(options), .format = format};

	return ct_trace_write(trace, &options, path, reterr);
}

size_t ct_event_format(
	const struct ct_trace *trace, const struct ct_event *event, char *buffer, size_t nr_bytes)
{
	struct text text = {0};
	size_t length, kept;

	textrace_print_event(&text, trace->source->tables, event, source_is_carried(trace->source));
	length = text.length;
	kept = length < nr_bytes ? length : nr_bytes ? nr_bytes - 1 : 0;
	if (nr_bytes) {
		memcpy(buffer, text_peek(&text), kept);
		buffer[kept] = '\0';
	}
	text_fini(&text);
	return length;
}

enum ct_status ct_analyze(struct ct_trace *trace, const struct ct_analyze_options *options,
	const struct ct_report **ret_report, struct ct_error *reterr)
{
	enum ct_status status = ct_trace_rewind(trace, reterr);

	if (status)
		return status;
	return rules_judge(trace->source, options, &trace->live, ret_report, reterr);
}

void ct_report_free(const struct ct_report *report)
{
	analyze_report_free(report);
}

/* A report on its way to a file, in pieces. */
struct writing {
	struct io_output output;
	enum ct_status status; /* of the piece that could not be written */
	struct ct_error error;
};

static bool write_piece(void *context, const char *bytes, size_t nr_bytes)
{
	struct writing *writing = context;

	writing->status = io_output_write(&writing->output, bytes, nr_bytes, &writing->error);
	return writing->status == CT_OK;
}

static enum ct_status write_report(const struct ct_report *report,
	const struct ct_report_options *options, struct writing *writing, struct ct_error *reterr)
{
	struct text text = {.drain = write_piece, .drain_context = writing};
	enum ct_status status = render_report(report, options, &text, reterr);

	text_pass_on(&text, 0);
	if (status == CT_OK)
		status = text_status(&text, reterr);
	text_fini(&text);
	if (writing->status == CT_OK)
		return status;
	if (reterr)
		*reterr = writing->error;
	return writing->status;
}

enum ct_status ct_report_write(const struct ct_report *report,
	const struct ct_report_options *options, const char *path, struct ct_error *reterr)
{
	struct writing writing = {.status = CT_OK};
	enum ct_status status = io_output_open(&writing.output, path, reterr);

	if (status)
		return status;
	status = write_report(report, options, &writing, reterr);
	if (status == CT_OK)
		return io_output_close(&writing.output, true, reterr);
	io_output_close(&writing.output, false, NULL);
	return status;
}

bool ct_event_has_coro(const struct ct_event *event)
{
	return kind_has_coro(event->kind);
}
