/* SPDX-License-Identifier: MIT */
/*
 * coroTracer: the older spelling of recording, reporting and handing on. docs/older-coroTracer.md tells the differences
 * from the older program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "handing_on.h"
#include "interrupt.h"
#include "judge.h"
#include "recording.h"
#include "say.h"
#include "thresholds.h"

#define DEFAULT_TRACE "trace_output.jsonl"
#define DEFAULT_STATIONS 128u
#define DEFAULT_SHM "/tmp/corotracer.shm"
#define DEFAULT_SOCKET "/tmp/corotracer.sock"
#define REPORT_NAME "coro_report.md"
#define PAGE_NAME "coro_dashboard.html"

static const char *value_or(
	const struct arguments *arguments, enum option option, const char *otherwise)
{
	return arguments->value[option] ? arguments->value[option] : otherwise;
}

/* The trace to record, and to read where no -in is given. */
static const char *named_trace(const struct arguments *arguments)
{
	return value_or(arguments, OPTION_OLDER_OUT, DEFAULT_TRACE);
}

static const char *named_input(const struct arguments *arguments)
{
	return value_or(arguments, OPTION_OLDER_IN, named_trace(arguments));
}

static enum ct_row_numbers named_numbers(const struct arguments *arguments)
{
	const char *how = value_or(arguments, OPTION_OLDER_SEQ, "");

	if (strcasecmp(how, "lock") == 0)
		return CT_ROW_NUMBERS_LOCK;
	if (strcasecmp(how, "count") == 0)
		return CT_ROW_NUMBERS_COUNT;
	return strcasecmp(how, "own") == 0 ? CT_ROW_NUMBERS_OWN : CT_ROW_NUMBERS_AS_PROBE;
}

static int record(const struct arguments *arguments)
{
	char shell[] = "sh", option[] = "-c";
	char *command = strdup(arguments->value[OPTION_OLDER_CMD]);
	char *words[] = {shell, option, command, NULL};
	unsigned long nr_stations = arguments_number(arguments, OPTION_OLDER_N, DEFAULT_STATIONS);
	struct recording recording = {
		.output = named_trace(arguments),
		.format = CT_FORMAT_JSONL,
		.command = words,
		.row_numbers = named_numbers(arguments),
		.tells_all = true,
		.shows_rows = true,
		.max_stations = nr_stations < UINT32_MAX ? (uint32_t)nr_stations : UINT32_MAX,
		.shm_path = value_or(arguments, OPTION_OLDER_SHM, DEFAULT_SHM),
		.socket_path = value_or(arguments, OPTION_OLDER_SOCK, DEFAULT_SOCKET),
	};
	int exit_status;

	if (!command) {
		say_sentence("out of memory");
		return ct_status_exit_code(CT_ERR_NO_MEMORY);
	}
	if (!arguments->value[OPTION_OLDER_NO_SERVE])
		say_sentence("this version serves no dashboard yet; '-no-serve' leaves this "
			     "sentence out");
	exit_status = recording_perform(&recording);
	free(command);
	return exit_status;
}

static int write_report(const struct arguments *arguments, const struct ct_thresholds *thresholds,
	enum ct_report_format format, const char *output)
{
	struct ct_report_options options = {.size = sizeof(options), .format = format};
	struct ct_analyze_options judging = {.size = sizeof(judging), .thresholds = thresholds};
	const char *input = named_input(arguments);
	struct judgement judgement;
	struct ct_error error;
	enum ct_status status;

	if (would_replace_trace(input, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	status = judgement_open(input, NULL, &judging, &judgement, &error);
	if (status)
		return say_failure(status, &error);
	interrupt_guard(output);
	status = ct_report_write(judgement.report, &options, output, &error);
	judgement_fini(&judgement);
	if (status)
		return say_failure(status, &error);
	say_sentence("wrote '%s'", output);
	return 0;
}

static int export(const struct arguments *arguments)
{
	const char *format = arguments->value[OPTION_OLDER_EXPORT];
	bool is_sqlite = strcasecmp(format, "sqlite") == 0;
	struct handing_on handing_on = {
		.input = named_input(arguments),
		.format = format,
		.is_older = true,
		.output = arguments->value[is_sqlite ? OPTION_OLDER_SQLITE_OUT
						     : OPTION_OLDER_CSV_OUT],
		.table = arguments->value[OPTION_OLDER_DB_TABLE],
	};

	if (!is_sqlite && strcasecmp(format, "csv") != 0 && strcasecmp(format, "dataframe") != 0) {
		say_sentence("exports to %s come with a later version; csv, dataframe and sqlite "
			     "work in "
			     "this one",
			format);
		return ct_status_exit_code(CT_ERR_UNSUPPORTED);
	}
	return hand_on(&handing_on);
}

/* One thing at a time: which one it is, or NONE where it is none, or more than one. */
static enum option wanted(const struct arguments *arguments)
{
	static const enum option actions[] = {
		OPTION_OLDER_CMD, OPTION_OLDER_DEEPDIVE, OPTION_OLDER_HTML, OPTION_OLDER_EXPORT};
	enum option found = OPTION_NONE;
	size_t i;

	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (!arguments->value[actions[i]])
			continue;
		if (found)
			return OPTION_NONE;
		found = actions[i];
	}
	return found;
}

static bool is_judging(const struct arguments *arguments)
{
	return arguments->value[OPTION_OLDER_DEEPDIVE] || arguments->value[OPTION_OLDER_HTML];
}

static int perform(const struct arguments *arguments, const struct ct_thresholds *thresholds)
{
	switch (wanted(arguments)) {
	case OPTION_OLDER_CMD:
		return record(arguments);
	case OPTION_OLDER_DEEPDIVE:
		return write_report(arguments, thresholds, CT_REPORT_MARKDOWN, REPORT_NAME);
	case OPTION_OLDER_HTML:
		return write_report(arguments, thresholds, CT_REPORT_HTML, PAGE_NAME);
	case OPTION_OLDER_EXPORT:
		return export(arguments);
	default:
		return say_usage("coroTracer", "give one of '-cmd', '-deepdive', '-html' and "
					       "'-export': for example coroTracer "
					       "-cmd './app'");
	}
}

static bool is_blank(const char *command)
{
	return command && command[strspn(command, " \t\r\n\v\f")] == '\0';
}

int command_older(const struct arguments *arguments)
{
	struct ct_thresholds *thresholds;
	int exit_status;

	if (arguments->nr_operands)
		return say_usage(
			"coroTracer", "coroTracer takes its command behind '-cmd', in one word");
	if (is_blank(arguments->value[OPTION_OLDER_CMD]))
		return say_usage("coroTracer", "the command behind '-cmd' is blank");
	if (!*named_input(arguments))
		return say_usage("coroTracer", "the name of a trace is empty");
	if (thresholds_are_given(arguments) && !is_judging(arguments))
		return say_usage(
			"coroTracer", "thresholds go with what judges: '-deepdive' and '-html'");
	exit_status = thresholds_read(arguments, &thresholds);
	if (exit_status)
		return exit_status;
	exit_status = perform(arguments, thresholds);
	ct_thresholds_free(thresholds);
	return exit_status;
}
