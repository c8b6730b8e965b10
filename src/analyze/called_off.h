/* SPDX-License-Identifier: MIT */
/*
 * Called off: a coroutine starts another one, and waits for what that one sends, in the function that started it; a
 * timer ends this wait, and the starter goes on. What the other one sends after that, nobody takes.
 */
#ifndef ANALYZE_CALLED_OFF_H
#define ANALYZE_CALLED_OFF_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_called_off_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_called_off_watcher;

/*
 * analyze_called_off_is: does this coroutine wait for an unnamed channel (P-104), for the first time, after its starter
 * was called off? The starter must not have waited there again before it started another one or went elsewhere.
 *
 * analyze_called_off_tell: if so, adds evidence of the starter's wait.
 */
bool analyze_called_off_is(const struct analysis *analysis, const struct model_coro *coro);
void analyze_called_off_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
