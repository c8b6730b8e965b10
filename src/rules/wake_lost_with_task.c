/* SPDX-License-Identifier: MIT */
/*
 * Wakes lost with a task: coroutines that are woken at a place, or for an object, usually wake the next one, or give
 * back what they were given. The last woken coroutine ended without doing so, and others have waited since before
 * that, and still wait (analyze/provenance.h). A permit of a semaphore, a lock, or a connection of a pool is lost
 * like this with a task that is cancelled, fails, or returns early.
 *
 * The rule is silent if another coroutine that was woken there is alive, and may still pass the wake on; if woken
 * coroutines usually keep what the wake brings; if the object was given back or notified since; and if the program is
 * shutting down.
 */
#include <inttypes.h>

#include "analyze/proof.h"
#include "analyze/provenance.h"
#include "rules/parts.h"

enum variant {
	VARIANT_HANDED = 1, /* the object was handed over, and never given back */
	VARIANT_FREE,       /* the object is free, and nobody has taken it since */
	VARIANT_USUAL,      /* other coroutines pass the wake on */
};

static unsigned kind_of(const struct provenance_relay *relay)
{
	return CTP_HANDLE_RESOURCE(relay->object);
}

static const struct model_object *object_of(
	const struct analysis *analysis, const struct provenance_relay *relay)
{
	return analyze_ties_object_at(analysis, relay->process, relay->object);
}

/* ---------------------------------------------------------------- the waiters */

static bool is_victim(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	ct_time end = analysis->parties[coro->process].end;

	return coro->state == CT_STATE_WAITING && !analysis->is_told[index] && !coro->mark &&
	       coro->suspended < end && !analyze_wait_is_until_later(coro, end) &&
	       analyze_provenance_relay(analysis, coro);
}

/* By relay: since when the oldest waiter waits; INT64_MAX: nobody waits. */
static ct_time *list_waits(struct analysis *analysis)
{
	uint32_t count, i;
	const struct provenance_relay *relays = analyze_provenance_relays(analysis, &count);
	ct_time *since = analyze_scratch(analysis, count, sizeof(*since));

	for (i = 0; since && i < count; i++)
		since[i] = INT64_MAX;
	for (i = 1; since && i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];
		ct_time *of;

		if (!is_victim(analysis, i))
			continue;
		of = &since[analyze_provenance_relay(analysis, coro) - relays];
		*of = coro->suspended < *of ? coro->suspended : *of;
	}
	return since;
}

/* ---------------------------------------------------------------- the judgement */

/* Did the coroutine that was woken last end, with certainty, without a finding of its own, and unintended? */
static bool is_lost(const struct analysis *analysis, const struct provenance_relay *relay)
{
	const struct model_coro *coro = &analysis->model->coros.at[relay->lost];

	return relay->lost && !relay->is_given && !relay->nr_owing &&
	       coro->state >= CT_STATE_DONE && !coro->is_presumed_done && !coro->is_remains &&
	       !analysis->is_told[relay->lost] && coro->mark != CTP_MARK_DAEMON &&
	       !(coro->flags & MODEL_CORO_WAS_REPLACED) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, relay->lost_time);
}

static enum variant variant_of(
	const struct analysis *analysis, const struct provenance_relay *relay)
{
	const struct model_object *object = object_of(analysis, relay);
	bool is_lock = kind_of(relay) == CTP_RESOURCE_LOCK;
	bool is_quiet = analysis->parties[relay->process].workers_quiet > relay->lost_time;

	if (is_lock && object->owner == relay->lost && object->is_handed)
		return is_quiet ? VARIANT_HANDED : 0;
	/* A lock that the coroutine took itself and never released has a finding of its own. */
	if (is_lock && object->owner)
		return 0;
	if (is_quiet && (is_lock || kind_of(relay) == CTP_RESOURCE_SEMAPHORE) &&
		object->has_takers && !object->owner && object->released != CT_NO_TIME &&
		object->released <= relay->lost_time)
		return VARIANT_FREE;
	return analyze_provenance_is_passed_on(analysis, relay) ? VARIANT_USUAL : 0;
}

/* Was the lock handed to a coroutine that something else had made ready before, such as a cancellation? */
static bool is_handed_late(
	const struct analysis *analysis, const struct provenance_relay *relay, enum variant variant)
{
	const struct model_object *object = object_of(analysis, relay);

	return variant == VARIANT_HANDED && object->owner_site &&
	       object->owner_site != relay->last.site && object->owned > relay->last.time;
}

/* Has nobody been woken there for far longer than any ended wait took? */
static bool is_long(const struct analysis *analysis, const struct provenance_relay *relay)
{
	const struct histogram *waits = model_waits_at(analysis->model, relay->site);
	int64_t since_ns = analyze_party_working_until(analysis, relay->process) - relay->lost_time;

	return waits->count && since_ns > LIMIT(analysis, WAKE_LOST_TIME) &&
	       (uint64_t)since_ns / TIMES_LONGER > waits->max;
}

