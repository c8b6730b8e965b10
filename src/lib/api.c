/* SPDX-License-Identifier: MIT */
/*
 * The public functions that read a trace of any kind, recognised by its first bytes.
 *
 * Thin on purpose: each function only calls the layer that does the work.
 */
#include <stdlib.h>
#include <string.h>

#include "stages/ahead.h"
#include "rules/rules.h"
#include "stages/arrange.h"
#include "base/count.h"
#include "base/failure.h"
#include "base/input.h"
#include "corotracer/ctp.h"
#include "corotracer/versions.h"
#include "corotracer/view.h"
#include "base/io.h"
#include "session/past.h"
#include "gotrace/source.h"
#include "jsonl/jsonl.h"
#include "event/kind_words.h"
#include "base/known_options.h"
#include "base/machine.h"
#include "session/look.h"
#include "stages/naming.h"
#include "render/facts.h"
#include "render/render.h"
#include "store/store.h"
#include "stream/pass.h"
#include "textrace/textrace.h"
#include "session/recover.h"
#include "session/told.h"
#include "lib/address.h"
#include "lib/followed.h"
#include "lib/stranger.h"
#include "lib/trace.h"

#define FIRST_BYTES 512u

_Static_assert(CT_VERSION_PROTOCOL == CTP_VERSION, "the contract is of the version that is listed");

const char *ct_version(void)
{
	return CT_VERSION_TEXT;
}

/* ---------------------------------------------------------------- formats of a trace */

static enum ct_status open_store(struct input *input, const struct ct_open_options *options,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	return store_source_open_last(input, options->last_bytes, ret_source, reterr);
}

static enum ct_status open_text(struct input *input, const struct ct_open_options *options,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	(void)options;
	return textrace_source_open(input, ret_source, reterr);
}

static enum ct_status open_rows(struct input *input, const struct ct_open_options *options,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	enum ct_status status = options->as_stored ? CT_END : told_open(input, ret_source, reterr);

	if (status == CT_END)
		return jsonl_source_open(input, ret_source, reterr);
	input_close(input);
	return status;
}

static enum ct_status open_go(struct input *input, const struct ct_open_options *options,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	return gotrace_source_open_last(input, options->last_bytes, ret_source, reterr);
}

static enum ct_status refuse(struct input *input, const char *why, struct ct_error *reterr)
{
	ct_fail(reterr, CT_ERR_FORMAT, "%s", why);
	input_fail(input, CT_ERR_FORMAT, reterr);
	input_close(input);
	return CT_ERR_FORMAT;
}

static enum ct_status refuse_flight(struct input *input, const struct ct_open_options *options,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	(void)options, (void)ret_source;
	return refuse(input,
		"not a trace yet: a program's flight recorder wrote it, and "
		"'corotracer recover' makes a trace of it",
		reterr);
}

static enum ct_status open_core(struct input *input, const struct ct_open_options *options,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	char *name = strdup(input->name);
	struct image *image;
	enum ct_status status = image_open_core(input, options->program, &image, reterr);

	if (status == CT_OK)
		status = past_open_core(image, name ? name : "the core dump", ret_source, reterr);
	free(name);
	return status;
}

static const struct form {
	bool (*is_ours)(const void *first_bytes, size_t nr_bytes);
	enum ct_status (*open)(struct input *input, const struct ct_open_options *options,
		struct ct_source **ret_source, struct ct_error *reterr);
} forms[] = {
	{store_is_ours, open_store},
	{textrace_is_ours, open_text},
	{jsonl_is_ours, open_rows},
	{gotrace_source_is_ours, open_go},
	{recover_is_ours, refuse_flight},
	{image_is_core, open_core},
};

static enum ct_status open_by_first_bytes(struct input *input,
	const struct ct_open_options *options, struct ct_source **ret_source,
	struct ct_error *reterr)
{
	size_t nr_bytes = input->nr_bytes < FIRST_BYTES ? (size_t)input->nr_bytes : FIRST_BYTES;
	const uint8_t *first = NULL;
	enum ct_status status = input_peek(input, 0, nr_bytes, &first, reterr);
	size_t i;

	if (status < 0) {
		input_fail(input, status, reterr);
		input_close(input);
		return status;
	}
	if (status == CT_END || nr_bytes == 0)
		return refuse(input, "the file is empty", reterr);
	for (i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (forms[i].is_ours(first, nr_bytes))
			return forms[i].open(input, options, ret_source, reterr);
	return refuse(input, lib_stranger_words(first, nr_bytes), reterr);
}

enum ct_status lib_source_open(const char *path, const struct ct_open_options *options,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct input *input;
	enum ct_status status = options->is_followed ? input_open_growing(path, &input, reterr)
						     : lib_address_open(path, &input, reterr);

	if (status)
		return status;
	if (options->is_followed)
		return lib_followed_open(input, ret_source, reterr);
	return open_by_first_bytes(input, options, ret_source, reterr);
}

/* ---------------------------------------------------------------- a trace */

/* Is the end of the trace still to be written? A stream's end has already come. */
static bool is_on_its_way(const struct ct_tables *tables, const char *path)
{
	return !tables->is_complete && !tables->has_no_end && strcmp(path, "-") != 0 &&
	       ct_is_written(path);
}

enum ct_status lib_trace_of_source(struct ct_source *source, const struct ct_open_options *options,
	struct ct_trace **ret_trace, struct ct_error *reterr)
{
	struct ct_trace *trace = calloc(1, sizeof(*trace));
	/*
	 * A growing file is read when events are requested, and its events are passed on in the order in which they are
	 * read.
	 */
	bool is_as_read = options->is_followed || options->as_stored;
	enum ct_status status = CT_OK;

