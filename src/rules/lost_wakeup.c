/* SPDX-License-Identifier: MIT */
/*
 * Lost wakeups: a coroutine waits, and nothing is left that could wake it; or what it waits for is there and no wake
 * came; or it has waited for very long. Only waits inside the program are judged, because the outside may still act.
 */

#include "analyze/asking.h"
#include "analyze/takings.h"
#include "analyze/cut_children.h"
#include "analyze/gone_waiters.h"
#include "analyze/held.h"
#include "analyze/leads.h"
#include "analyze/own_line.h"
#include "analyze/readiness.h"
#include "analyze/unanswered.h"
#include "rules/parts.h"

enum variant {
	VARIANT_NOBODY = 1, /* nothing is left that could wake it */
	VARIANT_READY,      /* what the coroutine waits for is there */
	VARIANT_DROPPED,    /* a wake for the coroutine was given up */
	VARIANT_LONG,       /* the coroutine has waited for long */
	VARIANT_LEFT,       /* the coroutine has waited longer than any other there */
	/* all threads slept, most of them for ever, until the program ended in failure */
	VARIANT_GAVE_UP,
	VARIANT_UNREACHED, /* nothing that can run leads in memory to what could wake it */
	VARIANT_KEPT,      /* those that have permits have ended */
	VARIANT_KEPT_LOCK, /* who has the lock has ended, or goes on without giving it back */
	VARIANT_FORGOTTEN, /* nobody but itself refers to what the coroutine waits for any more */
	VARIANT_OVERDUE,   /* the time at which the wait was to end by itself has long passed */
};

/* ---------------------------------------------------------------- the waits that are judged */

static bool is_judged(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time end = analysis->parties[coro->process].end;
	bool is_wait = coro->point == CTP_POINT_AWAIT || coro->point == CTP_POINT_YIELD;
	bool is_meant = coro->mark || analyze_wait_is_until_later(coro, end);

	return coro->state == CT_STATE_WAITING && is_wait && !is_meant && coro->suspended < end;
}

/* What is not recorded may be outside, too. */
static bool is_outside(const struct model_coro *coro)
{
	return analyze_wait_is_for_outside(coro) ||
	       CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_NONE;
}

/*
 * Does the coroutine wait for another one that is still there? Then the last one of the chain is judged itself, is
 * busy, or waits for the world outside. If the next one has ended, and no finding names it, there is no other
 * coroutine to blame; nor is there if it goes on without giving back what it has.
 */
static bool is_behind_another(const struct analysis *analysis, uint32_t index)
{
	uint32_t next = analyze_ties_next(analysis, index);
	const struct model_coro *at = &analysis->model->coros.at[next];

	if (rules_kept_lock_is(analysis, &analysis->model->coros.at[index]))
		return false;
	return next && (analysis->is_told[next] || at->is_presumed_done ||
			       (at->state != CT_STATE_DONE && at->state != CT_STATE_DESTROYED));
}

/* ---------------------------------------------------------------- is the object ready? */

/* A child may start others for its parent to wait for: then its own end is not what the wait is for. */
static bool is_child_finished(
	struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since)
{
	uint32_t child = analyze_ties_child(analysis, coro);
	const struct model_coro *at = &analysis->model->coros.at[child];

	if (!child || coro->rare->nr_awaits > 1 ||
		(at->state != CT_STATE_DONE && at->state != CT_STATE_DESTROYED) ||
		at->is_presumed_done || (at->flags & MODEL_CORO_WAS_REPLACED) ||
		at->changed < coro->suspended)
		return false;
	*ret_since = at->changed;
	return true;
}

/*
 * A notify that woke nobody although this coroutine waited counts until a later notify wakes a coroutine, because what
 * was announced may have been taken since; after that, only if the item is known to be still there. A suspend is
 * recorded before the waiter is in the object's list: until then, another coroutine may take what was announced.
 */
static ct_time given_in_vain(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_object *object)
{
	bool is_left = analyze_takings_left_something(analysis, object) &&
		       !rules_missed_notify_was_outlived(analysis, coro, object);

	if (object->vain.time == CT_NO_TIME || (object->found.time > object->vain.time && !is_left))
		return CT_NO_TIME;
	if (object->vain.time < coro->suspended)
		return is_left ? coro->suspended : CT_NO_TIME;
	if (!is_left && analyze_ties_was_found_empty(analysis, coro, object, object->vain.time))
		return CT_NO_TIME;
	return object->vain.time;
}

