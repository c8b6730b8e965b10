/* SPDX-License-Identifier: MIT */
/*
 * corotracer why: what one coroutine waits for, and who could make it go on.
 */
#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "say.h"

/* An id is a whole number; "c1025", as dump prints it, is meant the same way. */
static bool read_id(const char *text, uint64_t *ret_id)
{
	return value_number(text + (*text == 'c'), ret_id);
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

	/* The threads' doings are worth telling all the same. */
	if (!is_absent || (report->live.nr_looks && format != CT_REPORT_DOT))
		status = ct_report_write(report, &options, "-", &error);
	if (status)
		return say_failure(status, &error);
	if (!is_absent)
		return 0;
	say_absent(report, id);
	return ct_status_exit_code(CT_ERR_NOT_FOUND);
}

/* ID alone, or behind a trace or a process; the exit status. */
static int read_operands(
	const struct arguments *arguments, struct subject *subject, uint64_t *ret_id)
{
	char **words = arguments->operands;

	if (arguments->nr_operands == 1 && read_id(words[0], ret_id))
		return 0;
	if (arguments->nr_operands != 2)
		return say_usage("why",
			"which trace, and which coroutine? for example: corotracer why "
			"corotracer.ctrace 1025");
	subject->operand = words[0];
	if (read_id(words[1], ret_id))
		return 0;
	return say_usage("why", "the id of a coroutine is a whole number from 1 on");
}

int command_why(const struct arguments *arguments)
{
	static const enum ct_report_format formats[] = {
		CT_REPORT_TEXT, CT_REPORT_JSON, CT_REPORT_DOT};
	struct ct_analyze_options options = {
		.size = sizeof(options),
		.why_pid = arguments->meaning[OPTION_WHY_PROCESS].number,
	};
	struct subject subject = {
		.operand = DEFAULT_TRACE,
		.no_symbols = arguments->value[OPTION_WHY_NO_SYMBOLS] != NULL,
		.duration = OPTION_WHY_DURATION,
	};
	struct judgement judgement;
	int exit_status = read_operands(arguments, &subject, &options.why_coro);

	if (exit_status)
		return exit_status;
	if (subject_is_process(&subject)) {
		if (options.why_pid)
			return say_usage(
				"why", "'--process' goes with a trace: PID names the process");
		options.why_pid = (uint64_t)value_process(subject.operand);
	}
	exit_status = judgement_read(arguments, &subject, &options, &judgement);
	if (exit_status)
		return exit_status;
	exit_status = print(&judgement, formats[arguments->meaning[OPTION_WHY_FORMAT].number],
		options.why_coro);
	judgement_fini(&judgement);
	return exit_status;
}
