/* SPDX-License-Identifier: MIT */
/*
 * Waking threads: of each place of waits, the thread that ended them, where no coroutine did. A thread that runs none
 * wakes by itself, or by a write to a pair of the process, which an event loop meets: what that loop wakes then,
 * outside any coroutine, is the writer's doing. Where one thread ended all such waits, and has ended itself, or blocks
 * for good, nobody comes any more. A wait that is ended by the parent of the one that waits was cut short.
 */
#ifndef ANALYZE_WAKING_THREADS_H
#define ANALYZE_WAKING_THREADS_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_waking_threads_watcher: looks on, and keeps the above; the judgement lets it watch. */
extern const struct model_watcher analyze_waking_threads_watcher;

/*
 * analyze_waking_threads_are_gone: three waits at least ended where this coroutine waits, each ten times sooner than it
 * has waited by now, all by one thread, which has ended, or lies in a futex without time-out; and so do all others that
 * run no coroutine, but for those that slept already when this wait began.
 */
bool analyze_waking_threads_are_gone(
	const struct analysis *analysis, const struct model_coro *coro);

/* analyze_waking_threads_tell: as evidence, that thread, the last wait that it ended there, and what it does now. */
void analyze_waking_threads_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
