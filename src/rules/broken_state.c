/* SPDX-License-Identifier: MIT */
/*
 * Broken state machines: an event that cannot follow from the state of the coroutine, and that no other rule
 * explains: suspended while it waited, ended while it was ready, destroyed twice.
 *
 * A finding needs the whole life of the coroutine in the trace, with no event missing; otherwise the report's data
 * quality counts the conflict, and nothing is concluded. A resume that does not fit is covered by other rules.
 */

#include "rules/parts.h"

static bool is_near(const struct analysis *analysis, const struct model_conflict *conflict)
{
	return conflict->thread != conflict->thread_before &&
	       conflict->time - conflict->before <= analysis->model->uncertainty_ns;
}

static bool is_broken(const struct analysis *analysis, const struct model_conflict *conflict)
{
	const struct model_coro *coro = &analysis->model->coros.at[conflict->coro];

	if (conflict->is_explained || conflict->is_order_unknown ||
		conflict->kind == CTP_KIND_RESUME || is_near(analysis, conflict) ||
		(coro->flags & MODEL_CORO_WAS_REPLACED))
		return false;
	if (conflict->kind == CTP_KIND_SWITCH && conflict->state == CT_STATE_RUNNING)
		return false;
	return (coro->flags & MODEL_CORO_WAS_CREATED) && coro->nr_resumes > 0;
}

/*
 * Did the coroutine suspend, or end, while it was not running or after its recorded end, on the thread that had run
 * it last?
 */
static bool is_of_one_thread(const struct model_conflict *conflict)
{
	bool is_leave = conflict->kind == CTP_KIND_SUSPEND || conflict->kind == CTP_KIND_SWITCH ||
			conflict->kind == CTP_KIND_CANCEL || conflict->kind == CTP_KIND_RETURN;

	return is_leave && conflict->state <= CT_STATE_DONE &&
	       conflict->thread == conflict->thread_before;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_conflict *conflict = &analysis->model->conflicts.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[conflict->coro];
	struct candidate candidate = {
		.rule = CT_RULE_BROKEN_STATE,
		.grade = CT_GRADE_PROVEN,
		.process = coro->process,
		.coro = conflict->coro,
		.cause_site = conflict->site,
		.variant = (uint32_t)conflict->kind << 8 | conflict->state,
		.subject = index,
		.since = conflict->time,
	};

	if (is_of_one_thread(conflict))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_ONE_THREAD);
	if (model_lost_between(analysis->model, coro->process, coro->created,
		    conflict->time + analysis->model->uncertainty_ns))
		return;
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	size_t i;

	for (i = 1; i < analysis->model->conflicts.count; i++) {
		const struct model_conflict *conflict = &analysis->model->conflicts.at[i];

		if (is_broken(analysis, conflict) && !analysis->is_told[conflict->coro])
			judge(analysis, (uint32_t)i);
	}
}

/* ---------------------------------------------------------------- the proof */

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_conflict *conflict = &analysis->model->conflicts.at[candidate->subject];
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	ct_time until = conflict->time;

	claim_told(claims, conflict->sequence, UINT64_C(1) << conflict->kind, 0);
	claim_at_switch(claims, conflict->sequence);
	claim_order(claims, conflict->sequence_before, conflict->sequence);
	claim_whole(claims, coro->process, conflict->thread, coro->created, until);
	claim_whole(claims, coro->process, conflict->thread_before, coro->created, until);
}

/* ---------------------------------------------------------------- the evidence */

static const char *words_step(unsigned kind)
{
	switch (kind) {
	case CTP_KIND_CREATE:
		return "created again";
	case CTP_KIND_SUSPEND:
	case CTP_KIND_SWITCH:
		return "suspended";
	case CTP_KIND_CANCEL:
		return "took a suspend back";
	case CTP_KIND_RETURN:
		return "came to an end";
	case CTP_KIND_DESTROY:
		return "destroyed";
	case CTP_KIND_ENQUEUE:
		return "put into a queue";
	default:
		return "took a resource";
	}
}

static const char *words_state(unsigned state)
{
	switch (state) {
	case CT_STATE_READY:
		return "when woken and not resumed yet";
	case CT_STATE_RUNNING:
		return "while running";
	case CT_STATE_WAITING:
		return "while waiting";
	case CT_STATE_DONE:
		return "after the end";
	case CT_STATE_DESTROYED:
		return "after the destruction";
	default:
		return "before the beginning";
	}
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_conflict *conflict = &analysis->model->conflicts.at[first->subject];
	struct ct_step step = {
		.time = conflict->before,
		.thread = conflict->thread_before,
		.coro = analysis->model->coros.at[first->coro].id,
		.sequence = conflict->sequence_before,
		.text = analyze_say(
			analysis, "became %s", ct_state_name((enum ct_state)conflict->state)),
	};

	finding->title = analyze_say(analysis, "%s %s: %s %s, %s",
		analyze_words_number(analysis, group->count),
		group->count == 1 ? "coroutine" : "coroutines", words_step(conflict->kind),
		words_state(conflict->state),
		conflict->site ? analyze_say(analysis, "at %s",
					 analyze_words_place(analysis, conflict->site))
			       : analyze_say(analysis, "on %s",
					 analyze_words_thread(analysis, conflict->thread)));
	analyze_story_step(analysis, story, &step);
	step.time = conflict->time;
	step.thread = conflict->thread;
	step.site = conflict->site;
	step.sequence = conflict->sequence;
	step.text = analyze_say(analysis, "%s, which cannot follow", words_step(conflict->kind));
	analyze_story_step(analysis, story, &step);
	finding->first_sequence = conflict->sequence_before;
	finding->last_sequence = conflict->sequence;
}

const struct rule rules_broken_state = {
	.find = find,
	.certify = certify,
	.describe = describe,
	.is_no_explanation = true,
};
