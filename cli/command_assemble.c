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
#include "interrupt.h"
#include "pack_level.h"
#include "progress.h"
#include "say.h"
#include "selection.h"

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

static int copy(const char *path, bool no_symbols, const struct ct_write_options *options,
	const char *output)
{
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status = open_trace(path, no_symbols, &trace, &error);

	if (status)
		return say_failure(status, &error);
	/* Not while text scrolls by on the same terminal. */
	if (strcmp(output, "-") != 0)
		progress_begin("writing", output);
	interrupt_guard(output);
	status = ct_trace_write(trace, options, output, &error);
	progress_end();
	ct_trace_close(trace);
	return status ? say_failure(status, &error) : 0;
}

int command_assemble(const struct arguments *arguments)
{
	const char *path = one_operand(arguments);
	const char *output = arguments->value[OPTION_ASSEMBLE_OUTPUT];
	struct ct_write_options options = {.size = sizeof(options), .format = CT_FORMAT_CTRACE};

	if (!path || !read_pack_level(arguments, OPTION_ASSEMBLE_PACK, &options.pack_level))
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!output || !*output)
		return say_usage("assemble", "where to? name a file with '--output'");
	if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
		return say_usage(
			"assemble", "a trace is no text: it does not belong on a terminal");
	if (would_replace_trace(path, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	return copy(path, true, &options, output);
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
		selection_note(selection, event);
		if (!selection_has(selection, event))
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

/* The trace is opened first: where it cannot be read, what the output held before is still there. */
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
	struct ct_write_options as_text = {.size = sizeof(as_text), .format = CT_FORMAT_TEXT};
	struct selection selection = {.first = 0, .last = UINT64_MAX};

	if (!path)
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!output)
		output = "-";
	if (events && !selection_read_range(events, &selection))
		return say_usage("dump", "option '--events' takes FIRST-LAST, such as 120-140");
	if (would_replace_trace(path, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	selection.coroutine = arguments_number(arguments, OPTION_DUMP_COROUTINE, 0);
	if (!events && !selection.coroutine)
		return copy(path, no_symbols, &as_text, output);
	return dump_selected(path, no_symbols, &selection, output);
}
