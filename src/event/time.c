/* SPDX-License-Identifier: MIT */
/* Differences of times, either of which may be unknown. */
#include "corotracer/event.h"

int64_t ct_time_between(ct_time from, ct_time until)
{
	int64_t ns;

	if (from == CT_NO_TIME || until == CT_NO_TIME || until <= from)
		return 0;
	return __builtin_sub_overflow(until, from, &ns) ? INT64_MAX : ns;
}
