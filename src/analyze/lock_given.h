/* SPDX-License-Identifier: MIT */
/*
 * Locks that were given on, where the program does not tell of which lock it speaks: whom each coroutine woke last out
 * of a wait for a lock, as giving a lock back does. Where the one that gave it then wants a lock itself, the one it was
 * given to may have that.
 */
#ifndef ANALYZE_LOCK_GIVEN_H
#define ANALYZE_LOCK_GIVEN_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_lock_given_watcher: looks on, and keeps the above; the judgement lets it watch. */
extern const struct model_watcher analyze_lock_given_watcher;

/*
 * analyze_lock_given_tell: as evidence, to whom this one, which waits for a lock, had given one just before, where that
 * one waits for something in the program since, and has woken nobody out of a wait for a lock.
 */
void analyze_lock_given_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
