/* SPDX-License-Identifier: MIT */
/*
 * corotracer why: what one coroutine waits for, and who could make it go on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "process_number.h"
#include "say.h"
#include "thresholds.h"

/* An id is a whole number; "c1025", as dump prints it, is meant the same way. */
static bool read_id(const char *text, uint64_t *ret_id)
{
	char *end;

	text += *text == 'c';
	errno = 0;
	*ret_id = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *ret_id > 0;
}

static enum ct_report_format read_format(const struct arguments *arguments)
{
	const char *format = arguments->value[OPTION_WHY_FORMAT];

	if (format && strcmp(format, "json") == 0)
		return CT_REPORT_JSON;
	return format && strcmp(format, "dot") == 0 ? CT_REPORT_DOT : CT_REPORT_TEXT;
}

static bool has_begun_late(const struct ct_report *report)
{
	uint32_t i;

	for (i = 0; i < report->quality.nr_losses; i++)
		if (report->quality.losses[i].reason == CTP_LOSS_BEFORE)
			return true;
	return false;
}

/* Where a recorder was read, the ids are its own, and asking again finds the same ones. */
static void say_absent(const struct ct_report *report, uint64_t id)
{
	if (!report->live.pid)
		say_sentence("no coroutine %llu is in the trace", (unsigned long long)id);
	else if (has_begun_late(report))
		say_sentence(
			"no coroutine %llu of process %llu is known; without a flight recorder ids "
			"are new each time somebody attaches, and only coroutines that do "
			"something "
			"meanwhile are seen: start the program with COROTRACER_FLIGHT=,64M",
			(unsigned long long)id, (unsigned long long)report->live.pid);
	else
		say_sentence("no coroutine %llu is among those of process %llu in what its flight "
			     "recorder kept",
			(unsigned long long)id, (unsigned long long)report->live.pid);
}

static int print(const struct judgement *judgement, enum ct_report_format format, uint64_t id)
{
	struct ct_report_options options = {
		.size = sizeof(options), .format = format, .is_why = true};
	const struct ct_report *report = judgement->report;
	bool is_absent = report->nr_why == 0;
	struct ct_error error;
	enum ct_status status = CT_OK;

	/* What the threads do is worth telling all the same. */
	if (!is_absent || (report->live.nr_looks && format != CT_REPORT_DOT))
		status = ct_report_write(report, &options, "-", &error);
	if (status)
		return say_failure(status, &error);
	if (!is_absent)
		return 0;
	say_absent(report, id);
	return ct_status_exit_code(CT_ERR_NOT_FOUND);
}

static int explain(const struct arguments *arguments, const struct ct_analyze_options *options)
{
	struct ct_open_options opening = {.size = sizeof(opening),
		.no_symbols = arguments->value[OPTION_WHY_NO_SYMBOLS] != NULL};
	struct judgement judgement;
	struct ct_error error;
	enum ct_status status;
	int exit_status;

	if (arguments->value[OPTION_WHY_DURATION])
		return say_usage("why", "'--duration' goes with a process that runs");
	status = judgement_open(arguments->operands[0], &opening, options, &judgement, &error);
	if (status)
		return say_failure(status, &error);
	exit_status = print(&judgement, read_format(arguments), options->why_coro);
	judgement_fini(&judgement);
	return exit_status;
}

/* ---------------------------------------------------------------- of a process that runs */

static int explain_process(const struct arguments *arguments, struct ct_analyze_options *options)
{
	const char *operand = arguments->operands[0];
	struct judgement judgement;
	int exit_status;

	if (options->why_pid)
		return say_usage("why", "'--process' goes with a trace: PID names the process");
	options->why_pid = (uint64_t)process_read(operand);
	exit_status = process_judge("why", operand, arguments->value[OPTION_WHY_DURATION],
		arguments->value[OPTION_WHY_NO_SYMBOLS] != NULL, options, &judgement);
	if (exit_status)
		return exit_status;
	exit_status = print(&judgement, read_format(arguments), options->why_coro);
	judgement_fini(&judgement);
	return exit_status;
}

int command_why(const struct arguments *arguments)
{
	struct ct_analyze_options options = {
		.size = sizeof(options),
		.why_pid = arguments_number(arguments, OPTION_WHY_PROCESS, 0),
	};
	struct ct_thresholds *thresholds;
	int exit_status;

	if (arguments->nr_operands != 2)
		return say_usage("why",
			"which trace, and which coroutine? for example: corotracer why "
			"corotracer.ctrace 1025");
	if (!read_id(arguments->operands[1], &options.why_coro))
		return say_usage("why", "the id of a coroutine is a whole number from 1 on");
	exit_status = thresholds_read(arguments, &thresholds);
	if (exit_status)
		return exit_status;
	options.thresholds = thresholds;
	exit_status = process_is_meant(arguments->operands[0])
			      ? explain_process(arguments, &options)
			      : explain(arguments, &options);
	ct_thresholds_free(thresholds);
	return exit_status;
}
