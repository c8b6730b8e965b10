/* SPDX-License-Identifier: MIT */
/*
 * Waits that timers end: an event loop's time-out runs out, and the loop wakes a coroutine before it runs any. If the
 * loop sleeps without a time-out now, no timer is set that could end a further wait.
 */
#ifndef ANALYZE_BY_TIMER_H
#define ANALYZE_BY_TIMER_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_by_timer_watcher: the watcher that counts for each place which waits ended so; the judgement registers it. */
extern const struct model_watcher analyze_by_timer_watcher;

/*
 * analyze_by_timer_tell: adds evidence if at least three waits ended where `coro` waits, all of them by timers of one
 * thread, and if this thread sleeps now without a time-out.
 */
void analyze_by_timer_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
