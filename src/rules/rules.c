/* SPDX-License-Identifier: MIT */
/*
 * The table of rules, made from findings.def.
 */
#include "rules/rules.h"

#include "rules/parts.h"

static const struct rule *const in_order[] = {
#define X(name, number, file, text, says, wrong_if, next_step) &rules_##file,
#include "corotracer/def/findings.def"
#undef X
	NULL,
};

static const struct rule *const by_number[CT_NR_RULES] = {
#define X(name, number, file, text, says, wrong_if, next_step) [number] = &rules_##file,
#include "corotracer/def/findings.def"
#undef X
};

const struct rules rules_all = {.in_order = in_order, .by_number = by_number};

enum ct_status rules_judge(struct ct_source *source, const struct ct_analyze_options *options,
	const struct analyze_live *live, const struct ct_report **ret_report,
	struct ct_error *reterr)
{
	struct analyze_terms terms = {.rules = &rules_all, .live = live, .nr_ended = MODEL_ENDED};

	return analyze_source(source, options, &terms, ret_report, reterr);
}