/* Is each wake there for one waiter only? */
static bool is_strict(const struct provenance_relay *relay)
{
	return relay->object &&
	       (kind_of(relay) == CTP_RESOURCE_LOCK || kind_of(relay) == CTP_RESOURCE_SEMAPHORE ||
		       kind_of(relay) == CTP_RESOURCE_CONDITION);
}

static enum ct_grade grade_usual(
	const struct analysis *analysis, const struct provenance_relay *relay)
{
	const struct party *party = &analysis->parties[relay->process];
	bool is_reachable = model_process_is_reachable(&analysis->model->processes[relay->process]);

	if (party->has_ended_well)
		return CT_GRADE_NONE;
	if (analyze_party_has_nobody_left(party) && !is_reachable)
		return CT_GRADE_PROVEN;
	if ((analyze_party_says_nobody_is_left(party) ||
		    analyze_party_has_failed_in_sleep(party)) &&
		!is_reachable)
		return CT_GRADE_LIKELY;
	if (!is_long(analysis, relay))
		return CT_GRADE_NONE;
	return is_strict(relay) ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT;
}

static enum ct_grade grade_of(
	const struct analysis *analysis, const struct provenance_relay *relay, enum variant variant)
{
	const struct party *party = &analysis->parties[relay->process];

	if (variant == VARIANT_USUAL)
		return grade_usual(analysis, relay);
	if (variant == VARIANT_HANDED && !party->has_ended_well)
		return CT_GRADE_PROVEN;
	return analyze_party_has_nobody_left(party) ? CT_GRADE_PROVEN : CT_GRADE_LIKELY;
}

/* False: there is nothing to report about this relay. */
static bool judge(struct analysis *analysis, const struct provenance_relay *relay, ct_time since,
	struct candidate *ret_candidate)
{
	enum variant variant;

	/* A coroutine that came later may have found the object taken, and wait for the next wake. */
	if (!is_lost(analysis, relay) || since >= relay->lost_time)
		return false;
	variant = variant_of(analysis, relay);
	*ret_candidate = (struct candidate){
		.rule = CT_RULE_WAKE_LOST_WITH_TASK,
		.grade = variant ? grade_of(analysis, relay, variant) : CT_GRADE_NONE,
		.process = relay->process,
		.cause_site = is_handed_late(analysis, relay, variant)
				      ? object_of(analysis, relay)->owner_site
				      : relay->last.site,
		.variant = variant,
	};
	if (!ret_candidate->grade)
		return false;
	if (variant == VARIANT_HANDED &&
		!analyze_candidate_settle(analysis, ret_candidate, relay->lost_time))
		return false;
	analyze_candidate_lower_for_gaps(
		analysis, ret_candidate, FROM_THE_BEGINNING, analysis->parties[relay->process].end);
	return true;
}

static void add(struct analysis *analysis, const struct candidate *of_relay, uint32_t subject,
	uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = *of_relay;

	candidate.coro = index;
	candidate.wait_site = coro->wait_site;
	candidate.since = coro->suspended;
	candidate.subject = subject;
	if (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t count, i;
	const struct provenance_relay *relays = analyze_provenance_relays(analysis, &count);
	struct candidate *judged = analyze_scratch(analysis, count, sizeof(*judged));
	ct_time *since = list_waits(analysis);

	for (i = 1; judged && since && i < count; i++)
		if (!judge(analysis, &relays[i], since[i], &judged[i]))
			judged[i].grade = CT_GRADE_NONE;
	for (i = 1; judged && since && i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];
		uint32_t relay;

		if (!is_victim(analysis, i))
			continue;
		relay = (uint32_t)(analyze_provenance_relay(analysis, coro) - relays);
		if (judged[relay].grade)
			add(analysis, &judged[relay], relay, i);
	}
}

