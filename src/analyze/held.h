/* SPDX-License-Identifier: MIT */
/*
 * Holders of what is waited for, where the program says who can find it (the mark `held`): nobody but the
 * coroutine itself, or one other coroutine, which has it in a variable. That one may be at work for it. So it is
 * noted where it waits behind such a work, and how often it has come back there.
 */
#ifndef ANALYZE_HELD_H
#define ANALYZE_HELD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_held_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_held_watcher;

/* analyze_held_is_lost: can nobody but the coroutine find what it waits for, which others could as its wait began? */
bool analyze_held_is_lost(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_held_is_kept: does one coroutine alone have it, in a variable, which has ended a wait at this place before,
 * and has come back three times since this one began to where it waited next after it had ended that, and
 * where it waits now?
 */
bool analyze_held_is_kept(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_held_is_at_work: may that one be at work for it, alive, and not back so? That is asked of what nothing else
 * is recorded of: the holder of a queue need not be the one that fills it.
 *
 * analyze_held_is_circle: does that one wait for the end of this coroutine, itself or through others?
 */
bool analyze_held_is_at_work(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_held_is_circle(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_held_site: returns where the last such wait was ended; 0: none was. */
uint32_t analyze_held_site(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_held_tell: adds who has it as a step, at the time at which that was found; nothing if it is not recorded. */
void analyze_held_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
