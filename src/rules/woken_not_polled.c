/* SPDX-License-Identifier: MIT */
/*
 * Woken, not polled: a coroutine that is part of another one was woken. The other one, the whole, ran since, and did
 * not run the part: it went on to another wait, and every worker has been idle since. The part has what the wake
 * brought, and nobody else gets it. A permit or a lock that was handed over is reported by granted-not-polled.
 *
 * The rule is silent if the whole's wait ends by itself or from outside, if either of the two is marked, and at
 * shutdown.
 */
#include <inttypes.h>

#include "rules/parts.h"

static bool was_passed_by(const struct model_coro *part, const struct model_coro *whole)
{
	return part->state == CT_STATE_WAITING &&
	       part->turns->wake.outcome == CTP_OUTCOME_PASSED_ON &&
	       part->turns->wake.time != CT_NO_TIME && part->turns->wake.time > part->suspended &&
	       model_is_awaiting(whole) && whole->resumed > part->turns->wake.time;
}

/* Does the wait end by itself, or by the world outside? */
static bool ends_otherwise(const struct model_coro *coro)
{
	return analyze_wait_is_for_outside(coro) || coro->rare->deadline != CT_NO_TIME;
}

static bool waits_for(const struct model_coro *whole, const struct model_coro *part)
{
	return whole->wait_object == CTP_HANDLE(CTP_RESOURCE_COROUTINE, part->id);
}

static bool is_excused(const struct analysis *analysis, const struct model_coro *part,
	const struct model_coro *whole)
{
	return part->mark || whole->mark || part->rare->deadline != CT_NO_TIME ||
	       ends_otherwise(whole) || waits_for(whole, part) ||
	       analyze_ties_is_shutting_down(analysis, part->process, part->turns->wake.time) ||
	       analysis->parties[part->process].quiet <= whole->suspended;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *part = &analysis->model->coros.at[index];
	const struct model_coro *whole = &analysis->model->coros.at[part->parent];
	struct candidate candidate = {
		.rule = CT_RULE_WOKEN_NOT_POLLED,
		.grade = CT_GRADE_LIKELY,
		.process = part->process,
		.coro = index,
		.wait_site = part->wait_site,
		.cause_site = whole->wait_site,
		.since = part->turns->wake.time,
	};

	if (!whole->wait_object || (whole->flags & MODEL_CORO_WAITS_FOR_MORE))
		analyze_candidate_lower(&candidate, REASON_WAIT_UNTOLD);
	analyze_candidate_lower_for_gaps(analysis, &candidate,
		analyze_candidate_life_start(analysis, whole),
		analysis->parties[part->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *part = &model->coros.at[i];
		const struct model_coro *whole = &model->coros.at[part->parent];

		if (part->parent && !analysis->is_told[i] && was_passed_by(part, whole) &&
			!is_excused(analysis, part, whole))
			judge(analysis, i);
	}
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *part = &analysis->model->coros.at[first->coro];
	const struct model_coro *whole = &analysis->model->coros.at[part->parent];
	struct model_waking wake = model_wake_last(part);

	finding->title = analyze_say(analysis,
		"%s at %s, though woken: what %s part of went on to wait at %s",
		analyze_words_count(analysis, group),
		analyze_words_place(analysis, first->wait_site),
		group->count == 1 ? "it is" : "they are",
		analyze_words_place(analysis, first->cause_site));
	analyze_story_suspended(analysis, story, part);
	analyze_story_wake(analysis, story, &wake,
		analyze_say(analysis,
			"woke coroutine %" PRIu64 ", which is part of coroutine %" PRIu64, part->id,
			whole->id));
	analyze_story_suspended(analysis, story, whole);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = part->wait_event;
	finding->last_sequence = whole->last_event;
}

const struct rule rules_woken_not_polled = {
	.find = find,
	.describe = describe,
};
