/* SPDX-License-Identifier: MIT */
/*
 * Unanswered requests: a coroutine has put something into a channel, and waits. Each time before, the coroutine that
 * took it ended the wait before it took anything else; this time it has gone on without that, and cannot have passed it
 * on: it has put nothing into another channel meanwhile, and has started nobody.
 *
 * What is put first is taken first: a channel with another order breaks the habit, and nothing is said.
 */
#ifndef ANALYZE_UNANSWERED_H
#define ANALYZE_UNANSWERED_H

#include <stdint.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_unanswered_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_unanswered_watcher;

/*
 * analyze_unanswered_taker: returns the living coroutine that took what this one had put just before its wait, and has
 * taken something else since, or waits for that. At least three waits at the place must have been ended in turn, and
 * ten times as many as otherwise. 0: there is none.
 *
 * analyze_unanswered_site: returns the place from which the last such wait was ended; 0: none was.
 *
 * analyze_unanswered_tell: adds the taking as a step, and evidence of the habit; nothing if there is no such taker.
 */
uint32_t analyze_unanswered_taker(const struct analysis *analysis, const struct model_coro *coro);
uint32_t analyze_unanswered_site(const struct analysis *analysis, const struct model_coro *coro);
void analyze_unanswered_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/*
 * analyze_unanswered_is_for_room: does the coroutine certainly wait for room in a queue? Python's two ends of a queue
 * have handles next to each other, of which the odd one is room. That more was taken than given says nothing alone: an
 * item may have been put there unseen.
 */
bool analyze_unanswered_is_for_room(const struct analysis *analysis, const struct model_coro *coro);

#endif
