/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The probability that at most k of n values lie below the median. */
static double share_below(size_t k, size_t count)
{
	double sum = 0;
	size_t i;

	for (i = 0; i <= k; i++)
		sum += exp(lgamma((double)count + 1) - lgamma((double)i + 1) -
			   lgamma((double)(count - i) + 1) - (double)count * log(2));
	return sum;
}

struct pairs pairs_of(double *values, size_t count)
{
	struct pairs pairs = {0};
	size_t k;

	if (!count)
		return pairs;
	qsort(values, count, sizeof(*values), compare);
	pairs.median = (values[(count - 1) / 2] + values[count / 2]) / 2;
	for (k = 0; k < count / 2; k++) {
		double coverage = 1 - 2 * share_below(k, count);

		if (coverage < PAIRS_COVERAGE)
			break;
		pairs.coverage = coverage;
		pairs.low = values[k];
		pairs.high = values[count - 1 - k];
	}
	return pairs;
}
