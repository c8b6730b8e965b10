/* SPDX-License-Identifier: MIT */
/*
 * Untaken: all that took something from a channel have ended, and more and more is put into it. Nobody waits for it,
 * and nobody else was ever seen to take from it: what lies there stays, as when the task that handles the messages of a
 * queue was ended by an error of one of them.
 *
 * Nothing is found if little was put there since, or within a short time; if something has lain there for a tenth as
 * long before, as where a task comes now and then to fetch what there is; or if one lives that was started where those
 * that took were started: that one may take what was put, when its turn comes.
 */
#include <inttypes.h>

#include "analyze/successors.h"
#include "rules/parts.h"

#define LEAST_TAKES 10u
#define VARIANT_UNTAKEN UINT32_MAX /* those of growth are numbers of series */

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
	ct_time since = takers->put > taker->changed ? takers->put : taker->changed;
	int64_t least_ns = LIMIT(analysis, GROWTH_TIME);

	return CTP_HANDLE_RESOURCE(object->handle) == CTP_RESOURCE_CHANNEL &&
	       !model_is_unnamed(object->handle) && !takers->has_others &&
	       takers->nr_takes >= LEAST_TAKES &&
	       takers->nr_puts >= (uint64_t)LIMIT(analysis, GROWTH_RISE) && taker->id &&
	       taker->state >= CT_STATE_DONE && end - since >= least_ns &&
	       object->changed - since >= least_ns / 2 &&
	       (end - takers->put) / TIMES_LONGER > takers->longest_ns &&
	       !analyze_successors_live(analysis, takers->spawn_site) &&
	       !model_lost_between(model, object->process, FROM_THE_BEGINNING,
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
		.variant = VARIANT_UNTAKEN,
		.subject = index,
		.cause_site = taker_of(analysis, object)->wait_site,
		.since = object->takers.put,
		.is_cause = true,
	};
}

bool rules_untaken_is(const struct candidate *candidate)
{
	return candidate->variant == VARIANT_UNTAKEN;
}

void rules_untaken_describe(struct analysis *analysis, const struct group *group,
	struct story *story, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_object *object = &analysis->model->objects.at[first->subject];
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
	if (group->count > 1)
		analyze_story_evidence(analysis, story,
			"%" PRIu32 " more channels are as this one: those that took from them have "
			"ended at the same place",
			group->count - 1);
	analyze_story_party(analysis, story, object->owner, 0);
}
