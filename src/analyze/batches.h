/* SPDX-License-Identifier: MIT */
/*
 * Batches: coroutines that one coroutine started in one run, and whose ends it waits for. If all of the batches before
 * ended whole, and none of the last one's has ended, those wait for each other, directly or not: one of them holds what
 * another one waits for. That is one cause, wherever each of them waits.
 */
#ifndef ANALYZE_BATCHES_H
#define ANALYZE_BATCHES_H

#include "model/watcher.h"

struct analysis;
struct group;
struct story;

/* analyze_batches_watcher: the watcher that finds the last batch of each coroutine; the judgement registers it. */
extern const struct model_watcher analyze_batches_watcher;

/*
 * analyze_batches_survey: removes each group of nothing but waits that has a part of such a batch, if the other groups
 * of the same grade have the rest, and one of those members began to wait before. At least two batches must have ended.
 */
void analyze_batches_survey(struct analysis *analysis);

/* analyze_batches_tell: adds evidence of those of the batch that are no members of this group, and have none. */
void analyze_batches_tell(
	struct analysis *analysis, const struct group *group, struct story *story);

#endif
