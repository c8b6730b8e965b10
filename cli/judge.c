/* SPDX-License-Identifier: MIT */
/*
 * From options and an operand to a report.
 */
#include "judge.h"
#include "output.h"
#include "say.h"
#include "subject.h"

/* ---------------------------------------------------------------- thresholds */

static enum ct_status take(
	struct ct_thresholds *thresholds, const struct given *given, struct ct_error *reterr)
{
	switch (given->option) {
	case OPTION_JUDGE_THRESHOLDS:
		return ct_thresholds_read(thresholds, given->value, reterr);
	case OPTION_JUDGE_THRESHOLD:
		return ct_thresholds_set(thresholds, given->value, reterr);
	case OPTION_JUDGE_ALLOW_SITE:
		return ct_thresholds_allow(thresholds, given->value, reterr);
	default:
		return CT_OK;
	}
}

bool thresholds_are_given(const struct arguments *arguments)
{
	return arguments->value[OPTION_JUDGE_THRESHOLDS] ||
	       arguments->value[OPTION_JUDGE_THRESHOLD] ||
	       arguments->value[OPTION_JUDGE_ALLOW_SITE];
}

int thresholds_read(const struct arguments *arguments, struct ct_thresholds **ret_thresholds)
{
	enum ct_status status = CT_OK;
	struct ct_error error;
	int i;

	*ret_thresholds = NULL;
	if (thresholds_are_given(arguments))
		status = ct_thresholds_new(ret_thresholds, &error);
	for (i = 0; i < arguments->nr_given && *ret_thresholds && !status; i++)
		status = take(*ret_thresholds, &arguments->given[i], &error);
	if (!status)
		return 0;
	ct_thresholds_free(*ret_thresholds);
	*ret_thresholds = NULL;
	return say_failure(status, &error);
}

/* ---------------------------------------------------------------- traces */

/* `opened`: the status of opening the trace. */
static enum ct_status judge(enum ct_status opened, struct judgement *judgement,
	const struct ct_analyze_options *options, struct judgement *ret_judgement,
	struct ct_error *reterr)
{
	enum ct_status status = opened;

	if (status == CT_OK)
		status = ct_analyze(judgement->trace, options, &judgement->report, reterr);
	progress_end();
	if (status)
		judgement_fini(judgement);
	else
		*ret_judgement = *judgement;
	return status;
}

enum ct_status judgement_open(const char *path, const struct ct_open_options *opening,
	const struct ct_analyze_options *options, struct judgement *ret_judgement,
	struct ct_error *reterr)
{
	struct judgement judgement = {NULL, NULL};
	enum ct_status status;

	progress_begin_reading(path);
	status = ct_trace_open(path, opening, &judgement.trace, reterr);
	if (status == CT_OK)
		memory_tell(judgement.trace);
	return judge(status, &judgement, options, ret_judgement, reterr);
}

void judgement_tell_without_room(const struct ct_report *report)
{
	memory_tell_missing(ct_report_without_room(report), "what was judged");
}

void judgement_fini(struct judgement *judgement)
{
	ct_report_free(judgement->report);
	ct_trace_close(judgement->trace);
	*judgement = (struct judgement){NULL, NULL};
}

static int judge_subject(const struct arguments *arguments, const struct subject *subject,
	const struct ct_analyze_options *options, struct judgement *ret_judgement)
{
	struct judgement judgement = {NULL, NULL};
	struct ct_error error;
	enum ct_status status;
	int exit_status = subject_open(arguments, subject, &judgement.trace);

	if (exit_status)
		return exit_status;
	status = judge(CT_OK, &judgement, options, ret_judgement, &error);
	subject_settle(subject);
	return status ? say_failure(status, &error) : 0;
}

int judgement_read(const struct arguments *arguments, const struct subject *subject,
	const struct ct_analyze_options *options, struct judgement *ret_judgement)
{
	struct ct_analyze_options judging = *options;
	struct ct_thresholds *thresholds;
	int exit_status = thresholds_read(arguments, &thresholds);

	if (exit_status)
		return exit_status;
	judging.thresholds = thresholds;
	exit_status = judge_subject(arguments, subject, &judging, ret_judgement);
	ct_thresholds_free(thresholds);
	return exit_status;
}

int judgement_write(
	struct judgement *judgement, const struct ct_report_options *options, const char *output)
{
	struct ct_error error;
	enum ct_status status;

	output_guard(output);
	status = ct_report_write(judgement->report, options, output, &error);
	judgement_fini(judgement);
	return status ? say_failure(status, &error) : 0;
}
