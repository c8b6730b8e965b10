/* SPDX-License-Identifier: MIT */
/*
 * Runs compared: from reports to items, from items to series over the runs, from series to differences, and the forms
 * in which these are told.
 */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "corotracer/diff.h"

/* A measure at a place in one run. Texts are the lasting arena's, never NULL. */
struct diff_item {
	enum ct_measure measure;
	const char *function;
	const char *file;
	const char *name;  /* awaited there, or given by the program; of a finding: its rule */
	const char *place; /* in words */
	uint64_t line;     /* or the offset in the module */
	uint64_t count;
	uint64_t nr_going_on; /* at the end, and not in the value */
	double value;         /* NaN: nothing was measured */
	uint32_t run;
	bool is_after;
};

/* The same measure at the same place over all runs; the arrays have one cell for each of them. */
struct diff_series {
	struct ct_difference difference;
	uint64_t *counts; /* 0: measured not once */
	double *values;   /* NaN: likewise */
	uint64_t *nr_going_on;
	bool *is_there;
};

struct ct_diff {
	struct ct_diff_options options;
	struct arena lasting;
	struct arena judged;
	VEC(struct diff_item) items;
	VEC(bool) runs; /* of each run: is it one after? */
	uint32_t nr_before;
	uint32_t nr_after;
	VEC(struct diff_series) series;
	VEC(struct ct_difference) results;
	bool is_tested;
	bool is_judged;
};

bool diff_is_time(enum ct_measure measure);
bool diff_tells_presence(enum ct_measure measure);

/* diff_gather: the items of one report. False: out of memory. */
bool diff_gather(struct ct_diff *diff, const struct ct_report *report, bool is_after);

/*
 * diff_pair: sorts the items, and makes series of what is the same in several runs, and one more for each place where
 * coroutines wait at the end. False: out of memory.
 */
bool diff_pair(struct ct_diff *diff);

/* diff_compare: says of each series how it changed. False: out of memory. */
bool diff_compare(struct ct_diff *diff);

/* The forms; `options` are complete. */
void diff_write_text(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options);
void diff_write_markdown(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options);
void diff_write_json(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options);

#endif