bool rules_lost_wakeup_is_given(
	const struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);
	ct_time since = object->owner == 0 ? object->released : CT_NO_TIME;
	ct_time vain = given_in_vain(analysis, coro, object);

	if (!object->handle)
		return false;
	if (vain != CT_NO_TIME && vain > since)
		since = vain;
	if (since == CT_NO_TIME || since < coro->suspended)
		return false;
	*ret_since = since;
	return true;
}

/*
 * The notify that may have been meant for this wait: it found no waiter while this coroutine already waited, or ran
 * on towards its suspend and had perhaps looked before. NULL: there is none.
 */
static const struct model_waking *missed_notify(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);
	ct_time from = coro->resumed != CT_NO_TIME ? coro->resumed : coro->created;
	bool is_own = object->vain.coro && !object->vain.is_leaving &&
		      &analysis->model->coros.at[object->vain.coro] == coro;

	if (!object->handle || object->vain.time == CT_NO_TIME || is_own)
		return NULL;
	if (given_in_vain(analysis, coro, object) != CT_NO_TIME)
		return &object->vain;
	/* The announced item has been taken since, perhaps by this coroutine, which now waits for the next one. */
	if (object->vain.time < coro->suspended && object->has_takers &&
		object->owned >= object->vain.time)
		return NULL;
	/*
	 * A notify has woken another coroutine since this one waits: this coroutine was not the only one to be
	 * notified.
	 */
	if (object->found.time >= coro->suspended)
		return NULL;
	return object->vain.time >= from ? &object->vain : NULL;
}

static bool is_object_ready(
	struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since)
{
	return analyze_readiness_is(analysis, coro, ret_since) ||
	       rules_lost_wakeup_is_given(analysis, coro, ret_since) ||
	       is_child_finished(analysis, coro, ret_since);
}

/*
 * Was the coroutine woken while it waited, without effect? Had the wake been taken, it would be ready. A coroutine
 * that waits for the world outside may be named by an old handle.
 */
static bool is_wake_dropped(const struct model_coro *coro)
{
	return coro->turns->wake.time != CT_NO_TIME && coro->turns->wake.time >= coro->suspended &&
	       !model_is_remark(coro->turns->wake.outcome) &&
	       !(coro->turns->wake.outcome == CTP_OUTCOME_NO_TARGET && is_outside(coro));
}

/* ---------------------------------------------------------------- the judgement */

static bool is_long(const struct analysis *analysis, const struct model_coro *coro)
{
	return !analyze_ties_may_be_idle(analysis, coro) &&
	       analysis->parties[coro->process].end - coro->suspended > LIMIT(analysis, WAIT_LIMIT);
}

/*
 * The program has ended as intended, and coroutines that still wait may be meant to. An item that was given in vain
 * counts, if every worker was idle before the program announced its end; and the few left of many.
 */
static void grade_at_exit(
	struct analysis *analysis, const struct model_coro *coro, struct candidate *candidate)
{
	ct_time since = coro->suspended;

	if (rules_lost_wakeup_is_given(analysis, coro, &since) &&
		analysis->parties[coro->process].workers_quiet > since &&
		!analyze_ties_is_shutting_down(analysis, coro->process, since)) {
		candidate->variant = VARIANT_READY;
		candidate->grade = CT_GRADE_LIKELY;
	} else if (rules_left_at_exit_is(analysis, coro)) {
		candidate->variant = VARIANT_LEFT;
		candidate->grade = CT_GRADE_SUSPECT;
	}
}

/*
 * Was the coroutine notified in vain while it waited, over a second ago (or less, if the program found itself stuck)?
 * Nothing repeats such a notify.
 */
bool rules_lost_wakeup_was_passed_by(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);
	int64_t limit = analyze_stillness_has_ended_stuck(analysis, coro->process)
				? LIMIT(analysis, NOTIFIED_AT_END)
				: LIMIT(analysis, NOTIFIED_TIME);

	return object->handle && object->vain.time != CT_NO_TIME &&
	       object->vain.time >= coro->suspended &&
	       given_in_vain(analysis, coro, object) != CT_NO_TIME &&
	       analyze_party_working_until(analysis, coro->process) - object->vain.time > limit;
}

