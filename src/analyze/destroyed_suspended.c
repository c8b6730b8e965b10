/* SPDX-License-Identifier: MIT */
/*
 * Destroyed while suspended, with a consequence: a lock was handed to it, or it still holds one, and nobody
 * can ever give that back.
 *
 * Silent where it held nothing and was to be given nothing: that is how cancellation, generators, tasks
 * that go out of scope, and shutdown look.
 */
#include <inttypes.h>

#include "analyze_parts.h"

static bool is_locked_for_ever(const struct analysis *analysis, const struct model_object *object)
{
	const struct model_coro *coro;

	if (CTP_HANDLE_RESOURCE(object->handle) != CTP_RESOURCE_LOCK ||
		object->owner == MODEL_OWNER_UNKNOWN || !object->owner)
		return false;
	coro = &analysis->model->coros.at[object->owner];
	return (coro->flags & MODEL_CORO_WAS_DESTROYED_WAITING) &&
	       !ties_is_shutting_down(analysis, coro->process, coro->destroyed) &&
	       coro->mark != CTP_MARK_DAEMON;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_object *object = &analysis->model->objects.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[object->owner];
	ct_time since = object->owned > coro->destroyed ? object->owned : coro->destroyed;
	struct candidate candidate = {
		.rule = CT_RULE_DESTROYED_SUSPENDED,
		.grade = CT_GRADE_PROVEN,
		.process = coro->process,
		.coro = object->owner,
		.wait_site = coro->wait_site,
		.cause_site = object->owner_site,
		.subject = index,
		.since = since,
	};

	if (!candidate_settle(analysis, &candidate, since))
		return;
	if (ties_nr_waiters(analysis, object) == 0)
		candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_NOT_TAKEN);
	if (coro->flags & MODEL_CORO_WAS_REPLACED)
		candidate_lower(&candidate, REASON_END_UNSEEN);
	candidate_lower_for_gaps(analysis, &candidate,
		(object->owned < coro->destroyed ? object->owned : coro->destroyed) -
			analysis->model->uncertainty_ns,
		analysis->parties[coro->process].end);
	candidate_add(analysis, &candidate);
}

void destroyed_suspended_find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 1; i < model->objects.count; i++) {
		const struct model_object *object = &model->objects.at[i];

		if (is_locked_for_ever(analysis, object) && !analysis->is_told[object->owner])
			judge(analysis, (uint32_t)i);
	}
}

/* ---------------------------------------------------------------- telling it */

static void tell_owner(struct analysis *analysis, const struct model_object *object,
	const struct model_coro *coro, struct story *story)
{
	const char *lock = words_resource(analysis, object->handle, 0);
	struct ct_step step = {
		.time = object->owned,
		.site = object->owner_site,
		.thread = object->owner_thread,
		.coro = analysis->model->coros.at[object->is_handed ? object->giver : object->owner]
				.id,
		.sequence = object->owner_event,
		.text = say(analysis, "took %s", lock),
	};

	if (object->is_handed)
		step.text = say(analysis, "handed %s over to coroutine %" PRIu64 "%s", lock,
			coro->id, object->owned >= coro->destroyed ? ", which was gone" : "");
	story_step(analysis, story, &step);
}

void destroyed_suspended_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_object *object = &analysis->model->objects.at[first->subject];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	uint32_t count = ties_nr_waiters(analysis, object);
	struct story story = {0};

	finding->title = say(analysis,
		"%u %s destroyed while suspended at %s, and %s %s for ever; %u %s for that",
		group->count, group->count == 1 ? "coroutine was" : "coroutines were",
		words_place(analysis, first->wait_site),
		object->is_handed ? "is the owner of" : "holds",
		words_resource(analysis, object->handle, 0), count, count == 1 ? "waits" : "wait");
	if (object->owned < coro->destroyed)
		tell_owner(analysis, object, coro, &story);
	story_suspended(analysis, &story, coro);
	story_destroyed(analysis, &story, coro);
	if (object->owned >= coro->destroyed)
		tell_owner(analysis, object, coro, &story);
	story_end(analysis, &story, finding);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence =
		object->owner_event > coro->last_event ? object->owner_event : coro->last_event;
}
