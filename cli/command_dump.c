/* SPDX-License-Identifier: MIT */
/*
 * corotracer assemble: makes a trace file from the text form. corotracer dump: makes the text form from a trace.
 * corotracer follow: prints events while they are being recorded.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "output.h"
#include "say.h"
#include "subject.h"

#define LINE_BYTES 4096
#define LOOK_AGAIN_MS 1000 /* if changes are not reported, for example on a network file system */

/* ---------------------------------------------------------------- picking events */

/* Which events are printed. */
struct selection {
	uint64_t first;
	uint64_t last;
	/* Coroutine 0: any. */
	struct ct_followed followed;
};

/* Must be called for each event, in order. */
static bool is_selected(struct selection *selection, const struct ct_event *event)
{
	bool is_about =
		!selection->followed.coroutine || ct_event_is_about(event, &selection->followed);

	return is_about && event->sequence >= selection->first &&
	       event->sequence <= selection->last;
}

/* Prints the event that was handed out last, with its number and its place in the source. */
static void print_event(const struct ct_trace *trace, const struct ct_event *event)
{
	const struct ct_tables *tables = ct_trace_tables(trace);
	const struct ct_site *site =
		event->site < tables->nr_sites ? &tables->sites[event->site] : NULL;
	char line[LINE_BYTES];

	ct_event_format(trace, event, line, sizeof(line));
	printf("%s # event %" PRIu64, line, event->sequence);
	if (event->site && site && *site->file) {
		fputs(" at ", stdout);
		print_safe(stdout, site->file);
		printf(":%" PRIu32, site->line);
	}
	putchar('\n');
}

/* Prints the selected events until nothing reads them any more. *nr_printed is increased by the number printed. */
static enum ct_status print_selected(struct ct_trace *trace, struct selection *selection,
	uint64_t *nr_printed, struct ct_error *reterr)
{
	const struct ct_event *event;
	enum ct_status status;

	while ((status = ct_trace_next(trace, &event, reterr)) == CT_OK) {
		if (event->sequence > selection->last || ferror(stdout))
			return CT_END;
		if (!is_selected(selection, event))
			continue;
		print_event(trace, event);
		++*nr_printed;
	}
	return status;
}

/* ---------------------------------------------------------------- dump, assemble */

static enum ct_status open_trace(
	const char *path, bool no_symbols, struct ct_trace **ret_trace, struct ct_error *reterr)
{
	struct ct_open_options options = {.size = sizeof(options), .no_symbols = no_symbols};
	enum ct_status status;

	progress_begin_reading(path);
	status = ct_trace_open(path, &options, ret_trace, reterr);
	progress_end();
	if (status == CT_OK)
		damage_note(*ret_trace, path);
	return status;
}

static int copy(const char *path, bool no_symbols, const struct ct_write_options *options,
	const char *output)
{
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status = open_trace(path, no_symbols, &trace, &error);

	if (status)
		return say_failure(status, &error);
	/* No progress line while text appears on the same terminal. */
	if (strcmp(output, "-") != 0)
		progress_begin("writing", output);
	output_guard(output);
	status = ct_trace_write(trace, options, output, &error);
	progress_end();
	ct_trace_close(trace);
	return status ? say_failure(status, &error) : 0;
}