/* What the coroutine waits for is there, and nobody took it: all workers slept since, or a notify was in vain. */
static void grade_ready(const struct analysis *analysis, const struct model_coro *coro,
	ct_time since, struct candidate *candidate)
{
	bool was_passed = rules_lost_wakeup_was_passed_by(analysis, coro);

	if (!was_passed && analysis->parties[coro->process].workers_quiet <= since)
		return;
	candidate->variant = VARIANT_READY;
	candidate->grade = CT_GRADE_LIKELY;
	if (!was_passed && analyze_party_has_starved_worker(analysis, coro->process, since))
		candidate->grade = CT_GRADE_SUSPECT;
}

static void grade(
	struct analysis *analysis, const struct model_coro *coro, struct candidate *candidate)
{
	const struct party *party = &analysis->parties[coro->process];
	ct_time since = coro->suspended;

	if (party->has_ended_well) {
		grade_at_exit(analysis, coro, candidate);
		return;
	}
	if (coro->point == CTP_POINT_YIELD) {
		candidate->variant = VARIANT_LEFT;
		candidate->grade =
			rules_left_behind_is(analysis, coro) ? CT_GRADE_SUSPECT : CT_GRADE_NONE;
		return;
	}
	if (is_object_ready(analysis, coro, &since))
		grade_ready(analysis, coro, since, candidate);
	if (!candidate->variant && is_wake_dropped(coro) &&
		party->workers_quiet > coro->turns->wake.time) {
		candidate->variant = VARIANT_DROPPED;
		candidate->grade = CT_GRADE_LIKELY;
	}
	if (is_outside(coro) && coro->wait_object && !rules_left_behind_is_facing(analysis, coro))
		return;
	if (analyze_party_says_nobody_is_left(party)) {
		candidate->variant = candidate->variant ? candidate->variant : VARIANT_NOBODY;
		candidate->grade =
			analyze_party_has_nobody_left(party) ? CT_GRADE_PROVEN : CT_GRADE_LIKELY;
	} else if (!candidate->grade && analyze_party_has_failed_in_sleep(party) &&
		   rules_left_behind_is_longest(analysis, coro)) {
		candidate->variant = VARIANT_GAVE_UP;
		candidate->grade = CT_GRADE_LIKELY;
	} else if (!candidate->grade && rules_kept_permits_are_all(analysis, coro)) {
		candidate->variant = VARIANT_KEPT;
		candidate->grade = CT_GRADE_SUSPECT;
	} else if (!candidate->grade && rules_kept_lock_is(analysis, coro)) {
		candidate->variant = VARIANT_KEPT_LOCK;
		candidate->grade = CT_GRADE_SUSPECT;
	} else if (!candidate->grade && rules_left_behind_is_forgotten(analysis, coro)) {
		candidate->variant = VARIANT_FORGOTTEN;
		candidate->grade = rules_left_behind_has_habit(analysis, coro) ? CT_GRADE_LIKELY
									       : CT_GRADE_SUSPECT;
	} else if (!candidate->grade && coro->wait_object && is_long(analysis, coro) &&
		   !analyze_party_is_idle(analysis, coro->process)) {
		candidate->variant = VARIANT_LONG;
		candidate->grade = CT_GRADE_SUSPECT;
	} else if (!candidate->grade && rules_left_behind_is(analysis, coro)) {
		candidate->variant = VARIANT_LEFT;
		candidate->grade = CT_GRADE_SUSPECT;
	}
}

/* Adds the reasons for the lower grade; none if the rule itself claims no more. */
static void explain(
	const struct party *party, const struct model_coro *coro, struct candidate *candidate)
{
	if (candidate->grade == CT_GRADE_PROVEN || party->has_ended_well ||
		candidate->variant == VARIANT_FORGOTTEN || (is_outside(coro) && coro->wait_object))
		return;
	if (candidate->grade == CT_GRADE_SUSPECT && candidate->variant == VARIANT_READY)
		candidate->reasons |= REASON(STARVED);
	if (analyze_party_says_nobody_is_left(party))
		candidate->reasons |= REASON(UNTIMED);
	else if (party->has_sleeper)
		candidate->reasons |= REASON(SLEEPER);
	else if (!party->are_threads_known)
		candidate->reasons |= REASON(THREADS_UNKNOWN);
	if (party->has_outside || party->has_timer)
		candidate->reasons |= REASON(LIVE_PARTY);
}

