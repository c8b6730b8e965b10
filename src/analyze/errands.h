/* SPDX-License-Identifier: MIT */
/*
 * Errands: a coroutine starts another one, and waits for what that one will bring. If all waits at a place were ended
 * like this, and now the errand has ended and brought nothing, nobody else owes the coroutine anything: neither a
 * listener nor a socket of somebody else ever ended such a wait.
 */
#ifndef ANALYZE_ERRANDS_H
#define ANALYZE_ERRANDS_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_errands_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_errands_watcher;

/* analyze_errands_survey: notes who has living ones, once the whole trace was read. */
void analyze_errands_survey(const struct analysis *analysis);

/*
 * analyze_errands_have_failed: were all waits at this place, at least three, ended by a coroutine that the waiting one
 * had started in the run before its wait, or by a descendant of that? If waits without such a start end there as well,
 * they do not count, and at least ten that began after a start must have ended there. Did this one start some, too, and
 * have all of them ended, with all that they had started, while it has waited ten times longer than any did there?
 *
 * analyze_errands_tell: if so, adds evidence of the last of these to end. If most waits there were ended like
 * that, and one that this coroutine had started ended the wait of another one instead, it adds evidence of that.
 *
 * analyze_errands_are_over: did this one start at least two in the run before its wait, have all of them ended, with
 * all that they had started, and the last one of these after the wait began? analyze_errands_are_over_there: is all of
 * that true of those that it started in the function that waits, the last of them at one place? Others may live.
 * analyze_errands_tell_over: if either is so, adds evidence of the last one.
 */
bool analyze_errands_have_failed(const struct analysis *analysis, const struct model_coro *coro);
void analyze_errands_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
bool analyze_errands_are_over(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_errands_are_over_there(const struct analysis *analysis, const struct model_coro *coro);
void analyze_errands_tell_over(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
