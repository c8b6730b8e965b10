/* SPDX-License-Identifier: MIT */
/*
 * Assertions: parsing them, judging them by a report, and writing the verdicts in several forms.
 */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "condition/condition.h"
#include "corotracer/check.h"

struct check_asked {
	struct condition condition;
	struct ct_assertion assertion; /* its text and origin are in the lasting arena */
};

struct ct_checks {
	struct arena lasting; /* texts of the assertions */
	struct arena told;    /* of one judgement */
	VEC(struct check_asked) asked;
	VEC(struct ct_assertion) results;
	const struct ct_report *report; /* of the last judgement; NULL: there was none */
};

/* check_measure: judges one assertion; texts are allocated from `told`. False: out of memory. */
bool check_measure(struct check_asked *asked, const struct ct_report *report, struct arena *told);

/*
 * check_passes_limit: do the times that are still going on put the statistic over the condition's upper limit,
 * however long they take in the end? Only `<` and `<=` have an upper limit. ret_least: the least value of the
 * statistic, in ns.
 */
bool check_passes_limit(const struct condition *condition, const struct ct_distribution *ended,
	const struct ct_going_on *going_on, double *ret_least);

/* check_tell_going_on: writes "; 47 go on, the longest for 2.01 s"; nothing if nothing goes on. */
void check_tell_going_on(const struct ct_going_on *going_on, struct text *text);

/* The forms of output; `options` are complete. */
void check_write_text(
	struct text *text, const struct ct_checks *checks, const struct ct_checks_options *options);
void check_write_json(
	struct text *text, const struct ct_checks *checks, const struct ct_checks_options *options);
void check_write_junit(
	struct text *text, const struct ct_checks *checks, const struct ct_checks_options *options);
void check_write_sarif(
	struct text *text, const struct ct_checks *checks, const struct ct_checks_options *options);

#endif
