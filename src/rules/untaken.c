/* SPDX-License-Identifier: MIT */
/*
 * Untaken: all that took something from a channel have ended, and more and more is put into it. Nobody waits for it,
 * and nobody else was ever seen to take from it: what lies there stays, as when the task that handles the messages of a
 * queue was ended by an error of one of them.
 *
 * Nothing is found if little was put there since, or within a short time, or if one lives that was started where those
 * that took were started: that one may take what was put, when its turn comes.
 */
#include <inttypes.h>

#include "rules/parts.h"

#define LEAST_TAKES 10u
#define LEAST_PUTS 16u

static const struct model_coro *taker_of(
	const struct analysis *analysis, const struct model_object *object)
{
	uint32_t owner = object->owner == MODEL_OWNER_UNKNOWN ? 0 : object->owner;

	return &analysis->model->coros.at[owner];
}

static bool is_untaken(const struct analysis *analysis, const struct model_object *object)
{
	const struct model *model = analysis->model;
	const struct model_takers *takers = &object->takers;
	const struct model_coro *taker = taker_of(analysis, object);
	ct_time end = analyze_party_working_until(analysis, object->process);
	const struct model_place_times *times = model_times_at(model, takers->spawn_site);

	return CTP_HANDLE_RESOURCE(object->handle) == CTP_RESOURCE_CHANNEL &&
	       !model_is_unnamed(object->handle) && !takers->has_others &&
	       takers->nr_takes >= LEAST_TAKES && takers->nr_puts >= LEAST_PUTS && taker->id &&
	       taker->state >= CT_STATE_DONE && taker->changed < takers->put &&
	       end - takers->put >= LIMIT(analysis, NOTIFIED_TIME) &&
	       object->changed - takers->put >= LIMIT(analysis, NOTIFIED_TIME) / 2 &&
	       (!times || !times->living.count) &&
	       !model_lost_between(model, object->process, object->owned,
		       analysis->parties[object->process].end);
}

bool rules_untaken_is_object(const struct analysis *analysis, uint32_t index)
{
	return index && is_untaken(analysis, &analysis->model->objects.at[index]);
}

struct candidate rules_untaken_candidate(const struct analysis *analysis, uint32_t index)
{
	const struct model_object *object = &analysis->model->objects.at[index];

	return (struct candidate){
		.rule = CT_RULE_UNBOUNDED_GROWTH,
		.grade = CT_GRADE_SUSPECT,
		.process = object->process,
		.variant = UINT32_MAX - index,
		.subject = index,
		.opposite = object->owner,
		.cause_site = taker_of(analysis, object)->wait_site,
		.since = object->takers.put,
		.is_cause = true,
	};
}

bool rules_untaken_is(const struct candidate *candidate)
{
	return candidate->opposite != 0;
}

void rules_untaken_describe(struct analysis *analysis, const struct candidate *candidate,
	struct story *story, struct ct_finding *finding)
{
	const struct model_object *object = &analysis->model->objects.at[candidate->subject];
	const struct model_takers *takers = &object->takers;
	const struct model_coro *taker = taker_of(analysis, object);
	struct ct_step step = {
		.time = taker->changed,
		.thread = taker->thread,
		.coro = taker->id,
		.site = taker->wait_site,
		.sequence = UINT64_MAX,
		.text = "this coroutine ended, which had taken what was put there; it waited here "
			"last",
	};

	finding->title = analyze_say(analysis,
		"%s: %s were put there, and nobody takes them: all that took something there have "
		"ended, %s as the last",
		analyze_words_resource(analysis, object->handle, 0),
		analyze_words_number(analysis, takers->nr_puts),
		analyze_words_coro(analysis, taker));
	analyze_story_step(analysis, story, &step);
	analyze_story_evidence(analysis, story,
		"%s were taken before, the last of them at %s; those that took them were started "
		"at %s, and none lives that was started there",
		analyze_words_number(analysis, takers->nr_takes),
		analyze_words_place(analysis, object->owner_site),
		analyze_words_place(analysis, takers->spawn_site));
	analyze_story_evidence(analysis, story, "put last at %s, %s after the first of them",
		analyze_words_place(analysis, object->put_site),
		analyze_words_duration(analysis, ct_time_between(takers->put, object->changed)));
	analyze_story_party(analysis, story, object->owner, 0);
}
