/* SPDX-License-Identifier: MIT */
/*
 * The test: which of many series differ between two groups of runs by more than chance, all series taken together.
 *
 * If the groups did not differ, any division of the runs into two groups of these sizes would have been as likely as
 * the actual one. Each division has, for each series, a distance between the groups. The significance of a series is
 * the share of divisions in which the largest distance of any series is at least the series' own distance (Westfall and
 * Young's step-down maxT). That limits the probability of one false alarm among all series, however they depend on each
 * other, without assuming any distribution.
 */
#ifndef DIFF_PERMUTE_H
#define DIFF_PERMUTE_H

#include <stdbool.h>
#include <stdint.h>

/* If there are more divisions than this, only this many are drawn, by a generator with a fixed seed. */
#define DIFF_MOST_DIVISIONS 5000u

/* diff_least_significance: the smallest significance that this many runs can yield. */
double diff_least_significance(uint32_t nr_before, uint32_t nr_after);

/*
 * diff_permute: `values` has nr_series rows of nr_before + nr_after cells, none of them NaN. A difference of 0.01
 * within a row must be small: values are logarithms, or scaled to 1. ret_significance has one cell for each row. False:
 * out of memory.
 */
bool diff_permute(const double *values, uint32_t nr_series, uint32_t nr_before, uint32_t nr_after,
	double *ret_significance);

#endif
