/* SPDX-License-Identifier: MIT */
/*
 * Waking threads: one thread, and some counts, for each place of waits.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/waking_threads.h"
#include "analyze/watched_places.h"
#include "base/system_calls.h"

#define LEAST_ENDED 3u
#define SHARE_USUAL 3u /* of the waits at a place, one in so many more than others ended */
#define SHARE_LOOKED 2 /* the last look must come after one part in so many of the wait's time */

struct place {
	uint32_t thread; /* the thread that ended waits here; 0: none yet */
	bool is_by_write;
	/* other threads, coroutines, or an event loop on its own ended waits here as well */
	bool has_others;
	uint64_t nr_ended;
	/* not in nr_ended: waits that an ancestor of the waiting coroutine ended */
	uint64_t nr_cut;
	int64_t longest_ns;
	ct_time last;
	uint32_t usual;    /* a thread that runs no coroutine, and may have ended most waits here */
	uint32_t nr_votes; /* waits that `usual` ended, less those that others ended */
	uint32_t nr_all;   /* waits that were not cut short */
};

/* ---------------------------------------------------------------- callbacks of the watcher */

/* The thread that caused a wake outside any coroutine; 0: not known, or an event loop woke on its own. */
static uint32_t waker_of(const struct model *model, uint32_t thread)
{
	const struct model_thread *at = &model->threads[thread];

	if (at->prodder && at->prodder != thread)
		return at->prodder == MODEL_SEVERAL ? 0 : at->prodder;
	return at->is_worker ? 0 : thread;
}

/* Was the loop prodded before this wait began? Then what is waited for was there already. */
static bool was_there(
	const struct model *model, const struct ct_event *event, const struct model_coro *coro)
{
	const struct model_thread *thread = &model->threads[event->thread];

	return thread->prodder == event->thread && thread->prodded <= coro->suspended;
}

/* Counts by majority vote, whoever ended waits here besides. */
static void vote(struct place *place, uint32_t thread)
{
	place->nr_all++;
	if (thread && !place->nr_votes)
		place->usual = thread;
	if (thread && place->usual == thread)
		place->nr_votes++;
	else
		place->nr_votes -= place->nr_votes != 0;
}

static void note_end(const struct model *model, struct place *place,
	const struct model_sight *sight, const struct model_coro *coro)
{
	uint32_t thread = waker_of(model, sight->event->thread);
	int64_t waited_ns = ct_time_between(coro->suspended, sight->event->time);

	vote(place, thread);
	if (place->has_others)
		return;
	if (!thread || (place->thread && place->thread != thread)) {
		place->has_others = true;
		return;
	}
	place->thread = thread;
	place->is_by_write = thread != sight->event->thread;
	place->nr_ended++;
	place->last = sight->event->time;
	if (waited_ns > place->longest_ns)
		place->longest_ns = waited_ns;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	struct place *place = model_watch_place(watch, coro->wait_site);

	if (!place || !model_is_awaiting(coro) || sight->by == sight->coro)
		return true;
	if (!sight->by && was_there(model, sight->event, coro))
		return true;
	if (!sight->by)
		note_end(model, place, sight, coro);
	else if (analyze_ties_comes_from(model, sight->coro, sight->by))
		place->nr_cut++;
	else
		place->has_others = true;
	return true;
}

const struct model_watcher analyze_waking_threads_watcher = {
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake},
};

/* ---------------------------------------------------------------- queries */

static bool is_over(const struct analysis *analysis, const struct model_thread *thread)
{
	return thread_is_over(thread, analysis->parties[thread->process].end);
}

/* Is the thread in a futex without time-out, according to a look that is late enough? */
static bool is_blocked(const struct analysis *analysis, const struct model_thread *thread,
	const struct model_coro *coro)
{
	int64_t waited_ns = analyze_waited_ns(analysis, coro);

	return thread->seen != CT_NO_TIME && thread->seen > thread->last_event &&
	       thread->seen - coro->suspended > waited_ns / SHARE_LOOKED &&
	       thread->seen_state == 'S' && thread->seen_untimed &&
	       thread->seen_system_call == SYSTEM_CALL_futex;
}

/* Did the thread's sleep begin before this wait? Then it has nothing to do with this wait. */
static bool sleeps_since_before(const struct model_thread *thread, const struct model_coro *coro)
{
	return thread->seen > thread->last_event && thread->seen_state == 'S' &&
	       !thread->seen_untimed && thread->seen_from != CT_NO_TIME &&
	       thread->seen_from < coro->suspended &&
	       (thread->seen_system_call == SYSTEM_CALL_nanosleep ||
		       thread->seen_system_call == SYSTEM_CALL_clock_nanosleep);
}

