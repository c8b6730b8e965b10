/* SPDX-License-Identifier: MIT */
/*
 * coroTracer: the older spelling of record, report and export. docs/older-coroTracer.md lists the differences from the
 * older program.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "recording.h"
#include "say.h"

#define OLDER_TRACE "trace_output.jsonl"
#define DEFAULT_STATIONS 128u
#define DEFAULT_SHM "/tmp/corotracer.shm"
#define DEFAULT_SOCKET "/tmp/corotracer.sock"
#define DEFAULT_HOST "127.0.0.1"
#define REPORT_NAME "coro_report.md"
#define PAGE_NAME "coro_dashboard.html"

/* The trace to record, and to read if -in is not given. */
static const char *named_trace(const struct arguments *arguments)
{
	return arguments_value(arguments, OPTION_OLDER_OUT, OLDER_TRACE);
}

static const char *named_input(const struct arguments *arguments)
{
	return arguments_value(arguments, OPTION_OLDER_IN, named_trace(arguments));
}

static enum ct_row_numbers named_numbers(const struct arguments *arguments)
{
	static const enum ct_row_numbers numbers[] = {
		CT_ROW_NUMBERS_LOCK, CT_ROW_NUMBERS_COUNT, CT_ROW_NUMBERS_OWN};

	return arguments->value[OPTION_OLDER_SEQ]
		       ? numbers[arguments->meaning[OPTION_OLDER_SEQ].number]
		       : CT_ROW_NUMBERS_AS_PROBE;
}

static int record(const struct arguments *arguments)
{
	char shell[] = "sh", option[] = "-c";
	char *command = strdup(arguments->value[OPTION_OLDER_CMD]);
	char *words[] = {shell, option, command, NULL};
	uint32_t nr_stations = arguments_count(arguments, OPTION_OLDER_N);
	struct recording recording = {
		.options = {.output = named_trace(arguments),
			.format = CT_FORMAT_JSONL,
			.command = words,
			.row_numbers = named_numbers(arguments),
			.tells_all = true,
			.shows_rows = true,
			.max_stations = nr_stations ? nr_stations : DEFAULT_STATIONS,
			.shm_path = arguments_value(arguments, OPTION_OLDER_SHM, DEFAULT_SHM),
			.socket_path =
				arguments_value(arguments, OPTION_OLDER_SOCK, DEFAULT_SOCKET)},
	};
	int exit_status;

	if (!command)
		return say_no_memory();
	recording.serving.is_wanted = !arguments->value[OPTION_OLDER_NO_SERVE];
	recording.serving.until_exit = true;
	output_note(recording.options.output);
	exit_status = recording_perform(&recording, NULL);
	free(command);
	return exit_status;
}

static int write_report(
	const struct arguments *arguments, enum ct_report_format format, const char *output)
{
	struct ct_report_options options = {.size = sizeof(options), .format = format};
	struct ct_analyze_options judging = {.size = sizeof(judging)};
	struct subject subject = {.operand = named_input(arguments)};
	struct judgement judgement;
	int exit_status;

	if (output_replaces(subject.operand, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	options.trace = subject_file(&subject);
	exit_status = judgement_read(arguments, &subject, &judging, &judgement);
	if (exit_status)
		return exit_status;
	exit_status = judgement_write(&judgement, &options, output);
	if (!exit_status)
		say_sentence("wrote '%s'", output);
	return exit_status;
}

/* The output file; NULL: it is named after the trace, or there is none. */
static const char *export_output(const struct arguments *arguments, const char *format)
{
	if (strcasecmp(format, "sqlite") == 0)
		return arguments->value[OPTION_OLDER_SQLITE_OUT];
	if (strcasecmp(format, "csv") == 0 || strcasecmp(format, "dataframe") == 0)
		return arguments->value[OPTION_OLDER_CSV_OUT];
	return NULL;
}

/* A socket implies the local machine. NULL: no host is named. */
static const char *database_host(const struct arguments *arguments)
{
	return arguments_value(arguments, OPTION_OLDER_DB_HOST,
		arguments->value[OPTION_OLDER_MYSQL_SOCKET] ? NULL : DEFAULT_HOST);
}

static int export(const struct arguments *arguments)
{
	const char *format = arguments->value[OPTION_OLDER_EXPORT];
	const struct ct_database database = {
		.size = sizeof(database),
		.host = database_host(arguments),
		.port = arguments->value[OPTION_OLDER_DB_PORT],
		.user = arguments->value[OPTION_OLDER_DB_USER],
		.password = arguments->value[OPTION_OLDER_DB_PASSWORD],
		.name = arguments->value[OPTION_OLDER_DB_NAME],
		.socket = arguments->value[OPTION_OLDER_MYSQL_SOCKET],
		.ssl_mode = arguments->value[OPTION_OLDER_PG_SSLMODE],
		.maintenance_name = arguments->value[OPTION_OLDER_PG_MAINTENANCE_DB],
	};
	const struct handing_on handing_on = {
		.input = named_input(arguments),
		.format = format,
		.is_older = true,
		.output = export_output(arguments, format),
		.events_table = arguments->value[OPTION_OLDER_DB_TABLE],
		.database = &database,
	};

	return hand_on(&handing_on);
}

/* The one action that is requested; NONE if none or more than one is. */
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

static int perform(const struct arguments *arguments)
{
	switch (wanted(arguments)) {
	case OPTION_OLDER_CMD:
		return record(arguments);
	case OPTION_OLDER_DEEPDIVE:
		return write_report(arguments, CT_REPORT_MARKDOWN, REPORT_NAME);
	case OPTION_OLDER_HTML:
		return write_report(arguments, CT_REPORT_HTML, PAGE_NAME);
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
	return perform(arguments);
}
