/* SPDX-License-Identifier: MIT */
/*
 * The rules: one file for each, which says what it watches, what it finds and how it tells, and one table of them all,
 * include/corotracer/def/findings.def.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "analyze/analyze.h"

/* rules_all: every rule of the table. */
extern const struct rules rules_all;

/* rules_judge: analyze_source with all rules. `live` may be NULL: no process was looked at. */
enum ct_status rules_judge(struct ct_source *source, const struct ct_analyze_options *options,
	const struct analyze_live *live, const struct ct_report **ret_report,
	struct ct_error *reterr);

#endif