/* Are all threads blocked that run no coroutines? */
static bool are_others_blocked(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	uint32_t i;

	if (model->processes[coro->process].has_unseen_threads)
		return false;
	for (i = 1; i < model->nr_threads; i++) {
		const struct model_thread *thread = &model->threads[i];

		if (thread->process == coro->process && !thread->is_worker &&
			!is_over(analysis, thread) && !is_blocked(analysis, thread, coro) &&
			!sleeps_since_before(thread, coro))
			return false;
	}
	return true;
}

/* The record of the coroutine's place; NULL: no thread ended waits there, or several did. */
static const struct place *place_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place =
		analyze_watch_wait(analysis, &analyze_waking_threads_watcher, coro);

	return place && place->thread && !place->has_others &&
			       analysis->model->threads[place->thread].process == coro->process
		       ? place
		       : NULL;
}

bool analyze_waking_threads_are_gone(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);
	int64_t waited_ns = analyze_waited_ns(analysis, coro);

	return place && place->nr_ended >= LEAST_ENDED && coro->state == CT_STATE_WAITING &&
	       place->longest_ns < waited_ns / TIMES_LONGER && are_others_blocked(analysis, coro);
}

/* Did this thread alone, and directly, end waits at another place than that one? */
static bool serves_others(const struct analysis *analysis, const struct place *place)
{
	const struct model_watch *watch =
		analyze_watch_by(analysis, &analyze_waking_threads_watcher);
	uint32_t site;

	for (site = 1; site < watch->nr_places; site++) {
		const struct place *other = model_watch_place(watch, site);

		if (other != place && other->thread == place->thread && !other->has_others &&
			!other->is_by_write)
			return true;
	}
	return false;
}

uint32_t analyze_waking_threads_clock(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place && !place->is_by_write && !place->nr_cut &&
			       !is_over(analysis, &analysis->model->threads[place->thread]) &&
			       serves_others(analysis, place)
		       ? place->thread
		       : 0;
}

/* ---------------------------------------------------------------- the evidence */

static const char *words_now(
	struct analysis *analysis, const struct place *place, const struct model_coro *coro)
{
	const struct model_thread *thread = &analysis->model->threads[place->thread];

	if (is_over(analysis, thread))
		return analyze_say(analysis, "it ended %s after that",
			analyze_words_duration(analysis, thread->stopped - place->last));
	if (thread->is_worker || thread->last_event > coro->suspended)
		return "";
	if (thread->seen == CT_NO_TIME || thread->seen <= thread->last_event ||
		thread->seen <= coro->suspended)
		return "it has recorded nothing since this wait began";
	return analyze_say(analysis, "it has recorded nothing since this wait began, and is %s",
		analyze_stillness_words_thread(analysis, place->thread));
}

static const char *words_waits(struct analysis *analysis, const struct place *place)
{
	const char *besides = place->nr_cut ? " that nobody cut short" : "";

	if (place->nr_ended == 1)
		return analyze_say(analysis, "the one wait there%s was", besides);
	return analyze_say(
		analysis, "all %" PRIu64 " waits there%s were", place->nr_ended, besides);
}

static const char *words_last(
	struct analysis *analysis, const struct place *place, const struct model_coro *coro)
{
	if (place->last >= coro->suspended)
		return "since this wait began";
	return analyze_say(analysis, "%s before this wait",
		analyze_words_duration(analysis, coro->suspended - place->last));
}

void analyze_waking_threads_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);
	const char *now = place ? words_now(analysis, place, coro) : "";

	if (*now)
		analyze_story_evidence(analysis, story,
			"%s ended by %s, which runs no coroutine%s, the last one %s: %s",
			words_waits(analysis, place), analyze_words_thread(analysis, place->thread),
			place->is_by_write ? " and wrote to the event loop" : "",
			words_last(analysis, place, coro), now);
}

const char *analyze_waking_threads_words(struct analysis *analysis, uint32_t thread)
{
	const struct model_watch *watch =
		analyze_watch_by(analysis, &analyze_waking_threads_watcher);
	uint32_t site, found = 0, most = LEAST_ENDED - 1;

	for (site = 1; site < watch->nr_places; site++) {
		const struct place *place = model_watch_place(watch, site);

		if (place->usual != thread || !place->nr_cut || place->nr_all <= most ||
			place->nr_votes < place->nr_all / SHARE_USUAL)
			continue;
		most = place->nr_all;
		found = site;
	}
	if (!found)
		return "";
	return analyze_say(analysis,
		", and had ended most of %" PRIu32
		" waits at %s, but not the one that was cut short",
		most, analyze_words_place(analysis, found));
}

uint32_t analyze_waking_threads_starter(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_thread *thread = &analysis->model->threads[coro->creator];
	bool is_other = coro->creator && !coro->parent && !thread->is_worker &&
			analysis->tables->threads[coro->creator].tid !=
				analysis->tables->processes[coro->process].pid;

	return is_other && is_blocked(analysis, thread, coro) ? coro->creator : 0;
}
