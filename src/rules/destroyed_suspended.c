/* SPDX-License-Identifier: MIT */
/*
 * Destroyed while suspended, with a consequence for others: the coroutine held a lock, or was handed one, which
 * nobody can ever release; a permit or an item was handed to it after its end; or it had taken the wake that was
 * meant for the next coroutine in the queue.
 *
 * The rule is silent if the coroutine held nothing and was to be given nothing: cancellation, generators, tasks that
 * go out of scope, and shutdown look like this.
 */
#include <inttypes.h>

#include "analyze/takings.h"
#include "rules/parts.h"

enum variant {
	VARIANT_KEPT = 1, /* the coroutine holds the object, or was handed it */
	/* the coroutine had been woken for the object, and was destroyed before it ran */
	VARIANT_CUT,
};

static bool is_excused(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_ties_is_shutting_down(analysis, coro->process, coro->rare->destroyed) ||
	       coro->mark == CTP_MARK_DAEMON;
}

/*
 * Was the object given to the coroutine after its end, or while it waited for it, so that it never ran with the
 * object?
 */
static bool is_given_in_vain(const struct model_object *object, const struct model_coro *coro)
{
	bool is_waiting =
		(coro->flags & MODEL_CORO_WAS_DESTROYED_WAITING) && object->owned > coro->suspended;

	return object->is_handed && (is_waiting || object->owned >= coro->rare->destroyed ||
					    (coro->flags & MODEL_CORO_WAS_DESTROYED_READY));
}

static bool is_kept_for_ever(const struct analysis *analysis, const struct model_object *object)
{
	const unsigned suspended =
		MODEL_CORO_WAS_DESTROYED_WAITING | MODEL_CORO_WAS_DESTROYED_READY;
	const struct model_coro *coro;
	bool is_lock = CTP_HANDLE_RESOURCE(object->handle) == CTP_RESOURCE_LOCK;

	if (object->owner == MODEL_OWNER_UNKNOWN || !object->owner)
		return false;
	coro = &analysis->model->coros.at[object->owner];
	return (coro->flags & suspended) && !is_excused(analysis, coro) &&
	       (is_lock || is_given_in_vain(object, coro));
}

/* Do others wait although the object is there for them: a free lock, or more given than taken? */
static bool is_cut_off(const struct analysis *analysis, uint32_t index)
{
	const struct model_object *object = &analysis->model->objects.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[object->cut];
	bool is_lock = CTP_HANDLE_RESOURCE(object->handle) == CTP_RESOURCE_LOCK;
	bool is_free = is_lock && !object->owner && object->released != CT_NO_TIME &&
		       object->released <= coro->rare->destroyed;

	return object->cut && !is_excused(analysis, coro) &&
	       analyze_ties_nr_waiters(analysis, index) &&
	       (is_free || analyze_takings_left_something(analysis, object));
}

/*
 * The wait of the coroutine that the object is there for must be certain, too. What is left in the object depends on
 * every event that gave or took something.
 */
static ct_time gap_start(const struct analysis *analysis, uint32_t index, enum variant variant,
	const struct model_coro *coro)
{
	const struct model_object *object = &analysis->model->objects.at[index];
	ct_time life = analyze_candidate_life_start(analysis, coro);
	ct_time waits = analyze_ties_waits_since(analysis, index);

	if (variant == VARIANT_CUT && analyze_takings_left_something(analysis, object))
		return FROM_THE_BEGINNING;
	return waits != CT_NO_TIME && waits < life ? waits : life;
}

static void judge(struct analysis *analysis, uint32_t index, enum variant variant)
{
	const struct model_object *object = &analysis->model->objects.at[index];
	uint32_t of = variant == VARIANT_CUT ? object->cut : object->owner;
	const struct model_coro *coro = &analysis->model->coros.at[of];
	ct_time begun = variant == VARIANT_CUT ? coro->turns->wake.time : object->owned;
	ct_time since = begun > coro->rare->destroyed ? begun : coro->rare->destroyed;
	struct candidate candidate = {
		.rule = CT_RULE_DESTROYED_SUSPENDED,
		.grade = CT_GRADE_PROVEN,
		.process = coro->process,
		.coro = of,
		.wait_site = coro->wait_site,
		.cause_site = variant == VARIANT_CUT ? coro->turns->wake.site : object->owner_site,
		.variant = variant,
		.subject = index,
		.since = since,
	};

	if (!analyze_candidate_settle(analysis, &candidate, since))
		return;
	if (analyze_ties_nr_waiters(analysis, index) == 0)
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_NOT_TAKEN);
	if (coro->flags & MODEL_CORO_WAS_REPLACED)
		analyze_candidate_lower(&candidate, REASON_END_UNSEEN);
	if (variant == VARIANT_CUT && (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE))
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	analyze_candidate_lower_for_gaps(analysis, &candidate,
		gap_start(analysis, index, variant, coro), analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->objects.count; i++) {
		const struct model_object *object = &model->objects.at[i];

		if (is_kept_for_ever(analysis, object) && !analysis->is_told[object->owner])
			judge(analysis, i, VARIANT_KEPT);
		else if (is_cut_off(analysis, i) && !analysis->is_told[object->cut])
			judge(analysis, i, VARIANT_CUT);
	}
}

