/* SPDX-License-Identifier: MIT */
/*
 * A rule, as the judgement sees it: a few functions, and facts that hold for all its findings. The rules themselves
 * are in a folder above this one, and are passed to analyze_source.
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

/* A run of a coroutine, or with `coro` 0 all runs of the process, in this time. */
struct analyze_run {
	uint32_t coro; /* index in the model */
	uint32_t process;
	uint32_t thread; /* that ran the coroutine */
	ct_time since;
	ct_time until; /* 0: it goes on */
};

struct rule {
	/* The rule's watcher, with the analysis as its settings. All zero: the rule watches nothing. */
	struct model_watcher watcher;
	/* find: looks through the model, and adds a candidate for each coroutine of which the rule is true. */
	void (*find)(struct analysis *analysis);
	/*
	 * certify: adds the claims that make this candidate Proven, for the checker of src/claim. Called for Proven
	 * candidates. NULL: no candidate of the rule is Proven, or the rule reports a fact.
	 */
	void (*certify)(struct analysis *analysis, const struct candidate *candidate,
		struct claims *claims);
	/* describe: writes the title of a group's finding, and its steps and evidence as a story. */
	void (*describe)(struct analysis *analysis, const struct group *group, struct story *story,
		struct ct_finding *finding);
	/*
	 * find_run: finds out which run the candidate is about: samples of where its thread was meanwhile belong to the
	 * finding. NULL: findings of the rule are about no run.
	 */
	void (*find_run)(const struct analysis *analysis, const struct candidate *candidate,
		struct analyze_run *ret_run);
	/* tell_cause: writes the cause of this one member. NULL: all members have one cause, and a step names it. */
	void (*tell_cause)(struct analysis *analysis, const struct candidate *candidate,
		struct ct_step *ret_cause);
	/* Coroutines that wait behind a coroutine with a finding are found before this rule looks. */
	bool finds_victims;
	/* The rule's findings do not explain why a program stands still: they may be only a consequence. */
	bool is_no_explanation;
	/* Coroutines of other findings wait for the coroutines of this rule's findings: these come first. */
	bool is_cause;
	/*
	 * A finding of the rule reports an event that happened, not a judgement: nothing lowers its grade, it cannot
	 * be allowed by place, and other rules still look at its coroutines.
	 */
	bool is_fact;
};

/* All rules. */
struct rules {
	/* In the order in which they look; ends with NULL. */
	const struct rule *const *in_order;
	/* By enum ct_rule. */
	const struct rule *const *by_number;
};

#endif
