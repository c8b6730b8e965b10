/* SPDX-License-Identifier: MIT */
/*
 * Circles over a kind, found by the last wake where each coroutine waits (kin_circle.h).
 */
#include <inttypes.h>

#include "analyze/giver_circle.h"
#include "analyze/kin_circle.h"
#include "analyze/lock_circle.h"
#include "analyze/pairs.h"
#include "analyze/parts.h"
#include "analyze/provenance.h"
#include "analyze/stillness.h"
#include "analyze/successors.h"
#include "analyze/wakers.h"

#define MEMBERS_ASKED 64u /* groups with more members are kept */

static bool lasts(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_wakers_is_bound(analysis, coro) &&
	       analyze_stillness_lasts(analysis, coro->process, coro->suspended);
}

/* The one that ended the last wait where this one waits, or, if none has, and it waits for no lock, woke it last. */
static uint32_t last_waker(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct provenance_relay *relay = analyze_provenance_relay(analysis, coro);

	if (relay)
		return relay->last.coro;
	return analyze_ties_is_for_untold_lock(coro) ? 0 : coro->turns->wake.coro;
}

/*
 * May the coroutine wait for the other one, or for one of its kind? Not if both wait for locks: the one that gave up a
 * lock last need not have it now. One that waits for the end of others waits for no single one.
 */
static bool waits_for(const struct analysis *analysis, uint32_t index, uint32_t other)
{
	const struct model_coro *coro = coro_at(analysis, index), *at = coro_at(analysis, other);
	uint32_t by = last_waker(analysis, coro);

	if (!by || analyze_wait_is_for_ends(coro) || analyze_wait_is_for_ends(at) ||
		(analyze_ties_is_for_untold_lock(coro) && analyze_ties_is_for_untold_lock(at)))
		return false;
	return by == other || analyze_successors_are_kin(analysis, by, other);
}

uint32_t analyze_kin_circle_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct provenance_relay *relay = analyze_provenance_relay(analysis, coro);
	uint32_t index = model_index(analysis->model, coro);
	uint32_t other = relay ? analyze_successors_of(analysis, relay->last.coro) : 0;
	const struct model_coro *at = coro_at(analysis, other);

	return other && !analyze_successors_are_kin(analysis, other, index) &&
			       lasts(analysis, coro) && lasts(analysis, at) &&
			       coro->wait_site != at->wait_site && waits_for(analysis, other, index)
		       ? other
		       : 0;
}

/* ---------------------------------------------------------------- folding groups */

static bool has_waiter(const struct analysis *analysis, const struct group *group, uint32_t other)
{
	uint32_t i;

	for (i = 0; i < group->count && i < MEMBERS_ASKED; i++) {
		uint32_t coro = analyze_group_first(analysis, group)[i].coro;

		if (coro && coro != other && coro_at(analysis, coro)->state == CT_STATE_WAITING &&
			analyze_kin_circle_of(analysis, coro_at(analysis, coro)) == other)
			return true;
	}
	return false;
}

static bool is_second(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = analyze_group_first(analysis, group);
	size_t i;

	if (group->count != 1 || group->nr_parents || !first->coro ||
		!analyze_lock_circle_leaves_bare(analysis, first))
		return false;
	for (i = 0; i < analysis->groups.count; i++) {
		const struct group *of = &analysis->groups.at[i];

		if (of != group && analyze_group_first(analysis, of)->grade >= first->grade &&
			analyze_group_first(analysis, of)->rule == first->rule &&
			has_waiter(analysis, of, first->coro))
			return true;
	}
	return false;
}

void analyze_kin_circle_survey(struct analysis *analysis)
{
	analyze_groups_fold(analysis, is_second);
}

/* ---------------------------------------------------------------- the evidence */

/* The other one of its pair, if that one waits where such as it end the waits, or the other way round; 0: none. */
static uint32_t pair_of(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = coro_at(analysis, index);
	uint32_t other = analyze_pairs_other(analysis, coro);
	bool is_woken = coro->turns->wake.coro == other;

	return other && waits_for(analysis, is_woken ? index : other, is_woken ? other : index)
		       ? other
		       : 0;
}

uint32_t analyze_kin_circle_any(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t other = analyze_kin_circle_of(analysis, coro);

	return other ? other : pair_of(analysis, model_index(analysis->model, coro));
}

const char *analyze_kin_circle_words(struct analysis *analysis, const struct group *group)
{
	uint32_t first = analyze_group_first(analysis, group)->coro;
	uint32_t other = analyze_kin_circle_any(analysis, coro_at(analysis, first));

	/* A circle that is known by what each waits for says more. */
	if (!other || analyze_group_has(analysis, group, other) ||
		analyze_giver_circle_of(analysis, first))
		return "";
	return analyze_say(analysis, "; %s and coroutine %" PRIu64 " may wait for each other",
		group->count == 1 ? "it" : "they", coro_at(analysis, other)->id);
}

void analyze_kin_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t index = analyze_kin_circle_of(analysis, coro);
	const struct model_coro *other = coro_at(analysis, index);
	bool is_new;

	if (!index || analyze_pairs_other(analysis, coro) == index)
		return;
	is_new = !analyze_provenance_relay(analysis, other);
	analyze_story_evidence(analysis, story,
		"%s, %s ended the last wait there, waits since %s, at %s, where one of this one's "
		"kind %s: they may wait for each other",
		analyze_words_coro(analysis, other),
		analyze_provenance_relay(analysis, coro)->last.coro == index ? "which"
									     : "of the kind that",
		analyze_words_time(analysis, other->suspended),
		analyze_words_place(analysis, other->wait_site),
		is_new ? "woke it last" : "ended the last wait");
	analyze_story_party(analysis, story, index, 0);
}
