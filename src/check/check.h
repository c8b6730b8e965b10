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
#include "render/sarif.h"

struct check_asked {
	struct condition condition;
	struct ct_assertion assertion; /* its text and origin are in the lasting arena */
};

/* Verdicts on their way to one output. */
struct check_output {
	bool is_of_many; /* of several traces: each is named, and a total follows */
	uint64_t nr_traces;
	uint64_t nr_good; /* traces of which all assertions hold */
	uint64_t nr_assertions, nr_broken, nr_unknown;
	struct text text;
	struct json json;          /* of JSON */
	struct render_sarif sarif; /* of SARIF */
};

struct ct_checks {
	struct arena lasting; /* texts of the assertions */
	struct arena told;    /* of one judgement */
	VEC(struct check_asked) asked;
	VEC(struct ct_assertion) results;
	const struct ct_report *report; /* of the last judgement; NULL: there was none */
	struct check_output kept;       /* of the judgements before it */
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

/*
 * A form of output: begins it, writes what was judged last, and ends it, which may replace the text by a longer one.
 * check_form: returns the form; NULL: there is none. check_output_begin, check_output_one, check_output_end: call it;
 * what fails is in the status of the text.
 */
struct check_form {
	void (*begin)(struct check_output *output, const struct ct_checks_options *options);
	void (*one)(struct check_output *output, const struct ct_checks *checks,
		const struct ct_checks_options *options);
	void (*end)(struct check_output *output);
};

const struct check_form *check_form(enum ct_checks_format format);

#endif