int command_assemble(const struct arguments *arguments)
{
	const char *path = arguments->operands[0];
	const char *output = arguments->value[OPTION_ASSEMBLE_OUTPUT];
	struct ct_write_options options = {.size = sizeof(options),
		.format = CT_FORMAT_CTRACE,
		.pack_level = (int)arguments->meaning[OPTION_ASSEMBLE_PACK].number};

	if (!output || !*output)
		return say_usage("assemble", "where to? name a file with '--output'");
	if (!output_is_good("assemble", output) || output_replaces(path, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	return copy(path, true, &options, output);
}

static int print_into(const char *output)
{
	enum ct_status status;

	output_note(output);
	if (strcmp(output, "-") == 0 || freopen(output, "we", stdout))
		return 0;
	status = errno == ENOENT ? CT_ERR_NOT_FOUND : CT_ERR_SYSTEM;
	say_sentence("cannot write '%s': %s", output, strerror(errno));
	return ct_status_exit_code(status);
}

static int say_none_selected(const char *path, const struct selection *selection)
{
	if (selection->followed.coroutine)
		say_sentence("'%s': no event asked for is of, or about, coroutine %" PRIu64, path,
			selection->followed.coroutine);
	else
		say_sentence("'%s': there is no event %" PRIu64, path, selection->first);
	return ct_status_exit_code(CT_ERR_NOT_FOUND);
}

/* The trace is opened first, so that an output that exists is not lost if the trace cannot be read. */
static int dump_selected(
	const char *path, bool no_symbols, struct selection *selection, const char *output)
{
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status = open_trace(path, no_symbols, &trace, &error);
	uint64_t nr_printed = 0;
	int exit_code;

	if (status)
		return say_failure(status, &error);
	exit_code = print_into(output);
	if (exit_code) {
		ct_trace_close(trace);
		return exit_code;
	}
	status = print_selected(trace, selection, &nr_printed, &error);
	ct_trace_close(trace);
	exit_code = flush_output();
	if (status < 0)
		return say_failure(status, &error);
	if (exit_code || nr_printed)
		return exit_code;
	return say_none_selected(path, selection);
}

int command_dump(const struct arguments *arguments)
{
	const char *path = arguments->operands[0];
	const char *output = arguments_value(arguments, OPTION_DUMP_OUTPUT, "-");
	const struct meaning *events = &arguments->meaning[OPTION_DUMP_EVENTS];
	bool has_events = arguments->value[OPTION_DUMP_EVENTS] != NULL;
	bool no_symbols = arguments->value[OPTION_DUMP_NO_SYMBOLS] != NULL;
	struct ct_write_options as_text = {.size = sizeof(as_text), .format = CT_FORMAT_TEXT};
	struct selection selection = {
		.first = events->number,
		.last = has_events ? events->second : UINT64_MAX,
		.followed.coroutine = arguments->meaning[OPTION_DUMP_COROUTINE].number,
	};

	if (output_replaces(path, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!has_events && !selection.followed.coroutine)
		return copy(path, no_symbols, &as_text, output);
	return dump_selected(path, no_symbols, &selection, output);
}

/* ---------------------------------------------------------------- follow */

static bool is_standard_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* Watches the trace's folder for changes, because the file is renamed. -1: changes are not reported. */
static int watch_folder(const char *path)
{
	int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	const char *slash = strrchr(path, '/');
	char *folder;
	int watch;

	if (descriptor < 0)
		return -1;
	folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	watch = folder ? inotify_add_watch(descriptor, folder,
				 IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE)
		       : -1;
	free(folder);
	if (watch >= 0)
		return descriptor;
	close(descriptor);
	return -1;
}

/* The library itself reads from standard input. */
static void wait_for_more(int watch)
{
	struct pollfd changes = {.fd = watch, .events = POLLIN};
	char told[4096];

	if (poll(&changes, 1, LOOK_AGAIN_MS) <= 0 || watch == STDIN_FILENO)
		return;
	while (read(watch, told, sizeof(told)) > 0)
		;
}

static void say_no_end(const struct ct_trace *trace, const char *path)
{
	const struct ct_tables *tables = ct_trace_tables(trace);
	uint32_t i;

	say_sentence("'%s': nobody writes it any more, and its end is missing", path);
	for (i = 0; i < tables->nr_notes; i++)
		say_sentence("'%s': %s", path, tables->notes[i].text);
}

static int follow_to_end(struct ct_trace *trace, const char *path, struct selection *selection)
{
	int watch = is_standard_input(path) ? STDIN_FILENO : watch_folder(path), exit_status;
	uint64_t nr_printed = 0;
	struct ct_error error;
	enum ct_status status;

	while ((status = print_selected(trace, selection, &nr_printed, &error)) == CT_AGAIN &&
		fflush(stdout) == 0)
		wait_for_more(watch);
	if (watch > STDIN_FILENO)
		close(watch);
	exit_status = flush_output();
	if (status < 0)
		return say_failure(status, &error);
	if (status == CT_END && !exit_status && !ct_trace_tables(trace)->is_complete)
		say_no_end(trace, path);
	return exit_status;
}

int command_follow(const struct arguments *arguments)
{
	struct ct_open_options options = {.size = sizeof(options), .is_followed = true};
	struct selection selection = {
		.last = UINT64_MAX,
		.followed.coroutine = arguments->meaning[OPTION_FOLLOW_COROUTINE].number,
	};
	const char *path = arguments->operands[0];
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status;
	int exit_status;

	status = ct_trace_open(path, &options, &trace, &error);
	if (status)
		return say_failure(status, &error);
	exit_status = follow_to_end(trace, path, &selection);
	ct_trace_close(trace);
	return exit_status;
}
