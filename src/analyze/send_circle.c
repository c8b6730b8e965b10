/* SPDX-License-Identifier: MIT */
/*
 * Circles over a send (send_circle.h), by who ended this coroutine's own waits at its place.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/parts.h"
#include "analyze/send_circle.h"
#include "analyze/stillness.h"
#include "analyze/wakers_kept.h"

#define SHARE_SOON 100 /* one part in so many of the time since */

/* Does this coroutine wait for a lock, ten times longer than any wait there took? */
static bool is_at_lock(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct histogram *waits = model_waits_at(analysis->model, coro->wait_site);

	return coro->state == CT_STATE_WAITING && analyze_ties_is_for_untold_lock(coro) &&
	       analyze_stillness_lasts(analysis, coro->process, coro->suspended) &&
	       (uint64_t)analyze_waited_ns(analysis, coro) / TIMES_LONGER > waits->max;
}

/* The one that took all that this coroutine has sent from here, and that waits for a lock; 0: none. */
static uint32_t taker_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct wakers_own *own = analyze_wakers_own(analysis, coro);
	uint32_t taker = own ? model_find(analysis->model, coro->process, own->by) : 0;

	return taker && is_at_lock(analysis, &analysis->model->coros.at[taker]) ? taker : 0;
}

/* Does this one wait for the end of others, and did it begin when the taker began to wait for the lock? */
static bool joins_since(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_coro *taker)
{
	return coro->state == CT_STATE_WAITING && analyze_wakers_is_bound(analysis, coro) &&
	       analyze_wait_is_for_ends(coro) &&
	       llabs(ct_time_between(coro->suspended, taker->suspended)) <
		       analyze_waited_ns(analysis, taker) / SHARE_SOON;
}

/* The coroutine from which this one comes, and that closes the circle; 0: none. */
static uint32_t joiner_of(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_coro *taker)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t index = coro->parent, steps;

	for (steps = 0; index && steps < TIES_GENERATIONS; steps++) {
		if (joins_since(analysis, &at[index], taker))
			return index;
		index = at[index].parent;
	}
	return 0;
}

bool analyze_send_circle_is(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t taker;

	if (!analyze_wait_is_for_channel(coro) || analyze_ties_may_be_idle(analysis, coro) ||
		!analyze_wakers_is_bound(analysis, coro))
		return false;
	taker = taker_of(analysis, coro);
	return taker && joiner_of(analysis, coro, &analysis->model->coros.at[taker]);
}

/* ---------------------------------------------------------------- the evidence */

void analyze_send_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_coro *at = analysis->model->coros.at, *taker, *joiner;

	if (!analyze_send_circle_is(analysis, coro))
		return;
	taker = &at[taker_of(analysis, coro)];
	joiner = &at[joiner_of(analysis, coro, taker)];
	analyze_story_evidence(analysis, story,
		"%s took the last %" PRIu32 " that it sent there, and waits for a lock since %s, "
		"at %s; %s, from which it comes, waits for the end of others since %s, at %s, and "
		"may have that lock: a circle",
		analyze_words_coro(analysis, taker), analyze_wakers_own(analysis, coro)->nr_ended,
		analyze_words_time(analysis, taker->suspended),
		analyze_words_place(analysis, taker->wait_site),
		analyze_words_coro(analysis, joiner),
		analyze_words_time(analysis, joiner->suspended),
		analyze_words_place(analysis, joiner->wait_site));
	analyze_story_party(analysis, story, model_index(analysis->model, taker), 0);
	analyze_story_party(analysis, story, model_index(analysis->model, joiner), 0);
}
