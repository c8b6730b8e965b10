/* SPDX-License-Identifier: MIT */
/*
 * Asked: whom a coroutine woke in the run before its wait. Where those whom others had woken so ended their waits, one
 * that goes on waits for an answer.
 */
#ifndef ANALYZE_ASKED_H
#define ANALYZE_ASKED_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_asked_watcher: looks on, and keeps the above; the judgement lets it watch. */
extern const struct model_watcher analyze_asked_watcher;

/*
 * analyze_asked_tell: as evidence, whom this one had woken before its wait, where that one has ended, and ten waits at
 * least at this place, half of all, were ended by the one that was woken so.
 */
void analyze_asked_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
