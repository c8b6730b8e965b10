/* SPDX-License-Identifier: MIT */
/*
 * What watchers of the judgement record for each place; shared by several of them.
 */
#ifndef ANALYZE_WATCHED_PLACES_H
#define ANALYZE_WATCHED_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/watcher.h"

struct analysis;
struct model_coro;

/* analyze_watch_wait: returns the watcher's record of the place at which this coroutine waits, or waited last. */
void *analyze_watch_wait(const struct analysis *analysis, const struct model_watcher *watcher,
	const struct model_coro *coro);

/* analyze_watch_rare: returns the watcher's record of this coroutine, of the kind that few coroutines need. */
void *analyze_watch_rare(const struct analysis *analysis, const struct model_watcher *watcher,
	const struct model_coro *coro);

/* The record of a place begins with this if analyze_watch_last is to search it. */
struct watch_last {
	uint32_t process; /* process of the last occurrence that counts */
	ct_time time;     /* time of the last occurrence that counts */
};

/*
 * analyze_watch_last: returns the place of the process with the latest occurrence, among the places for which
 * `is_meant` returns true; 0: none. The places are searched once for all processes: *memory keeps the answers, and is
 * NULL at first.
 */
uint32_t analyze_watch_last(struct analysis *analysis, const struct model_watch *watch,
	bool (*is_meant)(const void *place), uint32_t process, const uint32_t **memory);

#endif
