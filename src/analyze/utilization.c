/* SPDX-License-Identifier: MIT */
/*
 * Minimum mutator utilisation: of all windows of one length, the share of the machine that was left to the program in
 * the worst window. https://doi.org/10.1145/378795.378823
 *
 * The number of collecting processors changes in steps. The mean over a window, as a function of the window's
 * beginning, is therefore piecewise linear, with bends where an edge of the window meets a step, and its minimum is
 * at a bend. One pass over all steps suffices for both edges.
 */
#include "analyze/parts.h"

#define WINDOWS_STEP 3.16227766016837933 /* the square root of ten */
#define WINDOW_FIRST_NS 1000.0
#define WINDOW_LAST_NS 1e9
#define WINDOWS_MOST 16u

struct curve {
	const struct model_share *shares;
	size_t count;
	ct_time until;
	const double *sums; /* processor time left to the program up to each step, in ns */
};

static double left_of(const struct model_share *share)
{
	if (!share->nr_processors)
		return 1;
	return 1 - (double)share->nr_collecting / (double)share->nr_processors;
}

static ct_time end_of(const struct curve *curve, size_t step)
{
	return step + 1 < curve->count ? curve->shares[step + 1].time : curve->until;
}

/* The time left to the program up to a time within this step. */
static double sum_until(const struct curve *curve, size_t step, ct_time time)
{
	return curve->sums[step] +
	       left_of(&curve->shares[step]) * (double)(time - curve->shares[step].time);
}

/* The least time left to the program in a window of this length that begins, or else ends, with a step. */
static double least_beside(const struct curve *curve, int64_t window_ns, bool begins)
{
	ct_time first = curve->shares[0].time;
	double least = (double)window_ns;
	size_t i, other = 0;

	for (i = 0; i <= curve->count; i++) {
		ct_time at = i < curve->count ? curve->shares[i].time : curve->until;
		ct_time from = begins ? at : at - window_ns, until = from + window_ns;
		size_t step = i < curve->count ? i : curve->count - 1;
		double sum;

		if (from < first || until > curve->until)
			continue;
		while (other + 1 < curve->count && end_of(curve, other) < (begins ? until : from))
			other++;
		sum = begins ? sum_until(curve, other, until) - sum_until(curve, step, from)
			     : sum_until(curve, step, until) - sum_until(curve, other, from);
		least = sum < least ? sum : least;
	}
	return least;
}

static double least_of(const struct curve *curve, int64_t window_ns)
{
	double begins = least_beside(curve, window_ns, true);
	double ends = least_beside(curve, window_ns, false);
	double least = (begins < ends ? begins : ends) / (double)window_ns;

	return least < 0 ? 0 : least;
}

static const double *sum_up(struct analysis *analysis, const struct curve *curve)
{
	double *sums = analyze_scratch(analysis, curve->count, sizeof(*sums));
	size_t i;

	if (!sums)
		return NULL;
	sums[0] = 0;
	for (i = 1; i < curve->count; i++)
		sums[i] = sums[i - 1] +
			  left_of(&curve->shares[i - 1]) *
				  (double)(curve->shares[i].time - curve->shares[i - 1].time);
	return sums;
}

static bool has_collected(const struct curve *curve)
{
	size_t i;

	for (i = 0; i < curve->count; i++)
		if (curve->shares[i].nr_collecting)
			return true;
	return false;
}

void analyze_utilization_export(struct analysis *analysis, const struct model_runtime *runtime,
	ct_time until, struct ct_runtime *ret_runtime)
{
	struct curve curve = {
		.shares = runtime->shares.at, .count = runtime->shares.count, .until = until};
	struct ct_utilization *rows;
	double ns = WINDOW_FIRST_NS;
	int64_t whole_ns;
	unsigned i;

	if (!has_collected(&curve) || curve.shares[0].time >= until)
		return;
	curve.sums = sum_up(analysis, &curve);
	rows = analyze_array(analysis, WINDOWS_MOST, sizeof(*rows));
	if (!curve.sums || !rows)
		return;
	whole_ns = until - curve.shares[0].time;
	ret_runtime->utilization_mean =
		sum_until(&curve, curve.count - 1, until) / (double)whole_ns;
	for (i = 0; i < WINDOWS_MOST; i++, ns *= WINDOWS_STEP) {
		if (ns > WINDOW_LAST_NS || ns > (double)whole_ns)
			break;
		rows[i] = (struct ct_utilization){
			.window_ns = (int64_t)ns, .least = least_of(&curve, (int64_t)ns)};
	}
	ret_runtime->utilization = rows;
	ret_runtime->nr_utilization = i;
}