/* The place of the notify in vain, of the destroyed coroutine's taking, or of the error that ended the waker. */
static uint32_t cause_of(
	const struct analysis *analysis, const struct model_coro *coro, enum variant variant)
{
	const struct model_waking *missed = missed_notify(analysis, coro);
	const struct model_waking *end = analyze_readiness_end(analysis, coro);
	const struct model_object *object = analyze_ties_object(analysis, coro);

	if (missed)
		return missed->site;
	if (end)
		return end->coro ? end->site : 0;
	if (rules_waker_end_error(analysis, coro))
		return rules_waker_end_error(analysis, coro);
	if (variant == VARIANT_KEPT)
		return rules_kept_permits_site(analysis, coro);
	if (analyze_unanswered_taker(analysis, coro))
		return analyze_unanswered_site(analysis, coro);
	if (variant == VARIANT_FORGOTTEN || analyze_held_is_kept(analysis, coro))
		return analyze_held_site(analysis, coro);
	return variant == VARIANT_READY || object->owner ? object->changed_at
							 : rules_last_change_site(analysis, coro);
}

/*
 * Two facts depend on everything that was set, armed and taken before: that nothing is left, and how much is left in
 * the object.
 */
static ct_time gap_start(const struct analysis *analysis, const struct model_coro *coro,
	const struct candidate *candidate)
{
	if (candidate->grade == CT_GRADE_PROVEN || candidate->variant == VARIANT_NOBODY ||
		analyze_takings_left_something(analysis, analyze_ties_object(analysis, coro)))
		return FROM_THE_BEGINNING;
	return analyze_candidate_life_start(analysis, coro);
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_LOST_WAKEUP,
		.process = coro->process,
		.coro = index,
		.wait_site = coro->wait_site,
		.descriptor = coro->rare->descriptor,
		.since = coro->suspended,
	};

	if (analysis->is_told[index] || is_behind_another(analysis, index))
		return;
	grade(analysis, coro, &candidate);
	candidate.is_bare =
		candidate.variant != VARIANT_READY && candidate.variant != VARIANT_DROPPED &&
		!missed_notify(analysis, coro) && !analyze_unanswered_taker(analysis, coro) &&
		!analyze_errands_have_failed(analysis, coro);
	candidate.has_story = !candidate.is_bare || rules_waker_end_error(analysis, coro);
	/* The coroutine may wait for one that blocks its thread. */
	if (candidate.grade == CT_GRADE_NONE ||
		(candidate.is_bare && rules_blocked_worker_is_behind(analysis, index)))
		return;
	candidate.cause_site = cause_of(analysis, coro, candidate.variant);
	explain(&analysis->parties[coro->process], coro, &candidate);
	if (model_process_is_reachable(&analysis->model->processes[coro->process]))
		analyze_candidate_limit(&candidate,
			candidate.variant == VARIANT_NOBODY || candidate.variant == VARIANT_GAVE_UP
				? CT_GRADE_SUSPECT
				: CT_GRADE_LIKELY,
			REASON_REACHABLE);
	if (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	if (analyze_takings_left_something(analysis, analyze_ties_object(analysis, coro)) &&
		!analyze_takings_are_told(analysis, analyze_ties_object(analysis, coro)))
		analyze_candidate_lower(&candidate, REASON_UNTOLD_WAKES);
	analyze_candidate_lower_for_gaps(analysis, &candidate,
		gap_start(analysis, coro, &candidate), analysis->parties[coro->process].end);
	analyze_candidate_limit_for_lost_steps(analysis, &candidate);
	analyze_candidate_add(analysis, &candidate);
}

