/* SPDX-License-Identifier: MIT */
/*
 * Divisions of the runs, distances between the groups, and the largest distances, stepping down.
 */
#include <math.h>
#include <stdlib.h>

#include "diff/permute.h"

/*
 * Added to the spread within the groups: if all runs agree to the last digit, a difference in that digit is not a
 * difference.
 */
#define GRAIN 0.01
#define ROUNDING 1e-9

struct test {
	double *values;  /* each row minus its mean, in the order of `ranks` */
	double *squares; /* the sum of squares of each row */
	double *observed;
	uint32_t *
		nr_reached; /* for each rank: divisions whose largest distance from here on is at least the row's */
	uint32_t *ranks;  /* rows, the largest distance first */
	uint32_t *chosen; /* runs; the group before comes first */
	uint32_t nr_series;
	uint32_t nr_before;
	uint32_t nr_runs;
	uint32_t nr_divisions;
	uint64_t random;
};

static double nr_divisions(uint32_t nr_before, uint32_t nr_after)
{
	double count = 1;
	uint32_t i;

	for (i = 1; i <= nr_before; i++)
		count = count * (nr_after + i) / i;
	return round(count);
}

/* If both groups have the same size, each division has a twin with the sides exchanged and the same distance. */
double diff_least_significance(uint32_t nr_before, uint32_t nr_after)
{
	double count = nr_divisions(nr_before, nr_after);

	if (count > DIFF_MOST_DIVISIONS)
		return 1.0 / (DIFF_MOST_DIVISIONS + 1);
	return (nr_before == nr_after ? 2 : 1) / count;
}

/* Student's t, with the grain added to the denominator. */
static double distance(const struct test *test, const double *values, double squares)
{
	double n = test->nr_before, m = test->nr_runs - test->nr_before, sum = 0, within;
	uint32_t i;

	for (i = 0; i < test->nr_before; i++)
		sum += values[test->chosen[i]];
	within = squares - sum * sum / n - sum * sum / m;
	if (within < 0 || test->nr_runs < 3)
		within = 0;
	else
		within = sqrt(within / (n + m - 2) * (1 / n + 1 / m));
	return fabs(sum / n + sum / m) / (within + GRAIN);
}

/* The mean of each row is made 0, so the sum of one group is the negative sum of the other. */
static void centre(struct test *test, uint32_t row, const double *values)
{
	double *centred = &test->values[(size_t)row * test->nr_runs], mean = 0;
	uint32_t i;

	for (i = 0; i < test->nr_runs; i++)
		mean += values[i] / test->nr_runs;
	test->squares[row] = 0;
	for (i = 0; i < test->nr_runs; i++) {
		centred[i] = values[i] - mean;
		test->squares[row] += centred[i] * centred[i];
	}
}

static double distance_of(const struct test *test, uint32_t row)
{
	return distance(test, &test->values[(size_t)row * test->nr_runs], test->squares[row]);
}

static void count_division(struct test *test)
{
	double largest = 0;
	uint32_t i;

	test->nr_divisions++;
	for (i = test->nr_series; i-- > 0;) {
		uint32_t row = test->ranks[i];

		largest = fmax(largest, distance_of(test, row));
		test->nr_reached[row] += largest >= test->observed[row] * (1 - ROUNDING);
	}
}

/*
 * Makes the next choice of nr_before runs, in lexical order; the order of the others does not matter. False: there is
 * no further choice.
 */
static bool next_choice(struct test *test)
{
	uint32_t i = test->nr_before, j;

	while (i > 0 && test->chosen[i - 1] == test->nr_runs - test->nr_before + i - 1)
		i--;
	if (i == 0)
		return false;
	test->chosen[i - 1]++;
	for (j = i; j < test->nr_before; j++)
		test->chosen[j] = test->chosen[j - 1] + 1;
	return true;
}

/* The generator splitmix64. */
static uint64_t draw(struct test *test)
{
	uint64_t z = test->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void draw_choice(struct test *test)
{
	uint32_t i;

	for (i = 0; i < test->nr_before; i++) {
		uint32_t other = i + (uint32_t)(draw(test) % (test->nr_runs - i));
		uint32_t run = test->chosen[i];

		test->chosen[i] = test->chosen[other];
		test->chosen[other] = run;
	}
}

/* The actual division is one of them, and is counted first. */
static void count_divisions(struct test *test)
{
	bool are_all_tried = nr_divisions(test->nr_before, test->nr_runs - test->nr_before) <=
			     DIFF_MOST_DIVISIONS;
	uint32_t i;

	count_division(test);
	while (are_all_tried && next_choice(test))
		count_division(test);
	for (i = 0; !are_all_tried && i < DIFF_MOST_DIVISIONS; i++) {
		draw_choice(test);
		count_division(test);
	}
}

static bool test_init(struct test *test)
{
	size_t nr_series = test->nr_series;

	test->values = calloc(nr_series * test->nr_runs, sizeof(*test->values));
	test->squares = calloc(nr_series, sizeof(*test->squares));
	test->observed = calloc(nr_series, sizeof(*test->observed));
	test->nr_reached = calloc(nr_series, sizeof(*test->nr_reached));
	test->ranks = calloc(nr_series, sizeof(*test->ranks));
	test->chosen = calloc(test->nr_runs, sizeof(*test->chosen));
	return test->values && test->squares && test->observed && test->nr_reached && test->ranks &&
	       test->chosen;
}

static void test_fini(struct test *test)
{
	free(test->values);
	free(test->squares);
	free(test->observed);
	free(test->nr_reached);
	free(test->ranks);
	free(test->chosen);
}

static int compare_observed(const void *a, const void *b, void *context)
{
	const double *observed = context;
	double x = observed[*(const uint32_t *)a], y = observed[*(const uint32_t *)b];

	return (x < y) - (x > y);
}

static void observe(struct test *test, const double *values)
{
	uint32_t i;

	for (i = 0; i < test->nr_runs; i++)
		test->chosen[i] = i;
	for (i = 0; i < test->nr_series; i++) {
		centre(test, i, &values[(size_t)i * test->nr_runs]);
		test->observed[i] = distance_of(test, i);
		test->ranks[i] = i;
	}
	qsort_r(test->ranks, test->nr_series, sizeof(*test->ranks), compare_observed,
		test->observed);
}

/* A series must not be more significant than one with a larger distance. */
static void tell(const struct test *test, double *ret_significance)
{
	double least = 0;
	uint32_t i;

	for (i = 0; i < test->nr_series; i++) {
		uint32_t row = test->ranks[i];

		least = fmax(least, (double)test->nr_reached[row] / test->nr_divisions);
		ret_significance[row] = least;
	}
}

bool diff_permute(const double *values, uint32_t nr_series, uint32_t nr_before, uint32_t nr_after,
	double *ret_significance)
{
	struct test test = {
		.nr_series = nr_series, .nr_before = nr_before, .nr_runs = nr_before + nr_after};
	bool has_memory;

	if (nr_series == 0)
		return true;
	has_memory = test_init(&test);
	if (has_memory) {
		observe(&test, values);
		count_divisions(&test);
		tell(&test, ret_significance);
	}
	test_fini(&test);
	return has_memory;
}
