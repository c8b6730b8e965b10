/* SPDX-License-Identifier: MIT */
/*
 * Dropped wakes: the waker found its target still running, or gave up for another reason, although the target had
 * begun to suspend, and nobody repeated the wake.
 *
 * The rule is silent if the wake came before the suspend, because a running coroutine looks again before it sleeps.
 * So it is if the wait has a deadline, is marked, or was perhaps not meant by the wake, and while the program shuts
 * down.
 *
 * Wakes to nobody: the waker says that there is no such target, but the target exists and waits. A waker with an old
 * handle is no fault by itself: the rule is silent if the wait is for the world outside, or for another coroutine
 * that can go on.
 */
#include <inttypes.h>

#include "rules/parts.h"

static bool was_given_up(const struct model_coro *coro)
{
	return coro->turns->wake.time != CT_NO_TIME &&
	       (coro->turns->wake.outcome == CTP_OUTCOME_DROPPED ||
		       coro->turns->wake.outcome == CTP_OUTCOME_TARGET_RUNNING);
}

static bool was_for_nobody(const struct model_coro *coro)
{
	return coro->turns->wake.time != CT_NO_TIME &&
	       coro->turns->wake.outcome == CTP_OUTCOME_NO_TARGET;
}

static bool is_waiting_since(const struct analysis *analysis, const struct model_coro *coro)
{
	bool is_stuck =
		coro->state == CT_STATE_WAITING || (coro->flags & MODEL_CORO_WAS_DESTROYED_WAITING);

	return is_stuck && coro->point == CTP_POINT_AWAIT &&
	       coro->turns->wake.time >= coro->suspended - analysis->model->uncertainty_ns;
}

static bool is_meant_to_wait(const struct analysis *analysis, const struct model_coro *coro)
{
	return (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE) || coro->mark ||
	       coro->rare->deadline != CT_NO_TIME ||
	       analyze_ties_is_shutting_down(analysis, coro->process, coro->turns->wake.time);
}

/* The last time, before the coroutine was destroyed while it waited, since which every worker had been idle once. */
static bool look_at_cut(struct model_watch *watch, const struct model_sight *sight)
{
	ct_time *quiet = model_watch_coro(watch, sight->coro);

	*quiet = model_quiet_time(
		watch->model, watch->model->coros.at[sight->coro].process, sight->event->time);
	return true;
}

static ct_time quiet_at_end(const struct model_watch *watch, uint32_t index)
{
	const ct_time *quiet = model_watch_coro(watch, index);
	bool was_cut = watch->model->coros.at[index].flags & MODEL_CORO_WAS_DESTROYED_WAITING;

	return was_cut ? *quiet : INT64_MIN;
}

/* Nothing that could silence the rule can happen any more, so the record must be kept. */
static bool keeps(const struct model_watch *watch, uint32_t index)
{
	const struct model_coro *coro = &watch->model->coros.at[index];
	bool was_given_up = coro->turns->wake.outcome == CTP_OUTCOME_DROPPED ||
			    coro->turns->wake.outcome == CTP_OUTCOME_TARGET_RUNNING;

	return was_given_up && coro->turns->wake.time != CT_NO_TIME &&
	       coro->suspended != CT_NO_TIME &&
	       coro->turns->wake.time >= coro->suspended - watch->model->uncertainty_ns &&
	       quiet_at_end(watch, index) > coro->turns->wake.time;
}

/*
 * If the coroutine was destroyed, every worker must have been idle before that; otherwise the destruction was its
 * cancellation. But a coroutine that is cancelled first releases what it holds.
 */
static bool settle_destroyed(
	struct analysis *analysis, const struct model_coro *coro, struct candidate *candidate)
{
	if (quiet_at_end(analyze_watch_of(analysis, &rules_dropped_wake), candidate->coro) >
		coro->turns->wake.time)
		return true;
	analyze_candidate_limit(candidate, CT_GRADE_LIKELY, REASON_NOT_QUIET);
	return analyze_ties_holds_lock(analysis, candidate->coro);
}

static bool settle(
	struct analysis *analysis, const struct model_coro *coro, struct candidate *candidate)
{
	if (coro->state == CT_STATE_DESTROYED)
		return settle_destroyed(analysis, coro, candidate);
	if (!analysis->parties[coro->process].has_ended_itself &&
		model_thread_quiet_time(analysis->model, coro->turns->wake.thread,
			analysis->parties[coro->process].end) <= coro->turns->wake.time)
		analyze_candidate_limit(candidate,
			analysis->model->threads[coro->turns->wake.thread].is_worker
				? CT_GRADE_LIKELY
				: CT_GRADE_SUSPECT,
			REASON_WAKER_AWAKE);
	return analyze_candidate_settle(analysis, candidate, coro->turns->wake.time);
}

/* Do all threads sleep for ever, except those with a time-out, such as a watchdog? */
static bool is_all_asleep(const struct party *party)
{
	return party->are_threads_asleep && !party->has_timer && !party->has_outside;
}