static void judge_all(struct analysis *analysis, bool is_of_askers)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];

		/* Waits on closed descriptors have a rule of their own. */
		if (is_judged(analysis, coro) &&
			(!is_of_askers || analyze_asking_counts(analysis, coro->process)) &&
			(!coro->rare->descriptor ||
				at[coro->rare->descriptor].closed == CT_NO_TIME))
			judge(analysis, i);
	}
}

static void find(struct analysis *analysis)
{
	rules_unreached_find(analysis, VARIANT_UNREACHED);
	rules_overdue_find(analysis, VARIANT_OVERDUE);
	judge_all(analysis, false);
	if (analyze_asking_begin(analysis))
		judge_all(analysis, true);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_cause(struct analysis *analysis, const struct candidate *first,
	const struct model_coro *coro, struct story *story, struct ct_finding *finding)
{
	struct ct_step step = {.time = CT_NO_TIME, .sequence = UINT64_MAX};

	switch (first->variant) {
	case VARIANT_READY:
		if (analyze_readiness_end(analysis, coro)) {
			analyze_readiness_tell_end(analysis, story, coro);
			return;
		}
		is_object_ready(analysis, coro, &step.time);
		step.text = analyze_say(analysis, "%s became ready, and no wake followed",
			analyze_words_resource(
				analysis, coro->wait_object, coro->rare->descriptor));
		break;
	case VARIANT_DROPPED:
		step.time = coro->turns->wake.time;
		step.thread = coro->turns->wake.thread;
		step.sequence = coro->turns->wake.sequence;
		step.text = analyze_say(analysis, "a wake for it had no effect: %s",
			ct_outcome_name(coro->turns->wake.outcome));
		break;
	case VARIANT_OVERDUE:
		rules_overdue_tell_time(analysis, coro, story);
		finding->next_step = rules_overdue_next_step;
		return;
	default:
		if (rules_lost_waker_tell(analysis, story, coro)) {
			finding->next_step = ct_rule_next_step(CT_RULE_LOST_WAKER);
			return;
		}
		step.text = first->variant == VARIANT_UNREACHED ? rules_unreached_words
								: "no wake for it since";
		break;
	}
	analyze_story_step(analysis, story, &step);
}

static void tell_end(struct analysis *analysis, const struct candidate *first, struct story *story)
{
	const struct party *party = &analysis->parties[first->process];
	struct ct_step step = {.time = party->end, .sequence = UINT64_MAX};
	const char *who = analyze_party_has_nobody_left(party)
				  ? "every thread is blocked without time-out,"
				  : "every thread sleeps, and reports that no timer is set;";

	step.text = "the observation ended here";
	if (analyze_party_says_nobody_is_left(party))
		step.text = analyze_say(analysis,
			"%s nothing is ready, no timer is pending, and %s", who,
			party->has_armed
				? "only the program itself can make the armed descriptors ready"
				: "no descriptor is armed");
	analyze_story_step(analysis, story, &step);
}

/* Is the wait found by its length, shape or failed errand, while some that were to end it were destroyed? */
static bool is_of_cut_children(const struct analysis *analysis, const struct candidate *first)
{
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	return (first->is_bare || analyze_errands_have_failed(analysis, coro)) &&
	       first->variant != VARIANT_KEPT && first->variant != VARIANT_FORGOTTEN &&
	       first->variant != VARIANT_OVERDUE && analyze_cut_children_are_there(analysis, coro);
}

static void tell_cut_children(struct analysis *analysis, const struct candidate *first,
	struct story *story, struct ct_finding *finding)
{
	if (!is_of_cut_children(analysis, first))
		return;
	analyze_cut_children_tell(analysis, &analysis->model->coros.at[first->coro], story);
	finding->next_step = analyze_cut_children_next_step;
}

static const char *words_title(
	struct analysis *analysis, const struct group *group, const struct candidate *first)
{
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct model_object *object = analyze_ties_object(analysis, coro);
	uint32_t next = analyze_ties_next(analysis, first->coro);
	const char *what, *by = rules_last_change_words(analysis, coro);

	switch (first->variant) {
	case VARIANT_LONG:
		what = "for longer than the limit";
		break;
	case VARIANT_LEFT:
		what = rules_left_behind_words(analysis, coro);
		break;
	case VARIANT_READY:
		what = "though what is waited for is ready";
		break;
	case VARIANT_DROPPED:
		what = "though there was a wake";
		break;
	case VARIANT_KEPT:
		what = "for a semaphore of which only coroutines that have ended kept permits";
		break;
	case VARIANT_KEPT_LOCK:
		what = rules_kept_lock_words(analysis, coro);
		break;
	case VARIANT_OVERDUE:
		what = rules_overdue_words(analysis, group, coro);
		break;
	case VARIANT_FORGOTTEN:
		what = "and nobody refers any more to what is waited for";
		break;
	case VARIANT_GAVE_UP:
		what = "until the program ended itself in failure";
		break;
	default:
		what = group->count == 1 ? "and nothing is left to wake it"
					 : "and nothing is left to wake them";
		break;
	}
	if (rules_waker_end_error(analysis, coro))
		by = rules_waker_end_words(analysis, coro);
	else if (is_of_cut_children(analysis, first))
		by = analyze_cut_children_words(analysis, coro);
	else if (analyze_gone_waiters_are_there(analysis, coro))
		by = analyze_gone_waiters_words(analysis, coro);
	if (first->variant == VARIANT_KEPT)
		by = rules_kept_permits_words(analysis, coro);
	else if (object->owner && next && !missed_notify(analysis, coro))
		by = analyze_say(analysis, "; %s was taken at %s, and never released",
			analyze_words_resource(analysis, object->handle, 0),
			analyze_words_place(analysis, object->owner_site));
	if (missed_notify(analysis, coro))
		by = analyze_say(analysis, "; the notify from %s %s",
			analyze_words_place(analysis, first->cause_site),
			missed_notify(analysis, coro)->time < coro->suspended
				? "came just before that"
				: "found nobody");
	return analyze_say(analysis, "%s, %s, at %s%s", analyze_words_count(analysis, group), what,
		analyze_words_own_line(analysis, group),
		*by ? by : analyze_leads_words(analysis, group));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct model_waking *missed = missed_notify(analysis, coro);

	if (!missed)
		missed = rules_missed_notify_meanwhile(analysis, coro);
	finding->title = words_title(analysis, group, first);
	if (missed && missed->time < coro->suspended)
		rules_missed_notify_tell(analysis, coro, missed, story);
	rules_kept_permits_tell(analysis, coro, story);
	if (first->variant == VARIANT_KEPT_LOCK)
		rules_kept_lock_tell(analysis, coro, story);
	if (!missed && rules_last_change_time(analysis, coro) < coro->suspended)
		rules_last_change_tell(analysis, coro, story);
	analyze_story_suspended(analysis, story, coro);
	if (missed && missed->time >= coro->suspended)
		rules_missed_notify_tell_all(analysis, coro, missed, story);
	if (!missed && rules_last_change_time(analysis, coro) >= coro->suspended)
		rules_last_change_tell(analysis, coro, story);
	if (first->variant == VARIANT_FORGOTTEN || analyze_held_is_kept(analysis, coro) ||
		analyze_held_is_circle(analysis, coro))
		analyze_held_tell(analysis, story, coro);
	analyze_unanswered_tell(analysis, story, coro);
	tell_cut_children(analysis, first, story, finding);
	analyze_gone_waiters_tell(analysis, coro, story, finding);
	tell_cause(analysis, first, coro, story, finding);
	tell_end(analysis, first, story);
	if (first->variant == VARIANT_LEFT)
		rules_left_behind_tell(analysis, coro, story, finding);
	if (first->variant == VARIANT_LONG || first->variant == VARIANT_LEFT)
		rules_early_wake_tell(analysis, coro, story, finding);
	rules_left_at_exit_tell(analysis, coro, story);
	rules_waker_end_tell(analysis, coro, story);
	if (first->variant == VARIANT_OVERDUE)
		rules_overdue_tell(analysis, coro, story);
	else
		analyze_leads_tell(analysis, story, coro);
	analyze_story_victims(analysis, story, group);
}

const struct rule rules_lost_wakeup = {
	.watcher = {.nr_place_bytes = sizeof(int64_t), .looks = {[MODEL_RUN] = rules_overdue_look}},
	.find = find,
	.certify = analyze_claim_nobody_left,
	.describe = describe,
};
