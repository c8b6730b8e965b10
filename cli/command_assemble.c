/* SPDX-License-Identifier: MIT */
/*
 * corotracer assemble: the text form made into a trace file; and dump, the way back.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "handing_on.h"
#include "progress.h"
#include "say.h"

#define LINE_BYTES 4096

static enum ct_status open_trace(
	const char *path, bool no_symbols, struct ct_trace **ret_trace, struct ct_error *reterr)
{
	struct ct_open_options options = {.size = sizeof(options), .no_symbols = no_symbols};
	enum ct_status status;

	progress_begin("reading", path);
	status = ct_trace_open(path, &options, ret_trace, reterr);
	progress_end();
	return status;
}

static int copy(const char *path, bool no_symbols, enum ct_format format, const char *output)
{
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status = open_trace(path, no_symbols, &trace, &error);

	if (status)
		return say_failure(status, &error);
	/* Not while text scrolls by on the same terminal. */
	if (strcmp(output, "-") != 0)
		progress_begin("writing", output);
	status = ct_trace_copy(trace, format, output, &error);
	progress_end();
	ct_trace_close(trace);
	return status ? say_failure(status, &error) : 0;
}

int command_assemble(const struct arguments *arguments)
{
	const char *path = one_operand(arguments);
	const char *output = arguments->value[OPTION_ASSEMBLE_OUTPUT];

	if (!path)
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!output || !*output)
		return say_usage("assemble", "where to? name a file with '--output'");
	if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
		return say_usage(
			"assemble", "a trace is no text: it does not belong on a terminal");
	if (would_replace_trace(path, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	return copy(path, true, CT_FORMAT_CTRACE, output);
}

/* Which events are asked for. */
struct selection {
	uint64_t first;
	uint64_t last;
	uint64_t coroutine; /* 0: any */
	uint64_t frame;     /* of the coroutine, while it lives; wakes may name only that */
};

/* "120-140" or "120". */
static bool read_range(const char *text, struct selection *selection)
{
	char *end;

	errno = 0;
	if (*text < '0' || *text > '9')
		return false;
	selection->first = selection->last = strtoull(text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		selection->last = strtoull(end + 1, &end, 10);
	return *end == '\0' && errno == 0 && selection->first <= selection->last;
}

/* An event is also about a coroutine that it wakes, awaits, creates or switches to. */
static bool is_about(const struct selection *selection, const struct ct_event *event)
{
	uint64_t coroutine = selection->coroutine;

	if (event->coro == coroutine)
		return true;
	switch (event->kind) {
	case CTP_KIND_SWITCH:
	case CTP_KIND_AWAIT:
	case CTP_KIND_AWAIT_DONE:
		return event->object == coroutine;
	default:
		return event->object == CTP_HANDLE(CTP_RESOURCE_COROUTINE, coroutine) ||
		       (selection->frame &&
			       event->object == CTP_HANDLE(CTP_RESOURCE_FRAME, selection->frame));
	}
}

static bool is_selected(const struct selection *selection, const struct ct_event *event)
{
	return event->sequence >= selection->first && event->sequence <= selection->last &&
	       (!selection->coroutine || is_about(selection, event));
}

/* The address serves another coroutine after this one. */
static void follow_frame(struct selection *selection, const struct ct_event *event)
{
	if (event->coro != selection->coroutine)
		return;
	if (event->kind == CTP_KIND_FRAME)
		selection->frame = event->object;
	else if (event->kind == CTP_KIND_DESTROY)
		selection->frame = 0;
}

static void print_event(FILE *stream, const struct ct_trace *trace, const struct ct_event *event)
{
	const struct ct_tables *tables = ct_trace_tables(trace);
	const struct ct_site *site =
		event->site < tables->nr_sites ? &tables->sites[event->site] : NULL;
	char line[LINE_BYTES];

	ct_event_format(trace, event, line, sizeof(line));
	fprintf(stream, "%s # event %" PRIu64, line, event->sequence);
	if (event->site && site && *site->file) {
		fputs(" at ", stream);
		print_safe(stream, site->file);
		fprintf(stream, ":%" PRIu32, site->line);
	}
	fputc('\n', stream);
}

/* *ret_count: how many were printed. */
static enum ct_status print_selected(FILE *stream, struct ct_trace *trace,
	struct selection *selection, uint64_t *ret_count, struct ct_error *reterr)
{
	const struct ct_event *event;
	enum ct_status status;

	*ret_count = 0;
	while ((status = ct_trace_next(trace, &event, reterr)) == CT_OK) {
		if (event->sequence > selection->last)
			return CT_OK;
		follow_frame(selection, event);
		if (!is_selected(selection, event))
			continue;
		print_event(stream, trace, event);
		++*ret_count;
	}
	return status < 0 ? status : CT_OK;
}

static int print_into(const char *output)
{
	enum ct_status status;

	if (strcmp(output, "-") == 0 || freopen(output, "we", stdout))
		return 0;
	status = errno == ENOENT ? CT_ERR_NOT_FOUND : CT_ERR_SYSTEM;
	say_sentence("can not write '%s': %s", output, strerror(errno));
	return ct_status_exit_code(status);
}

static int say_none_selected(const char *path, const struct selection *selection)
{
	if (selection->coroutine)
		say_sentence("'%s': no event asked for is of, or about, coroutine %" PRIu64, path,
			selection->coroutine);
	else
		say_sentence("'%s': there is no event %" PRIu64, path, selection->first);
	return ct_status_exit_code(CT_ERR_NOT_FOUND);
}

/* The trace is opened first: where it can not be read, what the output held before is still there. */
static int dump_selected(
	const char *path, bool no_symbols, struct selection *selection, const char *output)
{
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status = open_trace(path, no_symbols, &trace, &error);
	uint64_t nr_printed;
	int exit_code;

	if (status)
		return say_failure(status, &error);
	exit_code = print_into(output);
	if (exit_code) {
		ct_trace_close(trace);
		return exit_code;
	}
	status = print_selected(stdout, trace, selection, &nr_printed, &error);
	ct_trace_close(trace);
	exit_code = flush_output();
	if (status)
		return say_failure(status, &error);
	if (exit_code || nr_printed)
		return exit_code;
	return say_none_selected(path, selection);
}

int command_dump(const struct arguments *arguments)
{
	const char *path = one_operand(arguments);
	const char *output = arguments->value[OPTION_DUMP_OUTPUT];
	const char *events = arguments->value[OPTION_DUMP_EVENTS];
	bool no_symbols = arguments->value[OPTION_DUMP_NO_SYMBOLS] != NULL;
	struct selection selection = {.first = 0, .last = UINT64_MAX};

	if (!path)
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!output)
		output = "-";
	if (events && !read_range(events, &selection))
		return say_usage("dump", "option '--events' takes FIRST-LAST, such as 120-140");
	if (would_replace_trace(path, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	selection.coroutine = arguments_number(arguments, OPTION_DUMP_COROUTINE, 0);
	if (!events && !selection.coroutine)
		return copy(path, no_symbols, CT_FORMAT_TEXT, output);
	return dump_selected(path, no_symbols, &selection, output);
}
