/* SPDX-License-Identifier: MIT */
/*
 * Comparison of two versions of a program by their runs: what is new, gone, slower or faster, and where. A part of
 * ct.h.
 *
 * The unit of comparison is the run: each run has one number for a measure at a place, a percentile or the mean. With
 * enough runs on both sides (five, for a significance of 0.05) a difference is tested by a permutation of the runs over
 * all places at once; a comparison of equal programs then reports any difference no more often than the significance
 * says. With fewer runs nothing is tested, and every difference by more than a factor is reported. docs/diff.md has the
 * rules.
 */
#ifndef COROTRACER_DIFF_H
#define COROTRACER_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"
#include "corotracer/report.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The tables use these macros: a caller's own are saved here and restored after the tables. */
#pragma push_macro("M")
#pragma push_macro("C")
#undef M
#undef C

enum ct_measure {
#define M(name, text, is_time, tells_presence, meaning) CT_MEASURE_##name,
#include "corotracer/def/measures.def"
#undef M
	CT_NR_MEASURES,
};

/* ct_measure_name: returns the name in def/measures.def; never NULL; "unknown" for a number that is not listed. */
const char *ct_measure_name(enum ct_measure measure);

enum ct_change {
	CT_CHANGE_NONE = 0,
#define C(name, text, meaning) CT_CHANGE_##name,
#include "corotracer/def/changes.def"
#undef C
	CT_NR_CHANGES,
};

#pragma pop_macro("M")
#pragma pop_macro("C")

/* ct_change_name: returns the name in def/changes.def; never NULL; "none" for CT_CHANGE_NONE. */
const char *ct_change_name(enum ct_change change);

/* The statistic by which a run's durations are compared. */
enum ct_diff_statistic {
	CT_DIFF_P50 = 0,
	CT_DIFF_P90,
	CT_DIFF_P99,
	CT_DIFF_MEAN,
};

struct ct_diff_options {
	size_t size;
	enum ct_diff_statistic statistic;
	double significance; /* how often a comparison of equals may report a difference; 0: 0.05 */
	double least;        /* tested differences are reported from this factor on; 0: 1.05 */
	double factor;       /* untested differences are reported from this factor on; 0: 2 */
};

/* One measure at one place, compared. The texts belong to the diff. */
struct ct_difference {
	enum ct_change change;
	enum ct_measure measure;
	const char *what; /* name of a region, task or counter, or the finding's rule; else "" */
	/* the place in words, from the runs after, or else from those before */
	const char *place;
	const char *function; /* "": not known */
	const char *file;     /* the last part of its path; "": not known */
	uint64_t line_before; /* 0: not known, or not in these runs */
	uint64_t line_after;
	uint32_t nr_before; /* number of runs that have the measure here */
	uint32_t nr_after;
	uint64_t count_before; /* how often it was measured, in all these runs */
	uint64_t count_after;
	/*
	 * Times: the geometric mean over the runs, in nanoseconds. Numbers: the mean. NaN: nothing was measured.
	 */
	double before;
	double after;
	double significance; /* corrected for the number of comparisons; NaN: not tested */
};

struct ct_diff;

/*
 * ct_diff_new: makes a diff without runs, which the caller frees. `options` may be NULL. CT_ERR_USAGE: an option is out
 * of range.
 * ct_diff_free: frees the diff. NULL is allowed.
 */
enum ct_status ct_diff_new(
	const struct ct_diff_options *options, struct ct_diff **ret_diff, struct ct_error *reterr);
void ct_diff_free(struct ct_diff *diff);

/* ct_diff_add: adds one run to one of the sides. The report is read during the call, and may be freed afterwards. */
enum ct_status ct_diff_add(struct ct_diff *diff, bool is_after, const struct ct_report *report,
	struct ct_error *reterr);

/*
 * ct_diff_judge: compares the runs added so far. CT_ERR_USAGE: a side has no runs. The call may be repeated after
 * adding more runs.
 */
enum ct_status ct_diff_judge(struct ct_diff *diff, struct ct_error *reterr);

/*
 * ct_diff_peek: returns all comparisons; what changed comes first, in the order of changes.def, the largest change
 * first. Valid until the next call with this diff. ct_diff_is_tested: returns whether there were enough runs for a
 * test.
 */
const struct ct_difference *ct_diff_peek(const struct ct_diff *diff, uint32_t *ret_count);
bool ct_diff_is_tested(const struct ct_diff *diff);

enum ct_diff_format {
	CT_DIFF_TEXT = 0,
	CT_DIFF_MARKDOWN,
	CT_DIFF_JSON,
};

struct ct_diff_write_options {
	size_t size;
	enum ct_diff_format format;
	const char *before; /* names of the sides; NULL: before, after */
	const char *after;
};

/* ct_diff_write: writes the comparison to a file, whole or not at all; "-" is standard output. */
enum ct_status ct_diff_write(const struct ct_diff *diff,
	const struct ct_diff_write_options *options, const char *path, struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
