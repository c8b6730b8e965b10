/* SPDX-License-Identifier: MIT */
/*
 * A rule, as the judgement sees it: a few functions, and facts that hold for all that it finds. The rules themselves
 * are above this folder, and are handed to analyze_source.
 */
#ifndef ANALYZE_RULE_H
#define ANALYZE_RULE_H

#include <stdbool.h>

#include "corotracer/ct.h"
#include "model/watcher.h"

struct analysis;
struct candidate;
struct claims;
struct group;
struct story;

struct rule {
	/* What it watches while events are folded in, with the analysis as its settings. All zero: nothing. */
	struct model_watcher watcher;
	/* find: looks through the model, and adds a candidate for each coroutine of which the rule is true. */
	void (*find)(struct analysis *analysis);
	/*
	 * certify: the claims on which it rests that this candidate is Proven, for the checker of src/claim. Asked for
	 * candidates that are Proven; NULL: none of the rule is, or the rule tells a fact.
	 */
	void (*certify)(struct analysis *analysis, const struct candidate *candidate,
		struct claims *claims);
	/* describe: the title of a group of its candidates; the steps and the evidence, as a story. */
	void (*describe)(struct analysis *analysis, const struct group *group, struct story *story,
		struct ct_finding *finding);
	/* tell_cause: what was done to this one member. NULL: all of them have one cause, which is among the steps. */
	void (*tell_cause)(struct analysis *analysis, const struct candidate *candidate,
		struct ct_step *ret_cause);
	/* Coroutines that wait behind anybody told of by now are found before it looks. */
	bool finds_victims;
	/* Its findings do not say why a program stands still: they may be no more than a consequence. */
	bool is_no_explanation;
	/* Others wait for what its findings tell of: those come first. */
	bool is_cause;
	/*
	 * A finding tells what happened, and not why: nothing lowers it, no place is allowed, and other rules
	 * look all the same.
	 */
	bool is_fact;
};

/* All rules. */
struct rules {
	/* In the order in which they look; NULL behind the last one. */
	const struct rule *const *in_order;
	/* By enum ct_rule. */
	const struct rule *const *by_number;
};

#endif
