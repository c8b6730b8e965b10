/* SPDX-License-Identifier: MIT */
/*
 * Ratios of pairs of runs: their median, and an interval that contains the true median.
 */
#ifndef CLI_PAIRS_H
#define CLI_PAIRS_H

#include <stddef.h>

struct pairs {
	double median;
	double low; /* the interval; both 0 if there are too few pairs */
	double high;
	double coverage; /* such as 0.979: the probability that such an interval contains the true median */
};

#define PAIRS_COVERAGE 0.95

/*
 * pairs_of: computes this from values in any order, which it sorts. The ends of the interval are two of the values;
 * because the number of values below the median is binomially distributed, the interval is valid for any distribution.
 * The narrowest interval with a coverage of at least PAIRS_COVERAGE is chosen; with fewer than six values there is
 * none.
 */
struct pairs pairs_of(double *values, size_t count);

#endif
