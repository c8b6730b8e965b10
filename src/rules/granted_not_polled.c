/* SPDX-License-Identifier: MIT */
/*
 * Granted but not polled: something was handed over to a coroutine that waited, and the coroutine has not run since,
 * although every worker has been idle. At most Suspect if the wait ends by the clock, because the coroutine then
 * looks for itself. Destroyed coroutines are covered by another rule.
 */
#include <inttypes.h>

#include "rules/parts.h"

static bool is_left_alone(const struct analysis *analysis, const struct model_object *object)
{
	const struct model_coro *coro;

	if (!object->is_handed || object->owner == MODEL_OWNER_UNKNOWN || !object->owner)
		return false;
	coro = &analysis->model->coros.at[object->owner];
	return coro->state == CT_STATE_WAITING && coro->suspended < object->owned &&
	       coro->point == CTP_POINT_AWAIT && coro->mark == 0 &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, object->owned);
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_object *object = &analysis->model->objects.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[object->owner];
	struct candidate candidate = {
		.rule = CT_RULE_GRANTED_NOT_POLLED,
		.grade = CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = object->owner,
		.wait_site = coro->wait_site,
		.cause_site = object->owner_site,
		.descriptor = coro->rare->descriptor,
		.subject = index,
		.since = object->owned,
	};

	if (analysis->parties[coro->process].quiet <= object->owned)
		return;
	if (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	if (analyze_wait_is_timed(coro))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_LOOKS_AGAIN);
	analyze_candidate_lower_for_gaps(analysis, &candidate,
		analyze_candidate_life_start(analysis, coro), analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 1; i < model->objects.count; i++) {
		const struct model_object *object = &model->objects.at[i];

		if (is_left_alone(analysis, object) && !analysis->is_told[object->owner])
			judge(analysis, (uint32_t)i);
	}
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_object *object = &analysis->model->objects.at[first->subject];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	struct ct_step step = {
		.time = object->owned,
		.site = object->owner_site,
		.thread = object->owner_thread,
		.coro = analysis->model->coros.at[object->giver].id,
		.sequence = object->owner_event,
		.text = analyze_say(analysis,
			"handed %s over to coroutine %" PRIu64 ", which has not run since",
			analyze_words_resource(analysis, object->handle, 0), coro->id),
	};

	finding->title = analyze_say(analysis, "%s at %s, though %s was handed over to %s",
		analyze_words_count(analysis, group),
		analyze_words_place(analysis, first->wait_site),
		analyze_words_resource(analysis, object->handle, 0),
		group->count == 1 ? "it" : "them");
	analyze_story_suspended(analysis, story, coro);
	analyze_story_step(analysis, story, &step);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence = object->owner_event;
}

const struct rule rules_granted_not_polled = {
	.find = find,
	.describe = describe,
};
