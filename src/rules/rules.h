/* SPDX-License-Identifier: MIT */
/*
 * The rules: one file for each, with its watcher, its search and its words, and one table of all rules,
 * include/corotracer/def/findings.def.
 */
#ifndef RULES_RULES_H
#define RULES_RULES_H

#include "analyze/analyze.h"

/* rules_all: every rule of the table. */
extern const struct rules rules_all;

/* rules_judge: calls analyze_source with all rules. `live` may be NULL: no process was looked at. */
enum ct_status rules_judge(struct ct_source *source, const struct ct_analyze_options *options,
	const struct analyze_live *live, const struct ct_report **ret_report,
	struct ct_error *reterr);

#endif
