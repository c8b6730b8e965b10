/* SPDX-License-Identifier: MIT */
/*
 * What could end a coroutine's last wait, by what is recorded of that wait alone: the resource, and the time at which
 * the wait ends by itself. The one answer for all rules; whether such a time is still to come is a question of its own.
 */
#ifndef ANALYZE_WAIT_H
#define ANALYZE_WAIT_H

#include <stdbool.h>

#include "model/model.h"

/* analyze_wait_is_sleep: is the clock itself what is waited for? */
static inline bool analyze_wait_is_sleep(const struct model_coro *coro)
{
	return CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_TIMER;
}

/* analyze_wait_is_timed: was the clock to end the wait, whatever else could, and whenever? */
static inline bool analyze_wait_is_timed(const struct model_coro *coro)
{
	return analyze_wait_is_sleep(coro) || coro->rare->deadline != CT_NO_TIME;
}

/* analyze_wait_is_until_later: is the wait recorded to end by itself, at a time after `end`? */
static inline bool analyze_wait_is_until_later(const struct model_coro *coro, ct_time end)
{
	return coro->rare->deadline > end; /* CT_NO_TIME comes before all times */
}

/* analyze_wait_may_expire: may the clock still end the wait after `end`, at a time that is recorded or not? */
static inline bool analyze_wait_may_expire(const struct model_coro *coro, ct_time end)
{
	return coro->rare->deadline != CT_NO_TIME ? coro->rare->deadline > end
						  : analyze_wait_is_sleep(coro);
}

/* analyze_wait_is_for_outside: is what is waited for a matter of the kernel: a descriptor, a process, the clock? */
static inline bool analyze_wait_is_for_outside(const struct model_coro *coro)
{
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	return kind == CTP_RESOURCE_DESCRIPTOR || kind == CTP_RESOURCE_NETWORK ||
	       kind == CTP_RESOURCE_PROCESS || kind == CTP_RESOURCE_TIMER;
}

/* analyze_wait_is_for_ends: is it for the end of others that the trace does not name? */
static inline bool analyze_wait_is_for_ends(const struct model_coro *coro)
{
	return coro->wait_object == CTP_HANDLE(CTP_RESOURCE_EVENT, 0);
}

/* analyze_wait_is_for_channel: is it for a channel that the trace does not name? */
static inline bool analyze_wait_is_for_channel(const struct model_coro *coro)
{
	return coro->wait_object == CTP_HANDLE(CTP_RESOURCE_CHANNEL, 0);
}

#endif
