/* SPDX-License-Identifier: MIT */
/*
 * Compares runs: reports become items, items become series over the runs, series become differences; and the formats of
 * a comparison.
 */
#ifndef DIFF_DIFF_H
#define DIFF_DIFF_H

#include "base/arena.h"
#include "base/text.h"
#include "base/vec.h"
#include "corotracer/diff.h"

/* A measure at a place in one run. Texts are in the lasting arena, never NULL. */
struct diff_item {
	enum ct_measure measure;
	const char *function;
	const char *file;
	/* the awaited thing, or the name from the program; of a finding: its rule */
	const char *name;
	const char *place; /* in words */
	uint64_t line;     /* or the offset in the module */
	uint64_t count;
	uint64_t nr_going_on; /* number that had not ended at the end; not part of the value */
	double value;         /* NaN: not measured */
	uint32_t run;
	bool is_after;
};

/* The same measure at the same place over all runs; each array has one cell for each run. */
struct diff_series {
	struct ct_difference difference;
	uint64_t *counts; /* 0: never measured */
	double *values;   /* NaN: never measured */
	uint64_t *nr_going_on;
	bool *is_there;
};

struct ct_diff {
	struct ct_diff_options options;
	struct arena lasting;
	struct arena judged;
	VEC(struct diff_item) items;
	VEC(bool) runs; /* for each run: does it belong to the runs after? */
	uint32_t nr_before;
	uint32_t nr_after;
	VEC(struct diff_series) series;
	VEC(struct ct_difference) results;
	bool is_tested;
	bool is_judged;
};

bool diff_is_time(enum ct_measure measure);
bool diff_tells_presence(enum ct_measure measure);

/* diff_gather: gathers the items of one report. False: out of memory. */
bool diff_gather(struct ct_diff *diff, const struct ct_report *report, bool is_after);

/*
 * diff_pair: sorts the items and makes a series of items that are the same in several runs, and one more for each place
 * where coroutines wait at the end. False: out of memory.
 */
bool diff_pair(struct ct_diff *diff);

/* diff_compare: decides for each series how it changed. False: out of memory. */
bool diff_compare(struct ct_diff *diff);

/* The formats; all `options` must be filled in. */
void diff_write_text(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options);
void diff_write_markdown(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options);
void diff_write_json(
	struct text *text, const struct ct_diff *diff, const struct ct_diff_write_options *options);

#endif
