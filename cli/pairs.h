/* SPDX-License-Identifier: MIT */
/*
 * Ratios of pairs of runs: their median, and an interval that holds the true one.
 */
#ifndef CLI_PAIRS_H
#define CLI_PAIRS_H

#include <stddef.h>

struct pairs {
	double median;
	double low; /* the interval; both 0 where there are too few pairs for one */
	double high;
	double coverage; /* 0.979: so often such an interval holds the median of all that could be measured */
};

#define PAIRS_COVERAGE 0.95

/*
 * pairs_of: from values in any order, which it sorts. The interval lies between two of the values, so that it holds for
 * any distribution: that the median lies below k of n is binomial. The narrowest with a coverage of at least
 * PAIRS_COVERAGE is taken; below six values there is none.
 */
struct pairs pairs_of(double *values, size_t count);

#endif
