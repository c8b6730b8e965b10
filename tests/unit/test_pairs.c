/* SPDX-License-Identifier: MIT */
/*
 * Medians of ratios, and their intervals: compared with the binomial distribution by hand, and with many random
 * samples.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "check.h"
#include "pairs.h"

#define SAMPLES 4000
#define VALUES 12

static void test_by_hand(void)
{
	double ten[] = {1.10, 1.01, 1.09, 1.02, 1.08, 1.03, 1.07, 1.04, 1.06, 1.05};
	double five[] = {3, 1, 2, 5, 4};
	struct pairs pairs = pairs_of(ten, 10);

	/*
	 * Ten values, the second and the ninth: on either side, at most one value lies outside with a probability of 11
	 * in 1,024.
	 */
	CHECK(fabs(pairs.median - 1.055) < 1e-9);
	CHECK(pairs.low == 1.02 && pairs.high == 1.09);
	CHECK(fabs(pairs.coverage - (1 - 22.0 / 1024)) < 1e-9);
	pairs = pairs_of(five, 5);
	CHECK(pairs.median == 3 && pairs.coverage == 0 && pairs.low == 0 && pairs.high == 0);
	CHECK(pairs_of(five, 0).median == 0);
}

static uint64_t state = 20;

/* Not symmetric, because the interval is valid for any distribution. */
static double draw(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return -log(((double)(state >> 11) + 1) / 9007199254740993.0);
}

/* The interval contains the true median as often as stated, within the random error of so many samples. */
static void test_coverage(void)
{
	double values[VALUES], coverage = 0;
	unsigned nr_held = 0, i, j;

	for (i = 0; i < SAMPLES; i++) {
		struct pairs pairs;

		for (j = 0; j < VALUES; j++)
			values[j] = draw();
		pairs = pairs_of(values, VALUES);
		coverage = pairs.coverage;
		nr_held += pairs.low <= log(2) && log(2) <= pairs.high;
	}
	CHECK(coverage >= PAIRS_COVERAGE);
	CHECK(fabs((double)nr_held / SAMPLES - coverage) <
		5 * sqrt(coverage * (1 - coverage) / SAMPLES));
}

int main(void)
{
	test_by_hand();
	test_coverage();
	return check_result();
}
