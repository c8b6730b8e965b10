/* SPDX-License-Identifier: MIT */
/*
 * The test: which of many series differ between two groups of runs by more than chance, all of them together
 * considered.
 *
 * Were the groups alike, any division of the runs into two of these sizes would have been as likely as the one that was
 * made. Each division has, for each series, a distance between the groups; a series is as significant as the share of
 * divisions in which the largest distance of any series is at least its own (Westfall and Young's step-down maxT). That
 * bounds the chance of one false alarm among all series, however they depend on each other, and presumes no
 * distribution.
 */
#ifndef DIFF_PERMUTE_H
#define DIFF_PERMUTE_H

#include <stdbool.h>
#include <stdint.h>

/* More divisions than these are not all tried, but so many drawn, by a generator that always begins alike. */
#define DIFF_MOST_DIVISIONS 5000u

/* diff_least_significance: the smallest one that so many runs can yield. */
double diff_least_significance(uint32_t nr_before, uint32_t nr_after);

/*
 * diff_permute: `values` has nr_series rows of nr_before + nr_after cells, none NaN; where a row's values differ by a
 * hundredth, that is small: they are logarithms, or scaled to 1. ret_significance has one cell for each row. False: out
 * of memory.
 */
bool diff_permute(const double *values, uint32_t nr_series, uint32_t nr_before, uint32_t nr_after,
	double *ret_significance);

#endif
