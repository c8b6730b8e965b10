/* SPDX-License-Identifier: MIT */
/*
 * Overlooked waits: a wait at a place where all waits ended at once, which those that end such waits have passed by
 * again and again.
 *
 * Idle workers look alike, except that nobody owes them a message or a notify. A coroutine that waits for the end of
 * work, for a lock, or for room to send has a claim. No worker is passed by those that came later. And if the work just
 * takes long, one of those that end such waits is at it, and does nothing else meanwhile.
 */
#ifndef ANALYZE_OVERLOOKED_H
#define ANALYZE_OVERLOOKED_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_overlooked_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_overlooked_watcher;

/* analyze_overlooked_survey: notes who has living children, once the whole trace was read. */
void analyze_overlooked_survey(const struct analysis *analysis);

/*
 * analyze_overlooked_is: has the coroutine waited a thousand times longer than any of at least twenty waits there,
 * all of which were ended by coroutines, started at three places at most? Since it waits, these must have gone on at
 * least a hundred times from the place from which they did that before, and none of them may be still at it.
 *
 * analyze_overlooked_is_passed: have at least twenty waits ended at the same place since, the last of which had begun
 * later, and not in the order of a stack?
 */
bool analyze_overlooked_is(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_overlooked_is_passed(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_overlooked_is_among_unserved: is `coro` stuck because nobody is left to end its wait but coroutines that were
 * never woken? At least twenty waits where it waits were ended by coroutines that were started at three places at most,
 * and it has waited ten times longer than any of those. All living coroutines that were started there wait where `coro`
 * has woken others, since before any wait there ended; at least twenty have ended there. An idle pool in which always
 * the same worker is served looks alike, but that worker lives. And coroutines are left that wake where those wait:
 * otherwise their own waits are reported. analyze_overlooked_tell_unserved: adds the evidence.
 */
bool analyze_overlooked_is_among_unserved(
	const struct analysis *analysis, const struct model_coro *coro);
void analyze_overlooked_tell_unserved(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/*
 * analyze_overlooked_is_left: has the coroutine waited ten times longer than any of at least a hundred waits there, for
 * something that is not recorded, while at least a hundred that began later ended, and had several of its own ended
 * there before? Waits there must end in their order since, or in none. The wait is in a function that is called a lock;
 * or, where all waits of a coroutine share one place, at least three of its kind began to wait so with it.
 * analyze_overlooked_tell_overtaken: adds the evidence.
 */
bool analyze_overlooked_is_left(const struct analysis *analysis, const struct model_coro *coro);
void analyze_overlooked_tell_overtaken(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/* analyze_overlooked_tell: adds the evidence. */
void analyze_overlooked_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