	if (!trace) {
		source_close(source);
		return ct_fail_memory(reterr);
	}
	trace->source = source;
	arena_init(&trace->arena);
	if (options->look) {
		trace->live = options->look->live;
		trace->is_live_lent = true;
	}
	if (!is_as_read)
		status = arrange_open(trace->source, &trace->source, reterr);
	if (status == CT_OK && !is_as_read)
		status = ahead_open(trace->source, &trace->source, reterr);
	if (status == CT_OK && !options->no_symbols && !options->is_followed)
		status = naming_fill_tables(trace->source, &trace->arena, reterr);
	if (status == CT_OK && !is_as_read)
		status = naming_tidy_paths(trace->source, &trace->arena, reterr);
	if (status) {
		ct_trace_close(trace);
		return status;
	}
	trace->source->most_bytes =
		options->memory_bytes ? options->memory_bytes : machine_memory() / 4;
	*ret_trace = trace;
	return CT_OK;
}

enum ct_status ct_trace_open(const char *path, const struct ct_open_options *options,
	struct ct_trace **ret_trace, struct ct_error *reterr)
{
	struct ct_open_options known;
	struct ct_source *source;
	enum ct_status status;

	known_options(&known, sizeof(known), options);
	status = lib_source_open(path, &known, &source, reterr);
	if (status == CT_OK)
		status = lib_trace_of_source(source, &known, ret_trace, reterr);
	if (status)
		return status;
	source = (*ret_trace)->source;
	source->was_damaged = known.was_damaged;
	source->goes_on = known.goes_on || is_on_its_way(source->tables, path);
	return CT_OK;
}

bool ct_is_written(const char *path)
{
	struct input *input;
	bool is_written;

	if (input_open_growing(path, &input, NULL))
		return false;
	is_written = input_is_written(input);
	input_close(input);
	return is_written;
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

struct ct_memory ct_trace_memory(const struct ct_trace *trace)
{
	struct ct_memory memory = {
		.most_live = trace->source->tables->most_live, .bound = trace->source->most_bytes};

	memory.least_bytes = count_times(memory.most_live, CT_BYTES_OF_IDLE);
	memory.most_bytes = count_times(memory.most_live, CT_BYTES_OF_BUSY);
	return memory;
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
	return io_output_end(&output, status, reterr);
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

/* Copies as much as fits; returns the whole length. */
static size_t give(struct text *text, char *buffer, size_t nr_bytes)
{
	size_t kept = text->length < nr_bytes ? text->length : nr_bytes ? nr_bytes - 1 : 0;

	if (nr_bytes) {
		memcpy(buffer, text_peek(text), kept);
		buffer[kept] = '\0';
	}
	return text->length;
}

size_t ct_event_format(
	const struct ct_trace *trace, const struct ct_event *event, char *buffer, size_t nr_bytes)
{
	struct text text = {0};
	size_t length;

	textrace_print_event(&text, trace->source->tables, event, source_is_carried(trace->source));
	length = give(&text, buffer, nr_bytes);
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

uint64_t ct_report_without_room(const struct ct_report *report)
{
	return analyze_report_without_room(report);
}

void ct_report_free(const struct ct_report *report)
{
	analyze_report_free(report);
}

/* A report that is being written to a file in pieces. */
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
	return io_output_end(&writing.output, status, reterr);
}

const char *ct_report_unseen(const struct ct_report *report)
{
	return render_facts_unseen(report);
}

bool ct_report_has_doubt(const struct ct_report *report)
{
	return render_facts_has_doubt(report);
}

size_t ct_report_headline(const struct ct_report *report, char *buffer, size_t nr_bytes)
{
	struct text text = {0};
	size_t length;

	render_facts_sum(&text, report);
	length = give(&text, buffer, nr_bytes);
	text_fini(&text);
	return length;
}

static void judging_row(struct text *rows, const struct ct_report *report)
{
	render_facts_begin(rows, "");
	render_facts_judging(rows, report);
	render_facts_end(rows);
}

size_t ct_report_rows(
	const struct ct_report *report, enum ct_report_part part, char *buffer, size_t nr_bytes)
{
	static void (*const makers[])(struct text *, const struct ct_report *) = {
		[CT_REPORT_JUDGING] = judging_row,
		[CT_REPORT_DOUBTS] = render_facts_doubts,
		[CT_REPORT_TIMES] = render_facts_time_went,
	};
	struct text rows = {0}, text = {0};
	size_t position = 0, length;
	struct fact fact;

	if ((size_t)part < sizeof(makers) / sizeof(*makers))
		makers[part](&rows, report);
	while (render_facts_next(&rows, &position, &fact)) {
		if (fact.value_bytes)
			text_format(&text, "%.*s\t%.*s\n", (int)fact.label_bytes, fact.label,
				(int)fact.value_bytes, fact.value);
	}
	length = give(&text, buffer, nr_bytes);
	text_fini(&rows);
	text_fini(&text);
	return length;
}

bool ct_event_has_coro(const struct ct_event *event)
{
	return kind_has_coro(event->kind);
}

bool ct_event_is_about(const struct ct_event *event, struct ct_followed *followed)
{
	return pass_is_about(event, followed);
}
