/* SPDX-License-Identifier: MIT */
/*
 * From series to differences: the mean of each side, the two tests, and the verdict.
 *
 * Times and numbers are one family of tests; the presence of places is the other. In one family, the places that come
 * and go by chance, of which some programs have many, would hide what became slower. Each family gets half of the
 * significance.
 */
#include <math.h>

#include "diff/diff.h"
#include "diff/permute.h"

#define FAMILIES 2.0
/* Without a test: a smaller change is an accident, or the clock's. */
#define LEAST_COUNT 10u /* on one side */
#define LEAST_NS 1000

/* ---------------------------------------------------------------- the sides */

/* The value that is averaged: for times the logarithm, so that twice and half are equally far from the original. */
static double averaged(const struct diff_series *series, double value)
{
	return diff_is_time(series->difference.measure) ? log(value + 1) : value;
}

static double mean_of_side(
	const struct ct_diff *diff, const struct diff_series *series, bool is_after)
{
	double sum = 0, count = 0;
	size_t i;

	for (i = 0; i < diff->runs.count; i++)
		if (diff->runs.at[i] == is_after && !isnan(series->values[i])) {
			sum += averaged(series, series->values[i]);
			count++;
		}
	if (count == 0)
		return (double)NAN;
	return diff_is_time(series->difference.measure) ? exp(sum / count) - 1 : sum / count;
}

/* Do they differ by this factor or more, whatever the sign? */
static bool are_apart(double before, double after, double factor)
{
	double far = fmax(fabs(before), fabs(after));

	return far > 0 && fabs(after - before) >= far * (1 - 1 / factor);
}

static bool differs_by(const struct ct_difference *difference, double factor)
{
	return are_apart(difference->before, difference->after, factor);
}

static double mean_going_on(
	const struct ct_diff *diff, const struct diff_series *series, bool is_after)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < diff->runs.count; i++)
		if (diff->runs.at[i] == is_after)
			sum += (double)series->nr_going_on[i];
	return sum / (is_after ? diff->nr_after : diff->nr_before);
}

/*
 * Times are those of what has ended. If the numbers of what has not ended differ, the times are times of different
 * things. Over many runs these numbers vary, as a server's idle connections do.
 */
static bool is_comparable(const struct ct_diff *diff, const struct diff_series *series)
{
	double before = mean_going_on(diff, series, false);
	double after = mean_going_on(diff, series, true);

	return diff->is_tested ? !are_apart(before, after, diff->options.factor) : before == after;
}

/* ---------------------------------------------------------------- the tests */

typedef double value_of(const struct diff_series *series, size_t run);

/* Counters are scaled by the largest value of all runs. */
static double value_in(const struct diff_series *series, size_t run)
{
	return averaged(series, series->values[run]);
}

static double presence_in(const struct diff_series *series, size_t run)
{
	return series->is_there[run] ? 1 : 0;
}

static bool has_all_values(const struct ct_diff *diff, const struct diff_series *series)
{
	size_t i;

	for (i = 0; i < diff->runs.count; i++)
		if (isnan(series->values[i]))
			return false;
	return true;
}

/*
 * A place that is in every run says nothing by its presence. A finding needs no test, because its evidence is proof
 * enough.
 */
static bool comes_and_goes(const struct ct_diff *diff, const struct diff_series *series)
{
	return diff_tells_presence(series->difference.measure) &&
	       series->difference.measure != CT_MEASURE_FINDING &&
	       series->difference.nr_before + series->difference.nr_after < diff->runs.count;
}

/* Fills one row of a test: the runs before come first. */
static void fill_row(
	const struct ct_diff *diff, const struct diff_series *series, value_of *of, double *row)
{
	double largest = 0;
	size_t i, before = 0, after = diff->nr_before;

	for (i = 0; i < diff->runs.count; i++) {
		double value = of(series, i);

		row[diff->runs.at[i] ? after++ : before++] = value;
		largest = fmax(largest, fabs(value));
	}
	if (diff_is_time(series->difference.measure) || largest == 0)
		return;
	for (i = 0; i < diff->runs.count; i++)
		row[i] /= largest;
}