bool rules_wake_lost_with_task_is_told(const struct analysis *analysis, uint32_t coro)
{
	uint32_t count, i;
	const struct provenance_relay *relays = analyze_provenance_relays(analysis, &count);

	for (i = 0; i < analysis->candidates.count; i++) {
		const struct candidate *candidate = &analysis->candidates.at[i];

		if (candidate->rule == CT_RULE_WAKE_LOST_WITH_TASK &&
			relays[candidate->subject].lost == coro)
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- the proof */

static const struct provenance_relay *relay_of(
	const struct analysis *analysis, const struct candidate *candidate)
{
	uint32_t count;

	return &analyze_provenance_relays(analysis, &count)[candidate->subject];
}

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct provenance_relay *relay = relay_of(analysis, candidate);
	const struct model_coro *lost = &analysis->model->coros.at[relay->lost];

	claim_told(claims, relay->last.sequence, CLAIM_KIND(WAKE), 0);
	claim_told(claims, relay->lost_event,
		CLAIM_KIND(RETURN) | CLAIM_KIND(SUSPEND) | CLAIM_KIND(SWITCH) | CLAIM_KIND(DESTROY),
		claim_coro(lost->id));
	if (candidate->variant != VARIANT_HANDED) {
		analyze_claim_nobody_left(analysis, candidate, claims);
		return;
	}
	analyze_claim_kept(object_of(analysis, relay), claims);
	analyze_claim_stays(analysis, candidate->coro, true, claims);
	claim_whole(claims, candidate->process, 0, FROM_THE_BEGINNING,
		analysis->parties[candidate->process].end);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_end(
	struct analysis *analysis, const struct provenance_relay *relay, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[relay->lost];
	struct ct_step step = {
		.time = relay->lost_time,
		.thread = relay->lost_thread,
		.coro = coro->id,
		.sequence = relay->lost_event,
		.text = "ended; it had passed the wake on to nobody",
	};

	if (coro->flags & (MODEL_CORO_WAS_DESTROYED_WAITING | MODEL_CORO_WAS_DESTROYED_READY))
		analyze_story_destroyed(analysis, story, coro);
	else
		analyze_story_step(analysis, story, &step);
}

static void tell_late(
	struct analysis *analysis, const struct provenance_relay *relay, struct story *story)
{
	const struct model_object *object = object_of(analysis, relay);
	struct ct_step step = {
		.time = object->owned,
		.site = object->owner_site,
		.thread = object->owner_thread,
		.coro = object->giver ? analysis->model->coros.at[object->giver].id : 0,
		.sequence = object->owner_event,
		.text = analyze_say(analysis, "handed %s over to coroutine %" PRIu64,
			analyze_words_resource(analysis, relay->object, 0),
			analysis->model->coros.at[relay->lost].id),
	};

	analyze_story_step(analysis, story, &step);
}

static const char next_step_of_late[] =
	"hand a lock only to a waiter whose wait this ends: one that was cancelled, or whose time "
	"was up, goes on without it";

static void tell_object(struct analysis *analysis, const struct provenance_relay *relay,
	enum variant variant, struct story *story)
{
	const char *what = analyze_words_resource(analysis, relay->object, 0);

	if (variant == VARIANT_HANDED)
		analyze_story_evidence(
			analysis, story, "%s was handed over to it, and never released", what);
	if (variant == VARIANT_FREE)
		analyze_story_evidence(analysis, story,
			"%s was given back before, and nobody has taken it since", what);
}

static void tell_usual(
	struct analysis *analysis, const struct provenance_relay *relay, struct story *story)
{
	uint64_t nr_kept = relay->nr_kept + relay->nr_healed;

	if (relay->nr_passed)
		analyze_story_evidence(analysis, story,
			"%s of those that were woken woke the next one, or gave back what they "
			"were given, and %s did not",
			analyze_words_number(analysis, relay->nr_passed),
			analyze_words_number(analysis, nr_kept + 1));
}

static const char *words_title(
	struct analysis *analysis, const struct group *group, const struct provenance_relay *relay)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *lost = &analysis->model->coros.at[relay->lost];

	if (is_handed_late(analysis, relay, (enum variant)first->variant))
		return analyze_say(analysis,
			"%s at %s; %s was handed over, at %s, to %s, which had been made ready "
			"before "
			"that, and ended without giving it back",
			analyze_words_count(analysis, group),
			analyze_words_place(analysis, first->wait_site),
			analyze_words_resource(analysis, relay->object, 0),
			analyze_words_place(analysis, first->cause_site),
			analyze_words_coro(analysis, lost));
	return analyze_say(analysis, "%s at %s; the last wake there, from %s, died with %s",
		analyze_words_count(analysis, group),
		analyze_words_place(analysis, first->wait_site),
		analyze_words_place(analysis, relay->last.site),
		analyze_words_coro(analysis, lost));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct provenance_relay *relay = relay_of(analysis, first);
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct model_coro *lost = &analysis->model->coros.at[relay->lost];

	finding->title = words_title(analysis, group, relay);
	analyze_story_suspended(analysis, story, coro);
	analyze_story_wake(analysis, story, &relay->last,
		analyze_say(analysis, "woke coroutine %" PRIu64, lost->id));
	if (is_handed_late(analysis, relay, (enum variant)first->variant)) {
		tell_late(analysis, relay, story);
		finding->next_step = next_step_of_late;
	}
	if (lost->suspended > relay->last.time && lost->point == CTP_POINT_AWAIT)
		analyze_story_suspended(analysis, story, lost);
	tell_end(analysis, relay, story);
	tell_object(analysis, relay, (enum variant)first->variant, story);
	analyze_provenance_tell_places(analysis, story, coro);
	tell_usual(analysis, relay, story);
	analyze_story_victims(analysis, story, group);
}

const struct rule rules_wake_lost_with_task = {
	.find = find,
	.certify = certify,
	.describe = describe,
};
