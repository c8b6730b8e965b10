/* SPDX-License-Identifier: MIT */
/*
 * Two holders: a coroutine took an exclusive lock that another one held, and that one still held it.
 *
 * The first holder's next steps show that it did: it is resumed once more, well after the second one has the lock,
 * and only then releases it. A holder that only recorded its release late releases the lock in its present run.
 *
 * The rule is silent if another order of the events, within the reach of the clocks, has no overlap; if the second
 * coroutine waited for the lock after it had recorded taking it; if the first one waited with the lock in a way that
 * may have released it, or another coroutine released it; if several take the lock again and again, as readers do;
 * and if events are missing in between.
 */
#include <inttypes.h>

#include "rules/parts.h"

/* On one thread the order of events is certain. */
static int64_t reach_of(const struct analysis *analysis, const struct model_holding *holding)
{
	uint32_t thread = holding->first.thread;
	int64_t reach = LIMIT(analysis, TWO_HOLDERS_TIME);

	if (holding->second.thread == thread && holding->ended.time != CT_NO_TIME &&
		holding->ended.thread == thread)
		return 0;
	if (reach < analysis->model->uncertainty_ns)
		reach = analysis->model->uncertainty_ns;
	return reach < analysis->tables->reach_ns ? analysis->tables->reach_ns : reach;
}

/* Did one hold the lock after the other, within the reach of the clocks? True if either had released it by then. */
static bool is_explained(const struct analysis *analysis, const struct model_holding *holding)
{
	int64_t reach = reach_of(analysis, holding);

	if (holding->ended.time != CT_NO_TIME &&
		holding->ended.time - holding->second.time <= reach)
		return true;
	return holding->second_ended != CT_NO_TIME &&
	       holding->second_ended - holding->first.time <= reach;
}

/* So many overlaps are no accident: several may hold this lock. */
static bool is_shared(const struct model_object *object)
{
	return object->nr_overlaps > 3 && object->nr_overlaps > object->nr_takes / 4;
}

/* Is it certain that this wait does not release the lock unrecorded, as a wait for a condition does? */
static bool is_kept_through(uint64_t object, bool is_yield)
{
	switch (CTP_HANDLE_RESOURCE(object)) {
	case CTP_RESOURCE_NONE:
		return is_yield;
	case CTP_RESOURCE_CONDITION:
	case CTP_RESOURCE_EVENT:
	case CTP_RESOURCE_OTHER:
		return false;
	default:
		return true;
	}
}

static bool is_kept(const struct model_holding *holding)
{
	return (!holding->has_waited ||
		       is_kept_through(holding->waits_for[0], holding->is_yield[0])) &&
	       (!holding->has_moved ||
		       is_kept_through(holding->waits_for[1], holding->is_yield[1]));
}

static void grade(const struct analysis *analysis, const struct model_holding *holding,
	struct candidate *candidate)
{
	const struct model *model = analysis->model;

	if (holding->ended.time == CT_NO_TIME)
		analyze_candidate_limit(candidate,
			holding->tells_releases ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT,
			REASON_RELEASE_UNSEEN);
	else if (holding->resumed == CT_NO_TIME ||
		 holding->resumed - holding->second.time <= reach_of(analysis, holding))
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_RELEASE_LATE);
	/* If takings are missing, it is not known how often several hold the lock. */
	if (model_lost_between(model, candidate->process, FROM_THE_BEGINNING,
		    analysis->parties[candidate->process].end))
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_GAP);
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_holding *holding = &analysis->model->holdings.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[holding->second.coro];
	bool has_ended = holding->ended.time != CT_NO_TIME;
	ct_time until = has_ended ? holding->ended.time : analysis->parties[coro->process].end;
	int64_t doubt = analysis->model->uncertainty_ns;
	struct candidate candidate = {
		.rule = CT_RULE_TWO_HOLDERS,
		.grade = CT_GRADE_PROVEN,
		.process = coro->process,
		.coro = holding->second.coro,
		.wait_site = holding->second.site,
		.cause_site = holding->first.site,
		.subject = index,
		.since = holding->second.time,
	};

	if (model_lost_between(
		    analysis->model, coro->process, holding->first.time - doubt, until + doubt))
		return;
	grade(analysis, holding, &candidate);
	analyze_candidate_add(analysis, &candidate);
}

