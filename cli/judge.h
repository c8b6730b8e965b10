/* SPDX-License-Identifier: MIT */
/*
 * Judges a trace or a running process by the thresholds of the options, for `report`, `stats`, `why`, the older
 * spelling and the end of `run`.
 */
#ifndef CLI_JUDGE_H
#define CLI_JUDGE_H

#include "corotracer/ct.h"
#include "options.h"
#include "subject.h"

/*
 * thresholds_read: reads the options in the given order, so the last one is used. *ret_thresholds is NULL if the
 * options set no threshold; else the caller frees it. Returns 0, or the exit status after printing what is wrong.
 */
int thresholds_read(const struct arguments *arguments, struct ct_thresholds **ret_thresholds);

/* thresholds_are_given: do the options set any threshold? */
bool thresholds_are_given(const struct arguments *arguments);

struct judgement {
	struct ct_trace *trace;
	const struct ct_report *report;
};

/*
 * judgement_open: opens and analyses a trace, and shows progress. `opening` and `options` may be NULL. After success
 * the caller calls judgement_fini.
 */
enum ct_status judgement_open(const char *path, const struct ct_open_options *opening,
	const struct ct_analyze_options *options, struct judgement *ret_judgement,
	struct ct_error *reterr);
void judgement_fini(struct judgement *judgement);

/*
 * judgement_tell_without_room: prints how many events belong to coroutines for which there was no memory, for outputs
 * that do not say so.
 */
void judgement_tell_without_room(const struct ct_report *report);

/*
 * judgement_read: judges what a command's operand names, by the thresholds of the options. Returns 0, or the exit
 * status after printing why it failed.
 */
int judgement_read(const struct arguments *arguments, const struct subject *subject,
	const struct ct_analyze_options *options, struct judgement *ret_judgement);

/* judgement_write: writes the report, calls judgement_fini, and returns the exit status. */
int judgement_write(
	struct judgement *judgement, const struct ct_report_options *options, const char *output);

#endif
