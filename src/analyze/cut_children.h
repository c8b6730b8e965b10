/* SPDX-License-Identifier: MIT */
/*
 * Cut children: a coroutine starts others, and waits; some of these are destroyed while they wait themselves, and never
 * come to what they would have done for it.
 */
#ifndef ANALYZE_CUT_CHILDREN_H
#define ANALYZE_CUT_CHILDREN_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_cut_children_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_cut_children_watcher;

/*
 * analyze_cut_children_are_there: were children of the coroutine, which it had started in the run before its wait,
 * destroyed since this wait began, while they waited? None of its children may live, and no wait at this place that has
 * ended may have seen such a thing: what is dropped on purpose keeps nobody waiting.
 *
 * The others are for such a wait. analyze_cut_children_words: says so behind a title. analyze_cut_children_tell: adds
 * the first destruction as a step, and who had run on that thread just before. analyze_cut_children_next_step: what to
 * look at.
 */
bool analyze_cut_children_are_there(const struct analysis *analysis, const struct model_coro *coro);
const char *analyze_cut_children_words(struct analysis *analysis, const struct model_coro *coro);
void analyze_cut_children_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story);
extern const char *const analyze_cut_children_next_step;

#endif
