/* SPDX-License-Identifier: MIT */
/*
 * Circles over a send, a lock and the end of others, where the trace names neither channels nor locks: a coroutine
 * waits to send, the one that always took what it sent waits for a lock, and the one that started it waits for the end
 * of others, since the same moment, perhaps with the lock held.
 */
#ifndef ANALYZE_SEND_CIRCLE_H
#define ANALYZE_SEND_CIRCLE_H

#include <stdbool.h>

struct analysis;
struct model_coro;
struct story;

/*
 * analyze_send_circle_is: is this the coroutine that waits to send, of such a circle? At least ten of its sends there
 * that are kept (wakers_kept.h) must have been ended, all by one coroutine, which waits for a lock, ten times longer
 * than any wait there took. A coroutine's very first wait is not kept, nor what gave way among three places.
 *
 * analyze_send_circle_tell: if so, adds evidence of the other two.
 */
bool analyze_send_circle_is(const struct analysis *analysis, const struct model_coro *coro);
void analyze_send_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
