/* SPDX-License-Identifier: MIT */
/*
 * Wakers of their own: at some places each coroutine waits for one of its own, which alone ends its waits, as the
 * reader of a connection does for the one that serves it. If that one has ended, nobody is left to bring anything. The
 * trace need not name what is waited for.
 */
#ifndef ANALYZE_OWN_WAKERS_H
#define ANALYZE_OWN_WAKERS_H

#include <stdbool.h>

struct analysis;
struct model_coro;
struct story;

/* analyze_own_wakers_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_own_wakers_watcher;

/* analyze_own_wakers_survey: compares all that have one of their own; call before the queries. */
void analyze_own_wakers_survey(struct analysis *analysis);

/*
 * analyze_own_wakers_has_ended: did one coroutine end all waits of this one at its place, at least three, and no wait
 * of another coroutine there, and has it ended? At least three coroutines must have had one of their own there. False
 * if events are missing, or the program ends.
 *
 * analyze_own_wakers_bring_others: does one that another coroutine has of its own there live? If none does, those that
 * wait may have been brought all that there was to bring at first, and wait for what comes from outside.
 *
 * analyze_own_wakers_tell: if so, adds evidence of that one.
 */
bool analyze_own_wakers_has_ended(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_own_wakers_bring_others(
	const struct analysis *analysis, const struct model_coro *coro);
void analyze_own_wakers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
