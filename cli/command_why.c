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

static int print(const struct judgement *judgement, bool is_json, uint64_t id)
{
	struct ct_report_options options = {.size = sizeof(options), .is_why = true};
	struct ct_error error;
	enum ct_status status;

	if (judgement->report->nr_why == 0) {
		say_sentence("no coroutine %llu is in the trace", (unsigned long long)id);
		return ct_status_exit_code(CT_ERR_NOT_FOUND);
	}
	options.format = is_json ? CT_REPORT_JSON : CT_REPORT_TEXT;
	status = ct_report_write(judgement->report, &options, "-", &error);
	return status ? say_failure(status, &error) : 0;
}

static int explain(const struct arguments *arguments, struct ct_analyze_options *options)
{
	const char *format = arguments->value[OPTION_WHY_FORMAT];
	struct judgement judgement;
	struct ct_error error;
	enum ct_status status = judgement_open(arguments->operands[0],
		arguments->value[OPTION_WHY_NO_SYMBOLS] != NULL, options, &judgement, &error);
	int exit_status;

	if (status)
		return say_failure(status, &error);
	exit_status = print(&judgement, format && strcmp(format, "json") == 0, options->why_coro);
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
	exit_status = explain(arguments, &options);
	ct_thresholds_free(thresholds);
	return exit_status;
}
