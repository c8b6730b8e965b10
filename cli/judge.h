/* SPDX-License-Identifier: MIT */
/*
 * Opening a trace and judging it, as `report`, `why` and the end of `run` do.
 */
#ifndef CLI_JUDGE_H
#define CLI_JUDGE_H

#include "corotracer/ct.h"

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
/* judgement_open_live: the same of a process that runs, after recording it for a time (ct_live_open). */
enum ct_status judgement_open_live(const struct ct_live_options *live,
	const struct ct_analyze_options *options, struct judgement *ret_judgement,
	struct ct_error *reterr);
void judgement_fini(struct judgement *judgement);

#endif
