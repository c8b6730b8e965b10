/* SPDX-License-Identifier: MIT */
/*
 * Gone waiters: a coroutine is destroyed while it waits for an object, and may still stand in the list of those that
 * wait for it. Then who notifies finds somebody there, and wakes nobody.
 */
#ifndef ANALYZE_GONE_WAITERS_H
#define ANALYZE_GONE_WAITERS_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct ct_finding;
struct model_coro;
struct story;

/* analyze_gone_waiters_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_gone_waiters_watcher;

/*
 * analyze_gone_waiters_are_there: was a coroutine destroyed while it waited at the same place for the same object as
 * this one, and was the object notified since, while this one waits, for somebody, though nobody was woken for it since
 * that notify?
 *
 * analyze_gone_waiters_words: says so of such a wait behind a title. analyze_gone_waiters_tell: if it is one, adds the
 * destruction as a step, and what to look at.
 */
bool analyze_gone_waiters_are_there(const struct analysis *analysis, const struct model_coro *coro);
const char *analyze_gone_waiters_words(struct analysis *analysis, const struct model_coro *coro);
void analyze_gone_waiters_tell(struct analysis *analysis, const struct model_coro *coro,
	struct story *story, struct ct_finding *finding);

#endif
