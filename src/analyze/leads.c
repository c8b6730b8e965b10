/* SPDX-License-Identifier: MIT */
/*
 * Leads, one after the other; the time-outs that ran out last; and threads that ended.
 */
#include <inttypes.h>

#include "analyze/asked.h"
#include "analyze/by_timer.h"
#include "analyze/called_off.h"
#include "analyze/ended_taker.h"
#include "analyze/ended_wakers.h"
#include "analyze/errands.h"
#include "analyze/facing.h"
#include "analyze/fruitless.h"
#include "analyze/giver_circle.h"
#include "analyze/kin_circle.h"
#include "analyze/late_notifies.h"
#include "analyze/leads.h"
#include "analyze/lock_circle.h"
#include "analyze/lock_given.h"
#include "analyze/merged.h"
#include "analyze/odd_ones.h"
#include "analyze/omitted.h"
#include "analyze/own_wakers.h"
#include "analyze/pairs.h"
#include "analyze/parts.h"
#include "analyze/passages.h"
#include "analyze/passed.h"
#include "analyze/permits.h"
#include "analyze/provenance.h"
#include "analyze/same_locks.h"
#include "analyze/send_circle.h"
#include "analyze/waker_circle.h"
#include "analyze/wakers.h"
#include "analyze/waking_threads.h"

#define LEAST_DESTROYED 3u
#define SHARE_DESTROYED 10u /* one in so many of those that waited there */
#define SHARE_SOON 100      /* one part in so many of the time since */

/*
 * Did the thread's last time-out run out during this wait and wake nobody, and does the thread sleep without a
 * time-out since?
 */
static bool has_expired_in_vain(const struct model_thread *thread, const struct model_coro *coro)
{
	return thread->process == coro->process && thread->expired != CT_NO_TIME &&
	       thread->expired >= coro->suspended && thread->blocked_from != CT_NO_TIME &&
	       thread->blocked_from >= thread->expired && !thread->is_blocked_timed;
}

/* The thread whose time-out ran out last; 0: none. */
static uint32_t find_expired(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_thread *at = analysis->model->threads;
	uint32_t i, last = 0;

	for (i = 1; i < analysis->model->nr_threads; i++)
		if (has_expired_in_vain(&at[i], coro) &&
			(!last || at[i].expired > at[last].expired))
			last = i;
	return last;
}

static void tell_expired(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t index = find_expired(analysis, coro);
	const struct model_thread *thread = &analysis->model->threads[index];

	if (!index)
		return;
	analyze_story_evidence(analysis, story,
		"a time-out of %s ran out %s after this wait began, woke nobody, and was not set "
		"again",
		analyze_words_thread(analysis, index),
		analyze_words_duration(analysis, thread->expired - coro->suspended));
}

void analyze_leads_tell_process(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	analyze_merged_tell(analysis, story, coro->process);
	analyze_late_notifies_tell(analysis, story, coro->process);
	tell_expired(analysis, story, coro);
	analyze_story_failed(analysis, story, coro->process);
}

/* Earlier waits of such a coroutine say less of this one. */
static void tell_at_large(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	if (analyze_ties_is_at_large(coro) && analyze_provenance_relay(analysis, coro))
		analyze_story_evidence(analysis, story,
			"that is where it was started: all its waits count as waits there, and may "
			"have "
			"been for other things");
}

/* Were many of those that waited there destroyed, or collected, and so never went on? */
static void tell_destroyed(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_place_times *times = model_times_at(analysis->model, coro->wait_site);
	uint64_t nr_ended = model_waits_at(analysis->model, coro->wait_site)->count;

	if (!times || times->nr_cut < LEAST_DESTROYED || times->nr_cut < nr_ended / SHARE_DESTROYED)
		return;
	analyze_story_evidence(analysis, story,
		"%" PRIu64 " others that waited here were destroyed while they waited, and never "
		"went on; %" PRIu64 " did",
		times->nr_cut, nr_ended);
}

const char *analyze_leads_words(struct analysis *analysis, const struct group *group)
{
	const char *words = analyze_odd_ones_words(analysis, group);

	if (!*words)
		words = analyze_waker_circle_words(analysis, group);
	return *words ? words : analyze_kin_circle_words(analysis, group);
}

/* A circle that is known by who ended all such waits says more than who woke whom last. */
static void tell_circle(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	if (analyze_waker_circle_of(analysis, coro) ||
		analyze_waker_circle_before(analysis, coro)) {
		analyze_waker_circle_tell(analysis, story, coro);
		return;
	}
	analyze_pairs_tell(analysis, story, coro);
	analyze_kin_circle_tell(analysis, story, coro);
}

void analyze_leads_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	if (analyze_giver_circle_of(analysis, model_index(analysis->model, coro))) {
		analyze_giver_circle_tell(analysis, story, coro);
		analyze_leads_tell_process(analysis, story, coro);
		return;
	}
	analyze_permits_tell(analysis, story, coro);
	analyze_provenance_tell(analysis, story, coro);
	analyze_passages_tell(analysis, story, coro);
	tell_at_large(analysis, story, coro);
	analyze_fruitless_tell(analysis, story, coro);
	analyze_by_timer_tell(analysis, story, coro);
	analyze_wakers_tell(analysis, story, coro);
	analyze_ended_wakers_tell(analysis, story, coro);
	analyze_waking_threads_tell(analysis, story, coro);
	tell_circle(analysis, story, coro);
	analyze_lock_given_tell(analysis, story, coro);
	analyze_passed_tell(analysis, story, coro);
	analyze_lock_circle_tell(analysis, story, coro);
	analyze_same_locks_tell(analysis, story, coro);
	analyze_errands_tell(analysis, story, coro);
	analyze_send_circle_tell(analysis, story, coro);
	analyze_asked_tell(analysis, story, coro);
	analyze_called_off_tell(analysis, story, coro);
	analyze_ended_taker_tell(analysis, story, coro);
	analyze_own_wakers_tell(analysis, story, coro);
	analyze_facing_tell(analysis, story, coro);
	analyze_omitted_tell(analysis, story, coro);
	analyze_omitted_tell_between(analysis, story, coro);
	tell_destroyed(analysis, story, coro);
	analyze_leads_tell_process(analysis, story, coro);
}

void analyze_leads_tell_ready(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t maker =
		coro->turns->queue_thread ? coro->turns->queue_thread : coro->turns->wake.thread;
	ct_time stopped = analysis->model->threads[maker].stopped, since = ready_since(coro);
	int64_t ready_ns = analyze_party_working_until(analysis, coro->process) - since;

	if (!maker || stopped == CT_NO_TIME || stopped < since ||
		stopped - since > ready_ns / SHARE_SOON)
		return;
	analyze_story_evidence(analysis, story,
		"%s, which made it ready, ended %s after that: a waiter that it had yet to notify "
		"may not have been notified",
		analyze_words_thread(analysis, maker),
		analyze_words_duration(analysis, stopped - since));
}
