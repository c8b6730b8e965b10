/* SPDX-License-Identifier: MIT */
/*
 * Given locks, for programs that do not record which lock they use: for each coroutine, the coroutine that it woke
 * last out of a wait for a lock, as the release of a lock does. If the coroutine that gave the lock then wants a lock
 * itself, the coroutine that received the lock may hold that one.
 */
#ifndef ANALYZE_LOCK_GIVEN_H
#define ANALYZE_LOCK_GIVEN_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_lock_given_watcher: the watcher that records these wakes; the judgement registers it. */
extern const struct model_watcher analyze_lock_given_watcher;

/*
 * analyze_lock_given_tell: adds evidence if `coro` waits for a lock and had given a lock to another coroutine just
 * before. That coroutine must wait since for something that the program itself has to do, and must have woken nobody
 * out of a wait for a lock.
 */
void analyze_lock_given_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
