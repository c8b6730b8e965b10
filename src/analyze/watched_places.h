/* SPDX-License-Identifier: MIT */
/*
 * What watchers of the judgement keep of places, as several of them ask for it.
 */
#ifndef ANALYZE_WATCHED_PLACES_H
#define ANALYZE_WATCHED_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/watcher.h"

struct analysis;
struct model_coro;

/* analyze_watch_wait: what a watcher has kept of the place at which this coroutine waits, or waited last. */
void *analyze_watch_wait(const struct analysis *analysis, const struct model_watcher *watcher,
	const struct model_coro *coro);

/* What a place has kept begins with this, for analyze_watch_last. */
struct watch_last {
	uint32_t process; /* of the last one that counts */
	ct_time time;     /* when that was */
};

/*
 * analyze_watch_last: the place of this process at which the last one came, of those places that are meant; 0: there is
 * none. All places are looked through once, for all processes: *memory keeps the answers, and is NULL at first.
 */
uint32_t analyze_watch_last(struct analysis *analysis, const struct model_watch *watch,
	bool (*is_meant)(const void *place), uint32_t process, const uint32_t **memory);

#endif
