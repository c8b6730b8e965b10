/* SPDX-License-Identifier: MIT */
/*
 * Stopped clocks: a coroutine waits where waits usually took the same time, and were ended by the thread that keeps
 * the program's timers; but this wait takes far longer, while that thread sleeps or wakes others. The timer was not set
 * for it, or not early enough.
 */
#ifndef ANALYZE_STOPPED_CLOCK_H
#define ANALYZE_STOPPED_CLOCK_H

#include <stdbool.h>

struct analysis;
struct model_coro;
struct story;

/*
 * analyze_stopped_clock_is: is the coroutine such a one? At least twenty waits must have ended at this place. Half of
 * them took at most a tenth as long as this one, nearly all of that half equally long, to within one half, and none
 * took more than a quarter of it. One thread that runs no coroutine must have ended all waits there, and all at another
 * place as well; since then it must have been seen asleep for a time, in no poll. What the wait is for must
 * not be recorded.
 */
bool analyze_stopped_clock_is(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_stopped_clock_tell: adds evidence of the rate, and of the thread. */
void analyze_stopped_clock_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