/* ---------------------------------------------------------------- the proof */

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_object *object = &analysis->model->objects.at[candidate->subject];
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];

	claim_told(claims, coro->rare->destroy_event, CLAIM_KIND(DESTROY), claim_coro(coro->id));
	if (candidate->variant == VARIANT_KEPT)
		analyze_claim_kept(object, claims);
	else
		claim_told(claims, coro->turns->wake.sequence, CLAIM_KIND(WAKE), 0);
	claim_whole(
		claims, coro->process, 0, candidate->since, analysis->parties[coro->process].end);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_owner(struct analysis *analysis, const struct model_object *object,
	const struct model_coro *coro, struct story *story)
{
	const char *lock = analyze_words_resource(analysis, object->handle, 0);
	struct ct_step step = {
		.time = object->owned,
		.site = object->owner_site,
		.thread = object->owner_thread,
		.coro = analysis->model->coros.at[object->is_handed ? object->giver : object->owner]
				.id,
		.sequence = object->owner_event,
		.text = analyze_say(analysis, "took %s", lock),
	};

	if (object->is_handed)
		step.text = analyze_say(analysis, "handed %s over to coroutine %" PRIu64 "%s", lock,
			coro->id, object->owned >= coro->rare->destroyed ? ", which was gone" : "");
	analyze_story_step(analysis, story, &step);
}

static void tell_kept(struct analysis *analysis, const struct model_object *object,
	const struct model_coro *coro, struct story *story)
{
	if (object->owned < coro->suspended)
		tell_owner(analysis, object, coro, story);
	analyze_story_suspended(analysis, story, coro);
	if (object->owned >= coro->suspended && object->owned < coro->rare->destroyed)
		tell_owner(analysis, object, coro, story);
	if (coro->flags & MODEL_CORO_WAS_DESTROYED_READY)
		analyze_story_woken(analysis, story, coro, model_wake_ready(coro));
	analyze_story_destroyed(analysis, story, coro);
	if (object->owned >= coro->rare->destroyed)
		tell_owner(analysis, object, coro, story);
}

static void tell_cut(struct analysis *analysis, const struct model_object *object,
	const struct model_coro *coro, struct story *story)
{
	struct model_waking wake = model_wake_last(coro);

	analyze_story_suspended(analysis, story, coro);
	analyze_story_wake(analysis, story, &wake,
		analyze_say(analysis, "woke coroutine %" PRIu64 ", to take %s", coro->id,
			analyze_words_resource(analysis, object->handle, 0)));
	analyze_story_destroyed(analysis, story, coro);
}

static const char *words_consequence(
	struct analysis *analysis, const struct candidate *first, const struct model_object *object)
{
	const char *what = analyze_words_resource(analysis, object->handle, 0);
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	if (first->variant == VARIANT_CUT)
		return analyze_say(
			analysis, "with it the wake for %s, which nobody has taken since", what);
	if (object->is_handed)
		return analyze_say(analysis, "%s was handed over to it%s, and is lost", what,
			coro->flags & MODEL_CORO_WAS_DESTROYED_READY ? " with a wake" : "");
	return analyze_say(analysis, "holds %s for ever", what);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_object *object = &analysis->model->objects.at[first->subject];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	uint32_t count = analyze_ties_nr_waiters(analysis, first->subject);

	finding->title =
		analyze_say(analysis, "%s %s destroyed while suspended at %s, and %s; %s for that",
			analyze_words_number(analysis, group->count),
			group->count == 1 ? "coroutine was" : "coroutines were",
			analyze_words_place(analysis, first->wait_site),
			words_consequence(analysis, first, object),
			count ? analyze_say(analysis, count == 1 ? "%s waits" : "%s wait",
					analyze_words_number(analysis, count))
			      : "nobody waits");
	if (first->variant == VARIANT_CUT)
		tell_cut(analysis, object, coro, story);
	else
		tell_kept(analysis, object, coro, story);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence =
		object->owner_event > coro->last_event ? object->owner_event : coro->last_event;
}

const struct rule rules_destroyed_suspended = {
	.find = find,
	.certify = certify,
	.describe = describe,
};