/* Tests together all series for which `belongs` is true. */
static bool test(struct ct_diff *diff,
	bool (*belongs)(const struct ct_diff *diff, const struct diff_series *series), value_of *of)
{
	size_t nr_runs = diff->runs.count, nr_rows = 0, i;
	double *values, *significance;
	uint32_t *rows;

	values = arena_array(&diff->judged, diff->series.count * nr_runs + 1, sizeof(*values));
	significance = arena_array(&diff->judged, diff->series.count + 1, sizeof(*significance));
	rows = arena_array(&diff->judged, diff->series.count + 1, sizeof(*rows));
	if (!values || !significance || !rows)
		return false;
	for (i = 0; i < diff->series.count; i++) {
		if (!belongs(diff, &diff->series.at[i]))
			continue;
		fill_row(diff, &diff->series.at[i], of, &values[nr_rows * nr_runs]);
		rows[nr_rows++] = (uint32_t)i;
	}
	if (!diff_permute(values, (uint32_t)nr_rows, diff->nr_before, diff->nr_after, significance))
		return false;
	for (i = 0; i < nr_rows; i++)
		diff->series.at[rows[i]].difference.significance =
			fmin(1, FAMILIES * significance[i]);
	return true;
}

static bool test_all(struct ct_diff *diff)
{
	diff->is_tested = FAMILIES * diff_least_significance(diff->nr_before, diff->nr_after) <=
			  diff->options.significance;
	return !diff->is_tested ||
	       (test(diff, has_all_values, value_in) && test(diff, comes_and_goes, presence_in));
}

/* ---------------------------------------------------------------- the verdicts */

static enum ct_change presence_of(const struct ct_difference *difference)
{
	if (!diff_tells_presence(difference->measure))
		return CT_CHANGE_NONE;
	if (!difference->nr_before)
		return CT_CHANGE_NEW;
	return difference->nr_after ? CT_CHANGE_NONE : CT_CHANGE_GONE;
}

static enum ct_change direction_of(const struct ct_difference *difference)
{
	bool is_up = difference->after > difference->before;

	if (diff_is_time(difference->measure))
		return is_up ? CT_CHANGE_SLOWER : CT_CHANGE_FASTER;
	return is_up ? CT_CHANGE_MORE : CT_CHANGE_FEWER;
}

static enum ct_change change_untested(
	const struct ct_diff *diff, const struct ct_difference *difference)
{
	bool is_accident =
		diff_is_time(difference->measure) &&
		(difference->count_before < LEAST_COUNT || difference->count_after < LEAST_COUNT ||
			fabs(difference->after - difference->before) < LEAST_NS);

	if (is_accident || isnan(difference->before) || isnan(difference->after) ||
		!differs_by(difference, diff->options.factor))
		return CT_CHANGE_NONE;
	return direction_of(difference);
}

static enum ct_change change_of(const struct ct_diff *diff, const struct ct_difference *difference)
{
	enum ct_change presence = presence_of(difference);
	bool is_significant = difference->significance <= diff->options.significance;

	if (difference->measure == CT_MEASURE_FINDING || (presence && !diff->is_tested))
		return presence;
	if (!diff->is_tested)
		return change_untested(diff, difference);
	if (!is_significant)
		return CT_CHANGE_NONE;
	if (presence || (diff_tells_presence(difference->measure) &&
				difference->nr_before + difference->nr_after < diff->runs.count))
		return presence;
	return differs_by(difference, diff->options.least) ? direction_of(difference)
							   : CT_CHANGE_NONE;
}

static enum ct_change change_of_series(const struct ct_diff *diff, const struct diff_series *series)
{
	enum ct_change change = change_of(diff, &series->difference);
	bool is_of_time = change == CT_CHANGE_SLOWER || change == CT_CHANGE_FASTER;

	return is_of_time && !is_comparable(diff, series) ? CT_CHANGE_NONE : change;
}

bool diff_compare(struct ct_diff *diff)
{
	size_t i;

	for (i = 0; i < diff->series.count; i++) {
		struct diff_series *series = &diff->series.at[i];

		series->difference.before = mean_of_side(diff, series, false);
		series->difference.after = mean_of_side(diff, series, true);
		series->difference.significance = (double)NAN;
	}
	if (!test_all(diff))
		return false;
	for (i = 0; i < diff->series.count; i++)
		diff->series.at[i].difference.change = change_of_series(diff, &diff->series.at[i]);
	return true;
}
