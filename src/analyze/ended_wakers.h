/* SPDX-License-Identifier: MIT */
/*
 * Ended wakers: coroutines of one kind ended waits at a place, beside threads or others from outside, and all of that
 * kind have ended. Where the place of a wait is only where the task was started, as in Rust, its timers end waits
 * there, too. (analyze/wakers.h has those places at which only coroutines end waits.)
 */
#ifndef ANALYZE_ENDED_WAKERS_H
#define ANALYZE_ENDED_WAKERS_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_ended_wakers_watcher: the watcher that records the kind of the wakers; the judgement registers it. */
extern const struct model_watcher analyze_ended_wakers_watcher;

/*
 * analyze_ended_wakers_tell: adds evidence if coroutines that were started at one place ended at least three waits
 * where `coro` waits, if something from outside ended the others, and none of these coroutines is left.
 */
void analyze_ended_wakers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
