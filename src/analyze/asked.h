/* SPDX-License-Identifier: MIT */
/*
 * Asked: which coroutine each coroutine woke in the run before its wait. If at a place waits are usually ended by the
 * coroutine that the waiting coroutine had woken before, a wait there that goes on is a wait for an answer.
 */
#ifndef ANALYZE_ASKED_H
#define ANALYZE_ASKED_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_asked_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_asked_watcher;

/*
 * analyze_asked_tell: adds evidence that names the coroutine that `coro` had woken before its wait. Adds it only if
 * that coroutine has ended, and if at this place at least ten waits, and half of all that were ended, were ended by
 * the coroutine that the waiting one had woken before.
 */
void analyze_asked_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
/*
 * analyze_asked_words: "; just before that it had woken coroutine 2, which has run since, and has not woken it"; ""
 * unless `coro` woke one before its wait that lives, and has run since.
 */
const char *analyze_asked_words(struct analysis *analysis, const struct model_coro *coro);
/*
 * analyze_asked_whom: returns the coroutine that `coro` had woken before its wait, if it lives, and if such waits are
 * usually ended by it, as above. 0: there is none.
 */
uint32_t analyze_asked_whom(const struct analysis *analysis, const struct model_coro *coro);

#endif
