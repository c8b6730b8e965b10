/* SPDX-License-Identifier: MIT */
/*
 * Passages: a coroutine yields at a place at which others wait, and goes on: it went past without a wait, as a task
 * does that takes a free lock of trio. If no coroutine has woken anybody there since, this one may have what the others
 * wait for.
 */
#ifndef ANALYZE_PASSAGES_H
#define ANALYZE_PASSAGES_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_passages_watcher: the watcher that records who went past; the judgement registers it. */
extern const struct model_watcher analyze_passages_watcher;

/*
 * analyze_passages_tell: if what `coro` waits for has no name, adds evidence of the last one that went past there
 * before this wait began, and where that one waited next.
 */
void analyze_passages_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
