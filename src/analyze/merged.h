/* SPDX-License-Identifier: MIT */
/*
 * Merged wakes: a coroutine is woken while it is already ready, and its next run serves both wakes. If the coroutine
 * ends in that run and wakes nobody, what one of the wakes brought may be lost: a permit, or a message that came just
 * as the time ran out, or as the coroutine was cancelled.
 */
#ifndef ANALYZE_MERGED_H
#define ANALYZE_MERGED_H

#include "model/watcher.h"

struct analysis;
struct story;

/* analyze_merged_watcher: the watcher that counts coroutines that ended in such a run; the judgement registers it. */
extern const struct model_watcher analyze_merged_watcher;

/*
 * analyze_merged_tell: adds evidence if coroutines ended in such runs in this process, and if that is an exception
 * among the coroutines started at the same place. A waiting coroutine may wait for what was lost with them.
 */
void analyze_merged_tell(struct analysis *analysis, struct story *story, uint32_t process);

#endif
