/* SPDX-License-Identifier: MIT */
/*
 * Omitted wakes: a run that wakes nobody, although nearly all similar runs wake a coroutine. Runs are similar if the
 * coroutine had waited at the same place before the run, and if the coroutine whose wake began the run had also
 * waited at the same place.
 */
#ifndef ANALYZE_OMITTED_H
#define ANALYZE_OMITTED_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_omitted_watcher: the watcher that records these habits; the judgement registers it. */
extern const struct model_watcher analyze_omitted_watcher;

/*
 * analyze_omitted_tell: adds evidence of a run that woke nobody and that began after `coro` came to wait. At least 19
 * runs, and 19 in 20 of the similar runs, must have woken a coroutine that had waited where `coro` waits. If several
 * kinds of runs had such a run, the one that began first is named.
 */
void analyze_omitted_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/*
 * analyze_omitted_tell_between: if the coroutine is one of a pair (pairs.h), adds evidence of a run of one of the two,
 * after which it waits, that woke nobody, although 19 in 20 of the similar runs woke a coroutine that had waited where
 * the other one waits now, and that one ran meanwhile, and began to wait only after that.
 */
void analyze_omitted_tell_between(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
