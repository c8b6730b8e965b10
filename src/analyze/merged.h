/* SPDX-License-Identifier: MIT */
/*
 * Merged wakes: a coroutine is woken while it is ready already, and its next run meets both wakes as one. Where it ends
 * in that run, and wakes nobody, what one of the wakes brought may be gone with it: a permit or a message that came
 * just as the time ran out, or as the coroutine was cancelled.
 */
#ifndef ANALYZE_MERGED_H
#define ANALYZE_MERGED_H

#include "model/watcher.h"

struct analysis;
struct story;

/* analyze_merged_watcher: looks on, and counts the above; the judgement lets it watch. */
extern const struct model_watcher analyze_merged_watcher;

/*
 * analyze_merged_tell: evidence, where merged wakes ended so in this process, and are an exception among the coroutines
 * that were started at the same place: what waits may wait for what those took with them.
 */
void analyze_merged_tell(struct analysis *analysis, struct story *story, uint32_t process);

#endif
