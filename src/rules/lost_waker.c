/* SPDX-License-Identifier: MIT */
/*
 * Lost wakers: a poll returned that nothing is there yet, and the coroutine kept no waker by which it could be woken,
 * as a probe reports that counts wakers. A future that is never to become ready takes no waker either, so the finding
 * is only a Suspect if no waker was taken at all. In addition a coroutine must wait for this one's end or for a lock
 * that it holds, or nothing may be left in the process that could act, or waits at this place must usually end by
 * wakes.
 *
 * The rule is silent about coroutines that are marked, that wait for a time, or whose program shuts down, and about
 * places where coroutines are polled without a wake.
 */

#include "rules/parts.h"

static bool is_excused(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_place_times *times = model_times_at(analysis->model, coro->wait_site);
	ct_time end = analyze_party_working_until(analysis, coro->process);

	return coro->mark || coro->rare->deadline != CT_NO_TIME ||
	       analysis->parties[coro->process].has_ended_well ||
	       analyze_ties_is_shutting_down(analysis, coro->process, coro->suspended) ||
	       end - coro->suspended <= LIMIT(analysis, LOST_WAKER_TIME) ||
	       (times && times->nr_unwoken);
}

/* By coroutine: does another one wait for its end, or for what it holds? */
static bool *list_awaited(struct analysis *analysis)
{
	uint32_t count = (uint32_t)analysis->model->coros.count, i;
	bool *is_awaited = analyze_scratch(analysis, count, sizeof(*is_awaited));

	for (i = 1; is_awaited && i < count; i++)
		if (analysis->model->coros.at[i].state == CT_STATE_WAITING)
			is_awaited[analyze_ties_next(analysis, i)] = true;
	return is_awaited;
}

/* Have wakes ended waits at this place again and again? */
static bool do_waits_end_there(const struct analysis *analysis, const struct model_coro *coro)
{
	return (int64_t)model_waits_at(analysis->model, coro->wait_site)->count >=
	       LIMIT(analysis, LOST_WAKER_WAITS);
}

/* Does the coroutine that started it wait, perhaps for its end? */
static bool is_joined(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *parent = &analysis->model->coros.at[coro->parent];

	return coro->parent && model_is_awaiting(parent) && !parent->mark &&
	       parent->rare->deadline == CT_NO_TIME && analyze_ties_may_be_for_end(parent);
}

/* A future that is never to be ready ends no wait. */
static bool has_wait_ended_there(const struct analysis *analysis, const struct model_coro *coro)
{
	return model_waits_at(analysis->model, coro->wait_site)->count;
}

/* Would the wait alone be found: is nobody left in the process, or did it fail with all threads asleep? */
static enum ct_grade grade_by_stillness(
	const struct analysis *analysis, const struct model_coro *coro, bool is_awaited)
{
	const struct party *party = &analysis->parties[coro->process];

	if (!(is_awaited || is_joined(analysis, coro)) || !has_wait_ended_there(analysis, coro))
		return CT_GRADE_NONE;
	if (analyze_party_has_nobody_left(party))
		return CT_GRADE_PROVEN;
	return analyze_party_says_nobody_is_left(party) || analyze_party_has_failed_in_sleep(party)
		       ? CT_GRADE_LIKELY
		       : CT_GRADE_NONE;
}

static enum ct_grade grade_by_waker(
	const struct analysis *analysis, const struct model_coro *coro, bool is_awaited)
{
	const struct party *party = &analysis->parties[coro->process];
	bool was_taken = coro->turns->wake.was_taken;

	if (is_awaited || analyze_party_has_nobody_left(party))
		return was_taken ? CT_GRADE_PROVEN : CT_GRADE_SUSPECT;
	if (do_waits_end_there(analysis, coro) || analyze_party_says_nobody_is_left(party))
		return was_taken ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT;
	return CT_GRADE_NONE;
}

static enum ct_grade grade_of(
	const struct analysis *analysis, const struct model_coro *coro, bool is_awaited)
{
	enum ct_grade by_waker = grade_by_waker(analysis, coro, is_awaited);
	enum ct_grade by_stillness = grade_by_stillness(analysis, coro, is_awaited);

	return by_waker > by_stillness ? by_waker : by_stillness;
}

static void judge(struct analysis *analysis, uint32_t index, bool is_awaited)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_LOST_WAKER,
		.grade = grade_of(analysis, coro, is_awaited),
		.process = coro->process,
		.coro = index,
		.wait_site = coro->wait_site,
		.since = coro->suspended,
	};

	if (candidate.grade == CT_GRADE_NONE)
		return;
	if (!coro->turns->wake.was_taken && candidate.grade == CT_GRADE_SUSPECT)
		candidate.reasons |= REASON(NO_WAKER_TAKEN);
	analyze_candidate_lower_for_gaps(analysis, &candidate,
		analyze_candidate_life_start(analysis, coro), analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const bool *is_awaited = list_awaited(analysis);
	uint32_t i;

	for (i = 1; is_awaited && i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];

		if (!analysis->is_told[i] && analyze_ties_keeps_no_waker(coro) &&
			!is_excused(analysis, coro))
			judge(analysis, i, is_awaited[i]);
	}
}

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];

	if (!coro->turns->wake.was_taken)
		analyze_claim_nobody_left(analysis, candidate, claims);
	analyze_claim_stays(analysis, candidate->coro, true, claims);
	claim_told(claims, coro->turns->wake.sequence, CLAIM_KIND(WAKE), claim_coro(coro->id));
	claim_whole(
		claims, coro->process, 0, coro->suspended, analysis->parties[coro->process].end);
}

bool rules_lost_waker_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	struct ct_step step = {
		.time = coro->turns->wake.time,
		.thread = coro->turns->wake.thread,
		.sequence = coro->turns->wake.sequence,
		.text = coro->turns->wake.was_taken
				? "a clone of its waker was taken and dropped in that run, and "
				  "none "
				  "was alive then: nobody can wake it"
				: "no clone of its waker was alive then: nobody can wake it",
	};

	if (!analyze_ties_keeps_no_waker(coro))
		return false;
	analyze_story_step(analysis, story, &step);
	return true;
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	finding->title = analyze_say(analysis, "%s at %s, and kept no waker",
		analyze_words_count(analysis, group),
		analyze_words_place(analysis, first->wait_site));
	analyze_story_suspended(analysis, story, coro);
	rules_lost_waker_tell(analysis, story, coro);
	analyze_story_held(analysis, story, first->coro);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence = coro->last_event;
}

const struct rule rules_lost_waker = {
	.find = find,
	.certify = certify,
	.describe = describe,
};
