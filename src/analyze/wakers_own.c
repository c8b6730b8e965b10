/* SPDX-License-Identifier: MIT */
/*
 * A coroutine's own waits at one place, and who ended them: where many wait at one line of a library, each for another
 * one, the place tells nothing, and the coroutine's own past does.
 */
#include "analyze/parts.h"
#include "analyze/wakers_kept.h"
#include "analyze/watched_places.h"

#define LEAST_ENDED 10u /* fewer show no habit */

/* The record of the place; else the one with the fewest waits gives way. */
static struct wakers_own *own_at(struct wakers_own *at, uint32_t site)
{
	struct wakers_own *least = at;
	unsigned i;

	for (i = 0; i < WAKERS_OWN; i++) {
		if (at[i].site == site)
			return &at[i];
		if (at[i].nr_ended < least->nr_ended)
			least = &at[i];
	}
	*least = (struct wakers_own){.site = site};
	return least;
}

void analyze_wakers_note_own(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *at = watch->model->coros.at, *coro = &at[sight->coro];
	struct wakers_own *own = own_at(model_watch_rare(watch, sight->coro), coro->wait_site);
	int64_t waited_us = ct_time_between(coro->suspended, sight->event->time) / 1000;
	uint64_t by = sight->by ? at[sight->by].id : 0;

	own->by = !own->nr_ended || by == own->by ? by : 0;
	own->nr_ended++;
	if (waited_us > own->longest_us)
		own->longest_us = waited_us < UINT32_MAX ? (uint32_t)waited_us : UINT32_MAX;
}

const struct wakers_own *analyze_wakers_own(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct wakers_own *own = analyze_watch_rare(analysis, &analyze_wakers_watcher, coro);
	unsigned i;

	for (i = 0; i < WAKERS_OWN; i++)
		if (own[i].site == coro->wait_site)
			return own[i].by && own[i].nr_ended >= LEAST_ENDED ? &own[i] : NULL;
	return NULL;
}

uint32_t analyze_wakers_nr_own(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct wakers_own *own = analyze_watch_rare(analysis, &analyze_wakers_watcher, coro);
	unsigned i;

	for (i = 0; i < WAKERS_OWN; i++)
		if (own[i].site == coro->wait_site)
			return own[i].nr_ended;
	return 0;
}
