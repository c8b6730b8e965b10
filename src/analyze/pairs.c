/* SPDX-License-Identifier: MIT */
/*
 * Pairs, found by the last wake of each coroutine and by the last wake at the place where the other one waits.
 */
#include "analyze/lock_circle.h"
#include "analyze/pairs.h"
#include "analyze/parts.h"
#include "analyze/provenance.h"
#include "analyze/wakers.h"

/* The coroutine that ended the last wait at the place where this one waits; 0: none, or not known. */
static uint32_t last_ender(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct provenance_relay *relay = analyze_provenance_relay(analysis, coro);

	return relay ? relay->last.coro : 0;
}

/* Do both wait, did `second` wake `first` last, and did `first` end the last wait at the place where `second` waits? */
static bool are_pair(const struct analysis *analysis, uint32_t first, uint32_t second)
{
	const struct model_coro *at = analysis->model->coros.at;

	return first && second && first != second && at[first].turns->wake.coro == second &&
	       analyze_wakers_is_bound(analysis, &at[first]) &&
	       analyze_wakers_is_bound(analysis, &at[second]) &&
	       last_ender(analysis, &at[second]) == first;
}

uint32_t analyze_pairs_other(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t index = model_index(analysis->model, coro);
	uint32_t waker = coro->turns->wake.coro, ender = last_ender(analysis, coro);

	if (are_pair(analysis, index, waker))
		return waker;
	return are_pair(analysis, ender, index) ? ender : 0;
}

/* ---------------------------------------------------------------- folding groups */

/* The only member of the group, if nothing but its wait was found; 0: the group has more. */
static uint32_t only_wait_of(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = &analysis->candidates.at[group->first];

	return group->count == 1 && !group->nr_parents &&
			       analyze_lock_circle_leaves_bare(analysis, first)
		       ? first->coro
		       : 0;
}

static bool waits_for_lock(const struct model_coro *coro)
{
	return CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK;
}

bool analyze_pairs_goes_first(const struct model_coro *coro, const struct model_coro *other)
{
	if (waits_for_lock(coro) != waits_for_lock(other))
		return waits_for_lock(other);
	return coro->suspended < other->suspended;
}

/* Is this the group of the second coroutine of a pair, and has the first one a group of at least the same grade? */
static bool is_second(const struct analysis *analysis, const struct group *group)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t coro = only_wait_of(analysis, group), other = 0;
	enum ct_grade grade = analysis->candidates.at[group->first].grade;
	size_t i;

	if (coro)
		other = analyze_pairs_other(analysis, &at[coro]);
	if (!other || analyze_pairs_goes_first(&at[coro], &at[other]) ||
		analyze_pairs_other(analysis, &at[other]) != coro)
		return false;
	for (i = 0; i < analysis->groups.count; i++) {
		const struct group *of = &analysis->groups.at[i];

		if (only_wait_of(analysis, of) == other &&
			analysis->candidates.at[of->first].grade >= grade)
			return true;
	}
	return false;
}

void analyze_pairs_survey(struct analysis *analysis)
{
	analyze_groups_fold(analysis, is_second);
}

/* ---------------------------------------------------------------- the evidence */

void analyze_pairs_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t index = analyze_pairs_other(analysis, coro);
	const struct model_coro *other = &analysis->model->coros.at[index];

	if (!index)
		return;
	analyze_story_evidence(analysis, story,
		coro->turns->wake.coro == index
			? "%s, which woke it last, waits at %s, where this coroutine ended the "
			  "last wait: they may wait for each other"
			: "%s, which ended the last wait there, waits at %s, and was woken last by "
			  "this coroutine: they may wait for each other",
		analyze_words_coro(analysis, other),
		analyze_words_place(analysis, other->wait_site));
	analyze_story_party(analysis, story, index, 0);
}
