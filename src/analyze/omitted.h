/* SPDX-License-Identifier: MIT */
/*
 * Omitted: what runs do that are begun alike, each time but for a few. A run is told from others by where the coroutine
 * had waited before it, and where the one had waited, in turn, whose wake began it.
 */
#ifndef ANALYZE_OMITTED_H
#define ANALYZE_OMITTED_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_omitted_watcher: looks on, and keeps the above; the judgement lets it watch. */
extern const struct model_watcher analyze_omitted_watcher;

/*
 * analyze_omitted_tell: as evidence, the last such run that woke nobody, since this coroutine came to wait, where at
 * least nineteen of twenty runs begun alike woke one that had waited there; the first in time, where there are several.
 */
void analyze_omitted_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