/* Adds a remark on a lock that cannot be judged: the program does not record whether several may hold it. */
static void say_shared(struct analysis *analysis, const struct model_object *object)
{
	analyze_quality_remark(analysis,
		"%s was taken %s of %s times while another coroutine held it, too often to judge "
		"that: record a lock that several may hold as a semaphore",
		analyze_words_named(analysis, object->process, object->handle, 0),
		analyze_words_number(analysis, object->nr_overlaps),
		analyze_words_number(analysis, object->nr_takes));
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->objects.count; i++)
		if (is_shared(&model->objects.at[i]))
			say_shared(analysis, &model->objects.at[i]);
	for (i = 1; i < model->holdings.count; i++) {
		const struct model_holding *holding = &model->holdings.at[i];

		if (!holding->is_withdrawn && is_kept(holding) &&
			!is_shared(&model->objects.at[holding->object]) &&
			!is_explained(analysis, holding))
			judge(analysis, i);
	}
}

/* ---------------------------------------------------------------- the proof */

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model *model = analysis->model;
	const struct model_holding *holding = &model->holdings.at[candidate->subject];
	uint64_t lock = model->objects.at[holding->object].handle;
	struct claim overlap = {
		.kind = CLAIM_OVERLAP,
		.process = candidate->process,
		.subject = lock,
		.by = {model->coros.at[holding->first.coro].id,
			model->coros.at[holding->second.coro].id},
		.kinds = CLAIM_KIND(RELEASE) | CLAIM_KIND(HAND_OVER),
		.after = holding->first.sequence,
		.before = holding->second.sequence,
	};

	claim_told(
		claims, holding->first.sequence, CLAIM_KIND(ACQUIRE) | CLAIM_KIND(HAND_OVER), lock);
	claim_told(claims, holding->second.sequence, CLAIM_KIND(ACQUIRE) | CLAIM_KIND(HAND_OVER),
		lock);
	claim_told(
		claims, holding->ended.sequence, CLAIM_KIND(RELEASE) | CLAIM_KIND(HAND_OVER), lock);
	claim_add(claims, &overlap);
	claim_whole(claims, candidate->process, 0, holding->first.time, holding->ended.time);
}

/* ---------------------------------------------------------------- the evidence */

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_holding *holding = &analysis->model->holdings.at[first->subject];
	const struct model_coro *holder = &analysis->model->coros.at[holding->first.coro];
	const char *lock = analyze_words_named(
		analysis, first->process, analysis->model->objects.at[holding->object].handle, 0);

	finding->title = analyze_say(analysis,
		"%s was taken at %s while coroutine %" PRIu64 " held it, which took it at %s%s",
		lock, analyze_words_place(analysis, first->wait_site), holder->id,
		analyze_words_place(analysis, first->cause_site),
		group->count > 1 ? analyze_say(analysis, "; so it was %s times",
					   analyze_words_number(analysis, group->count))
				 : "");
	analyze_story_resource(
		analysis, story, analysis->model->objects.at[holding->object].handle);
	analyze_story_wake(
		analysis, story, &holding->first, analyze_say(analysis, "took %s", lock));
	analyze_story_wake(
		analysis, story, &holding->second, analyze_say(analysis, "took %s, too", lock));
	analyze_story_wake(analysis, story, &holding->ended,
		analyze_say(analysis, "released %s, which it had held all the time", lock));
}

const struct rule rules_two_holders = {
	.find = find,
	.certify = certify,
	.describe = describe,
};
