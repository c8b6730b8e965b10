/* SPDX-License-Identifier: MIT */
/*
 * Ended wakers (ended_wakers.h): for each place of waits where its wakers were started, and for each place of starts
 * which one ended last.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/ended_wakers.h"
#include "analyze/parts.h"
#include "analyze/wakers.h"
#include "analyze/watched_places.h"

#define LEAST_ENDED 3u

struct place {
	uint64_t nr_ended; /* waits here that ended */
	uint64_t nr_by_coros;
	uint32_t spawn_site; /* where the coroutines that ended them were started */
	bool is_mixed;       /* at several places */
	/* The next two are for a place at which coroutines are started. */
	uint64_t last; /* the id of the last one that ended */
	ct_time last_time;
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *at = watch->model->coros.at, *coro = &at[sight->coro];
	struct place *place = model_watch_place(watch, coro->wait_site);

	if (!place || !model_is_awaiting(coro) || sight->by == sight->coro)
		return true;
	place->nr_ended++;
	if (!sight->by)
		return true;
	if (!place->nr_by_coros++)
		place->spawn_site = at[sight->by].spawn_site;
	place->is_mixed |= place->spawn_site != at[sight->by].spawn_site;
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct place *place = model_watch_place(watch, coro->spawn_site);

	if (!place)
		return true;
	place->last = coro->id;
	place->last_time = sight->until;
	return true;
}

const struct model_watcher analyze_ended_wakers_watcher = {
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake, [MODEL_END] = look_at_end},
};

/* ---------------------------------------------------------------- the evidence */

/* Did coroutines of one kind end waits there, and something from outside others, and is none of the kind left? */
static bool are_all_ended(const struct model *model, const struct place *place)
{
	const struct model_place_times *times = model_times_at(model, place->spawn_site);

	return place->nr_by_coros >= LEAST_ENDED && place->nr_by_coros < place->nr_ended &&
	       place->spawn_site && !place->is_mixed && times && !times->living.count;
}

void analyze_ended_wakers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	const struct place *place =
		analyze_watch_wait(analysis, &analyze_ended_wakers_watcher, coro);
	const struct place *of_start;

	if (!place || !are_all_ended(model, place) || !analyze_wakers_come_anew(analysis, coro) ||
		model_lost_between(
			model, coro->process, model->from, analysis->parties[coro->process].end))
		return;
	of_start = model_watch_place(
		analyze_watch_by(analysis, &analyze_ended_wakers_watcher), place->spawn_site);
	if (!of_start || !of_start->last || coro->suspended == CT_NO_TIME)
		return;
	analyze_story_evidence(analysis, story,
		"%" PRIu64 " of the %" PRIu64
		" waits there were ended by coroutines that were started at %s, and no other "
		"coroutine ended one; all of these have ended, the last, coroutine %" PRIu64
		", %s %s %s",
		place->nr_by_coros, place->nr_ended,
		analyze_words_place(analysis, place->spawn_site), of_start->last,
		analyze_words_how_ended(analysis, coro->process, of_start->last),
		analyze_words_duration(analysis, llabs(of_start->last_time - coro->suspended)),
		of_start->last_time < coro->suspended ? "before this wait began"
						      : "after this wait began");
}
