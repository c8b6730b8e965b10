/* SPDX-License-Identifier: MIT */
/*
 * The place of an event among those of other streams, defined once for all sources.
 *
 * Within a stream the order is as written, whatever the times say; so an event's place is the latest time that its
 * stream has shown so far. A time long after the end of observation cannot be true: it does not move the place, because
 * otherwise one broken record would move the rest of its stream to the end.
 */
#ifndef STREAM_ORDER_H
#define STREAM_ORDER_H

#include "corotracer/event.h"

#define ORDER_FIRST INT64_MIN               /* the place before a stream's first event */
#define ORDER_SLACK_NS INT64_C(60000000000) /* after the end of observation */

#define ORDER_REACH_NS INT64_C(5000) /* of a counter, if it was not measured */
#define ORDER_LEAST_REACH_NS \
	INT64_C(1000) /* of clock readings of two cores, and the instructions around them */

/*
 * order_reach: returns how far a time-stamp may lie before its event. Within this distance the order of events of two
 * threads is not certain.
 */
static inline int64_t order_reach(const struct ct_tables *tables)
{
	int64_t reach = ORDER_LEAST_REACH_NS;

	if (tables->reach_ns > reach)
		reach = tables->reach_ns;
	if (tables->clock_skew_ns > reach)
		reach = tables->clock_skew_ns;
	return reach < ORDER_SLACK_NS ? reach : ORDER_SLACK_NS;
}

/* order_limit: returns the latest time that is believed. */
static inline ct_time order_limit(const struct ct_tables *tables)
{
	return tables->observed_until > INT64_MAX - ORDER_SLACK_NS
		       ? INT64_MAX
		       : tables->observed_until + ORDER_SLACK_NS;
}

/* order_place: returns the place of an event, given the place of the previous event in its stream. */
static inline ct_time order_place(ct_time before, ct_time time, ct_time limit)
{
	return time > before && time <= limit ? time : before;
}

#endif