/* Is this a wait that the program itself has to end, and for no coroutine that can still go on? */
static bool may_miss_wake(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t next = analyze_ties_next(analysis, index);

	if (coro->state != CT_STATE_WAITING)
		return false;
	if (next && analysis->model->coros.at[next].state < CT_STATE_DONE)
		return false;
	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_NONE)
		return is_all_asleep(&analysis->parties[coro->process]);
	return !analyze_wait_is_for_outside(coro);
}

/*
 * A waker with an old handle rightly finds nobody, and the coroutine may wait for something else by then. The wait is
 * certainly endless only if nothing is left that could end it, or if what the coroutine waits for is there.
 */
static void limit_for_nobody(
	struct analysis *analysis, const struct model_coro *coro, struct candidate *candidate)
{
	const struct party *party = &analysis->parties[coro->process];
	ct_time since;

	if (analyze_party_has_nobody_left(party))
		return;
	if (rules_lost_wakeup_is_given(analysis, coro, &since) &&
		party->quiet > coro->turns->wake.time)
		analyze_candidate_limit(candidate,
			party->has_ended_itself ? CT_GRADE_LIKELY : CT_GRADE_PROVEN,
			REASON_LIVE_PARTY);
	else if (party->has_outside || party->has_timer ||
		 party->workers_quiet <= coro->turns->wake.time)
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_LIVE_PARTY);
	else
		analyze_candidate_limit(candidate, CT_GRADE_LIKELY,
			party->has_sleeper ? REASON_SLEEPER : REASON_LIVE_PARTY);
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	/* The coroutine may have run in between: then the waker was right to give up. */
	struct contradiction contradiction = {
		.process = coro->process,
		.threads = {coro->thread, coro->turns->wake.thread},
		.times = {coro->suspended, coro->turns->wake.time},
	};
	struct candidate candidate = {
		.rule = was_for_nobody(coro) ? CT_RULE_WAKE_TO_NOBODY : CT_RULE_DROPPED_WAKE,
		.grade = CT_GRADE_PROVEN,
		.process = coro->process,
		.coro = index,
		.wait_site = coro->wait_site,
		.cause_site = coro->turns->wake.site,
		.variant = coro->state == CT_STATE_DESTROYED,
		.descriptor = coro->rare->descriptor,
		.since = coro->suspended,
	};

	if (!settle(analysis, coro, &candidate))
		return;
	if (was_for_nobody(coro))
		limit_for_nobody(analysis, coro, &candidate);
	if (analyze_contradiction_has_gap(analysis, &contradiction))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_GAP);
	analyze_candidate_limit_for_doer(
		analysis, &candidate, coro->turns->wake.coro, coro->turns->wake.time);
	if (coro->turns->wake.time < coro->suspended)
		analyze_candidate_limit(&candidate, CT_GRADE_LIKELY, REASON_CLOCKS);
	if (coro->flags & MODEL_CORO_WAITS_FOR_MORE)
		analyze_candidate_limit(&candidate, CT_GRADE_LIKELY, REASON_LIVE_PARTY);
	analyze_candidate_lower_for_gaps(analysis, &candidate,
		analyze_candidate_life_start(analysis, coro),
		coro->rare->destroyed != CT_NO_TIME ? coro->rare->destroyed
						    : analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	size_t i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];

		if (analysis->is_told[i] || !(was_given_up(coro) || was_for_nobody(coro)) ||
			!is_waiting_since(analysis, coro) || is_meant_to_wait(analysis, coro))
			continue;
		if (was_given_up(coro) || may_miss_wake(analysis, (uint32_t)i))
			judge(analysis, (uint32_t)i);
	}
}

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	ct_time end = coro->rare->destroyed != CT_NO_TIME ? coro->rare->destroyed
							  : analysis->parties[coro->process].end;

	analyze_claim_stays(analysis, candidate->coro, true, claims);
	claim_told(claims, coro->turns->wake.sequence, CLAIM_KIND(WAKE), 0);
	claim_whole(claims, coro->process, 0, coro->suspended, end);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	struct model_waking wake = model_wake_last(coro);

	finding->title = analyze_say(analysis, "%s at %s for a wake that %s at %s",
		analyze_words_count(analysis, group),
		analyze_words_place(analysis, first->wait_site),
		was_for_nobody(coro) ? "found nobody" : "was dropped",
		analyze_words_place(analysis, first->cause_site));
	analyze_story_suspended(analysis, story, coro);
	analyze_story_wake(analysis, story, &wake,
		analyze_say(analysis,
			"woke coroutine %" PRIu64 ", and %s: %s; no wake for it since", coro->id,
			was_for_nobody(coro) ? "found nobody" : "gave up",
			ct_outcome_name(coro->turns->wake.outcome)));
	analyze_story_destroyed(analysis, story, coro);
	analyze_story_held(analysis, story, first->coro);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence = coro->last_event;
}

const struct rule rules_dropped_wake = {
	.watcher = {.nr_coro_bytes = sizeof(ct_time),
		.looks = {[MODEL_CUT] = look_at_cut},
		.keeps = keeps},
	.find = find,
	.certify = certify,
	.describe = describe,
	.is_cause = true,
};
