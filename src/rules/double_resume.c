/* SPDX-License-Identifier: MIT */
/*
 * Double resumes: a coroutine was resumed while a thread already ran it, or after its end.
 *
 * The rule is silent if the thread that ran the coroutine had gone idle since: then its suspend was not recorded. If
 * two wakes had queued the coroutine before, the second resume is due to them, and the rule is not silent. At most
 * Suspect if one thread did both resumes, or if their order is not known.
 */

#include "rules/parts.h"

/*
 * Had two wakes queued the coroutine for its last wait before it ran? Then the second resume has a wake of its own,
 * whatever happened between.
 */
static bool is_woken_twice(const struct model_conflict *conflict)
{
	return conflict->had_spare_wake && conflict->wakes[0].time != CT_NO_TIME &&
	       conflict->wakes[1].time != CT_NO_TIME && conflict->wakes[1].time <= conflict->before;
}

bool rules_double_resume_is(const struct model_conflict *conflict)
{
	bool is_resume = conflict->kind == CTP_KIND_RESUME || conflict->kind == CTP_KIND_SWITCH;

	return is_resume && !conflict->is_explained &&
	       ((!conflict->was_idle && !conflict->is_order_unknown) || is_woken_twice(conflict)) &&
	       (conflict->state == CT_STATE_RUNNING || conflict->state == CT_STATE_DONE);
}

/* Did the thread that ran the coroutine resume it? Then the thread had left it without recording that. */
static bool is_of_one_thread(const struct model_conflict *conflict)
{
	return conflict->state == CT_STATE_RUNNING && conflict->thread == conflict->thread_before;
}

/* The last wake is the nearest cause in the trace. */
static uint32_t cause_of(const struct model_conflict *conflict)
{
	return conflict->wakes[1].time != CT_NO_TIME ? conflict->wakes[1].site : conflict->site;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_conflict *conflict = &analysis->model->conflicts.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[conflict->coro];
	struct contradiction contradiction = {
		.process = coro->process,
		.threads = {conflict->thread_before, conflict->thread},
		.times = {conflict->before, conflict->time},
	};
	struct candidate candidate = {
		.rule = CT_RULE_DOUBLE_RESUME,
		.grade = CT_GRADE_PROVEN,
		.process = coro->process,
		.coro = conflict->coro,
		.wait_site = coro->wait_site,
		.cause_site = cause_of(conflict),
		.descriptor = coro->rare->descriptor,
		.subject = index,
		.since = conflict->time,
	};

	if (is_of_one_thread(conflict))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_ONE_THREAD);
	if (conflict->was_idle)
		analyze_candidate_limit(&candidate, CT_GRADE_LIKELY, REASON_SUSPEND_UNTOLD);
	if (conflict->was_idle && !analysis->model->processes[coro->process].tells_queues)
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_QUEUES_UNTOLD);
	if (conflict->is_order_unknown)
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_ORDER_UNKNOWN);
	if (!analyze_contradiction_has_gap(analysis, &contradiction))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	size_t i;

	for (i = 1; i < analysis->model->conflicts.count; i++) {
		const struct model_conflict *conflict = &analysis->model->conflicts.at[i];

		/* Every further conflict of a coroutine is a consequence of the first one. */
		if (rules_double_resume_is(conflict) && !analysis->is_told[conflict->coro])
			judge(analysis, (uint32_t)i);
	}
}

/* ---------------------------------------------------------------- the proof */

/* Claims that the first run came to its end, and that no new frame was created in between. */
static void claim_after_end(
	const struct model_coro *coro, const struct model_conflict *conflict, struct claims *claims)
{
	struct claim same = {
		.kind = CLAIM_NOTHING,
		.process = coro->process,
		.subject = claim_coro(coro->id),
		.kinds = CLAIM_KIND(CREATE) | CLAIM_KIND(DESTROY),
		.after = conflict->sequence_before,
		.before = conflict->sequence,
	};

	claim_told(claims, conflict->sequence, CLAIM_KIND(RESUME) | CLAIM_KIND(SWITCH),
		claim_coro(coro->id));
	claim_at_switch(claims, conflict->sequence);
	claim_order(claims, conflict->sequence_before, conflict->sequence);
	claim_add(claims, &same);
}

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_conflict *conflict = &analysis->model->conflicts.at[candidate->subject];
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	ct_time from = conflict->before, until = conflict->time;

	if (conflict->state == CT_STATE_RUNNING)
		analyze_claim_two_runs(analysis, conflict, claims);
	else
		claim_after_end(coro, conflict, claims);
	claim_whole(claims, coro->process, conflict->thread, from, until);
	claim_whole(claims, coro->process, conflict->thread_before, from, until);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_resumes(
	struct analysis *analysis, const struct model_conflict *conflict, struct story *story)
{
	const struct model_coro *coros = analysis->model->coros.at;
	bool was_running = conflict->state == CT_STATE_RUNNING;
	struct ct_step step = {
		.time = conflict->before,
		.thread = conflict->thread_before,
		.coro = coros[was_running ? conflict->by_before : conflict->coro].id,
		.sequence = UINT64_MAX,
		.text = was_running ? "began to run it" : "came to its end",
	};

	analyze_story_step(analysis, story, &step);
	step.time = conflict->time;
	step.thread = conflict->thread;
	step.coro = coros[conflict->by].id;
	step.site = conflict->site;
	step.sequence = conflict->sequence;
	step.text = was_running ? "resumed it, while it was running" : "resumed it, after its end";
	analyze_story_step(analysis, story, &step);
}

void rules_double_resume_tell(
	struct analysis *analysis, const struct model_conflict *conflict, struct story *story)
{
	analyze_story_wake(analysis, story, &conflict->wakes[0], "woke it");
	analyze_story_wake(analysis, story, &conflict->wakes[1],
		analyze_words_waking(
			analysis, &conflict->wakes[1], "woke it: the last wake before"));
	tell_resumes(analysis, conflict, story);
}

static const char *words_state(struct analysis *analysis, const struct model_conflict *conflict)
{
	const char *thread = analyze_words_thread(analysis, conflict->thread);

	if (conflict->state != CT_STATE_RUNNING)
		return "after its end";
	if (is_of_one_thread(conflict))
		return analyze_say(analysis,
			"on %s, which had recorded no suspend (record the suspend, or the "
			"switch)",
			thread);
	return analyze_say(analysis, "on %s while %s ran it", thread,
		analyze_words_thread(analysis, conflict->thread_before));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_conflict *conflict = &analysis->model->conflicts.at[first->subject];

	finding->title = analyze_say(analysis, "%s %s resumed %s; the last wake came from %s",
		analyze_words_number(analysis, group->count),
		group->count == 1 ? "coroutine was" : "coroutines were",
		words_state(analysis, conflict), analyze_words_place(analysis, first->cause_site));
	rules_double_resume_tell(analysis, conflict, story);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = conflict->sequence_before;
	finding->last_sequence = conflict->sequence;
}

const struct rule rules_double_resume = {
	.find = find,
	.certify = certify,
	.describe = describe,
	.is_no_explanation = true,
};
