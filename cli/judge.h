/* SPDX-License-Identifier: MIT */
/*
 * Judging, as `report`, `stats`, `why`, the older spelling and the end of `run` do: a trace, or a process that runs, by
 * the thresholds that the options ask for.
 */
#ifndef CLI_JUDGE_H
#define CLI_JUDGE_H

#include "corotracer/ct.h"
#include "options.h"
#include "subject.h"

/*
 * thresholds_read: reads the options in the order given, so that the last one holds. NULL in *ret_thresholds
 * where they ask for nothing; else the caller frees it. Returns 0, or the exit status after saying what is wrong.
 */
int thresholds_read(const struct arguments *arguments, struct ct_thresholds **ret_thresholds);

/* thresholds_are_given: do the options ask for anything? */
bool thresholds_are_given(const struct arguments *arguments);

struct judgement {
	struct ct_trace *trace;
	const struct ct_report *report;
};

/*
 * judgement_open: opens and analyses, with a sign of life. `opening` and `options` may be NULL. On success the caller
 * ends with judgement_fini.
 */
enum ct_status judgement_open(const char *path, const struct ct_open_options *opening,
	const struct ct_analyze_options *options, struct judgement *ret_judgement,
	struct ct_error *reterr);
void judgement_fini(struct judgement *judgement);

/* judgement_tell_without_room: says how many events are of coroutines that found no room, where the output does not. */
void judgement_tell_without_room(const struct ct_report *report);

/*
 * judgement_read: the same of what a command's operand names, by the thresholds that the options ask for. 0, or the
 * exit status after saying why not.
 */
int judgement_read(const struct arguments *arguments, const struct subject *subject,
	const struct ct_analyze_options *options, struct judgement *ret_judgement);

/* judgement_write: writes the report, and ends with judgement_fini; returns the exit status. */
int judgement_write(
	struct judgement *judgement, const struct ct_report_options *options, const char *output);

#endif
