/* SPDX-License-Identifier: MIT */
/*
 * Spent permits: those that wait at a place give each other what they wait for there, such as a lock, a permit, or a
 * connection of a pool. All of them have come back for it since it was last given, and whose time is up goes on without
 * it: none of them has it any more, so that it was taken and not given back.
 *
 * Mailboxes look alike if those that wait in them send to each other, and are ticked by timers. But each has its own,
 * while those that wait for a permit are served in their order, and by no one else.
 */
#ifndef ANALYZE_SPENT_H
#define ANALYZE_SPENT_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_spent_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_spent_watcher;

/*
 * analyze_spent_is: has the coroutine waited ten times longer than any wait there took, where at least a hundred waits
 * were ended by coroutines that were started where those were that wait there, in the order in which the waits began,
 * and none by other coroutines? None has been ended so for a time five times longer than ever before, and longer than
 * `standstill.time`; at least twenty waits that began since then ended otherwise, not in the order of a stack; and all
 * living coroutines that were started there have come back to wait there since. analyze_spent_tell: adds the evidence.
 */
bool analyze_spent_is(const struct analysis *analysis, const struct model_coro *coro);
void analyze_spent_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
