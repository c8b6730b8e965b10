/* SPDX-License-Identifier: MIT */
/*
 * Waits that timers end: two counts and a thread for each place.
 */
#include <inttypes.h>

#include "analyze/by_timer.h"
#include "analyze/parts.h"
#include "analyze/watched_places.h"

#define LEAST_ENDED 3u

struct place {
	uint64_t nr_ended;
	uint64_t nr_by_timer; /* of these: by a timer of `thread` */
	uint32_t thread;      /* of the first wake */
};

/* Did a time-out end the thread's last sleep, and has it run no coroutine since? */
static bool has_just_run_out(const struct model_thread *thread)
{
	return thread->ran_out != CT_NO_TIME && thread->ran_out >= thread->idle_began &&
	       thread->turned < thread->ran_out;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct place *place = model_watch_place(watch, coro->wait_site);
	uint32_t thread = sight->event->thread;

	if (!place || !model_is_awaiting(coro))
		return true;
	if (!place->nr_ended++)
		place->thread = thread;
	place->nr_by_timer += !sight->by && place->thread == thread &&
			      has_just_run_out(&watch->model->threads[thread]);
	return true;
}

const struct model_watcher analyze_by_timer_watcher = {
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake},
};

/* ---------------------------------------------------------------- the evidence */

static bool sleeps_untimed(const struct model_thread *thread)
{
	return (thread->is_parked || thread->is_polling) && !thread->is_idle_timed;
}

void analyze_by_timer_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = analyze_watch_wait(analysis, &analyze_by_timer_watcher, coro);
	const struct model_thread *thread = &analysis->model->threads[place ? place->thread : 0];

	if (!place || place->nr_ended < LEAST_ENDED || place->nr_by_timer < place->nr_ended ||
		!sleeps_untimed(thread))
		return;
	analyze_story_evidence(analysis, story,
		"a timer ended each of these %" PRIu64
		" waits: a time-out of %s had run out just before; now the thread sleeps without "
		"a time-out, so that no timer is set which could end this wait",
		place->nr_ended, analyze_words_thread(analysis, place->thread));
}
