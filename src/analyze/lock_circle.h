/* SPDX-License-Identifier: MIT */
/*
 * Circles over an unnamed lock (P-104), by the names of functions: a coroutine waits for a lock in a method of a type,
 * and the one that it comes from waits for the end of others in a method of the same type, perhaps with that lock held;
 * or the call that waits was itself made, by way of other code, in a method of the type, which may have the lock.
 */
#ifndef ANALYZE_LOCK_CIRCLE_H
#define ANALYZE_LOCK_CIRCLE_H

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct candidate;
struct model_coro;
struct story;

/*
 * analyze_lock_circle_is: does this coroutine wait for such a lock, and the one that it comes from for the end of
 * others, for as long as what stands still lasts?
 *
 * analyze_lock_circle_joiner: returns that one; 0: none.
 *
 * analyze_lock_circle_is_own: does this coroutine wait so in a call from another method of the type, by way of other
 * code, and others for a lock in methods of the type, since this run of it? Or has it most likely the lock itself, by
 * analyze_same_locks_twice?
 *
 * analyze_lock_circle_leaves_bare: was nothing found of this candidate but its wait, and is that no such wait? Others
 * are to blame only then.
 *
 * analyze_lock_circle_tell: adds evidence of that one, and of a method of the type that the wait was called from.
 *
 * analyze_lock_circle_survey: removes the groups of those whose wait is the circle's other side, or who were started
 * by these, if a group of the circle's lock is left.
 */
bool analyze_lock_circle_is(const struct analysis *analysis, const struct model_coro *coro);
uint32_t analyze_lock_circle_joiner(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_lock_circle_is_own(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_lock_circle_leaves_bare(
	const struct analysis *analysis, const struct candidate *candidate);
void analyze_lock_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_lock_circle_survey(struct analysis *analysis);

#endif
