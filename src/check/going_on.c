/* SPDX-License-Identifier: MIT */
/*
 * How assertions count what goes on when the trace ends: the time so far may break an upper limit, but never helps to
 * keep one.
 */
#include <math.h>

#include "check/check.h"
#include "say/say.h"

/* If one of them takes longer than `limit`, at least this many do. */
static double nr_longer(const struct ct_going_on *going_on, double limit)
{
	double excess = (double)going_on->total_ns - (double)going_on->count * limit;
	double nr_least = ceil(excess / ((double)going_on->longest_ns - limit));

	return fmin(fmax(nr_least, 1), (double)going_on->count);
}

/* Are there so many times over the limit that the percentile must be over the limit, too? */
static bool is_percentile_over(const struct condition *condition,
	const struct ct_distribution *ended, const struct ct_going_on *going_on)
{
	double count = (double)ended->count + (double)going_on->count;

	return (double)going_on->longest_ns > condition->limit &&
	       nr_longer(going_on, condition->limit) > (1 - condition->share) * count;
}

bool check_passes_limit(const struct condition *condition, const struct ct_distribution *ended,
	const struct ct_going_on *going_on, double *ret_least)
{
	double total = (double)ended->total_ns + (double)going_on->total_ns;

	if (condition->comparison[0] != '<' || !going_on->count)
		return false;
	switch (condition->asked) {
	case CONDITION_STATISTIC_COUNT:
		return false;
	case CONDITION_STATISTIC_TOTAL:
		*ret_least = total;
		break;
	case CONDITION_STATISTIC_MEAN:
		*ret_least = total / ((double)ended->count + (double)going_on->count);
		break;
	case CONDITION_STATISTIC_MAX:
		*ret_least = (double)going_on->longest_ns;
		break;
	default:
		*ret_least = condition->limit;
		return is_percentile_over(condition, ended, going_on);
	}
	return !condition_holds(condition, *ret_least);
}

void check_tell_going_on(const struct ct_going_on *going_on, struct text *text)
{
	if (!going_on->count)
		return;
	text_add(text, "; ");
	text_count(text, going_on->count);
	text_add(text, going_on->count == 1 ? " goes on, for " : " go on, the longest for ");
	say_span(text, 0, going_on->longest_ns);
}
