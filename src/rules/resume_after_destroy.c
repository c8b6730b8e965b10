/* SPDX-License-Identifier: MIT */
/*
 * Resumes after the end of the frame: the coroutine was destroyed, and then resumed. A wake that comes too late is
 * only a Suspect: the worker that takes it from the queue may notice in time.
 *
 * Ids are never reused, so another coroutine in the same memory is not meant.
 */

#include "rules/parts.h"

static bool is_resume(const struct model_ghost *ghost)
{
	return ghost->kind == CTP_KIND_RESUME || ghost->kind == CTP_KIND_SWITCH;
}

static bool is_late_wake(const struct model_ghost *ghost)
{
	if (ghost->kind == CTP_KIND_ENQUEUE)
		return true;
	return ghost->kind == CTP_KIND_WAKE &&
	       (ghost->argument == CTP_OUTCOME_QUEUED || ghost->argument == CTP_OUTCOME_RESUMED);
}

/*
 * If a part of a program's coroutines is not traced, the address of a dead coroutine may be reused by an untraced
 * one. A place that wakes frames that were never known may mean an untraced coroutine.
 */
bool rules_resume_after_destroy_is_meant(
	const struct analysis *analysis, const struct model_ghost *ghost)
{
	return !ghost->is_by_frame || ghost->site >= analysis->tables->nr_sites ||
	       !analysis->model->wakes_strangers[ghost->site];
}

static bool is_wake(const struct model_ghost *ghost)
{
	return ghost->kind == CTP_KIND_WAKE && is_late_wake(ghost);
}

/*
 * The wake that led to the resume: a late one, or the last one before the end, which the resume had still to follow.
 * Time CT_NO_TIME: not known.
 */
static struct model_waking wake_before(const struct model *model, uint32_t index)
{
	const struct model_ghost *ghost = &model->ghosts.at[index];
	const struct model_coro *coro = &model->coros.at[ghost->coro];
	const struct model_ghost *wake = &model->ghosts.at[ghost->wake];
	struct model_waking none = {.time = CT_NO_TIME};

	if (ghost->has_wake)
		return (struct model_waking){.time = wake->time,
			.sequence = wake->sequence,
			.coro = wake->by,
			.thread = wake->thread,
			.site = wake->site};
	if (!(coro->flags & MODEL_CORO_WAS_DESTROYED_READY))
		return none;
	return model_wake_ready(coro);
}

static uint32_t cause_of(const struct model *model, uint32_t index)
{
	struct model_waking wake = wake_before(model, index);

	return wake.time == CT_NO_TIME ? model->ghosts.at[index].site : wake.site;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_ghost *ghost = &analysis->model->ghosts.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[ghost->coro];
	struct contradiction contradiction = {
		.process = coro->process,
		.threads = {coro->rare->destroy_thread, ghost->thread},
		.times = {coro->rare->destroyed, ghost->time},
	};
	struct candidate candidate = {
		.rule = CT_RULE_RESUME_AFTER_DESTROY,
		.grade = is_resume(ghost) ? CT_GRADE_PROVEN : CT_GRADE_SUSPECT,
		.process = coro->process,
		.coro = ghost->coro,
		.wait_site = coro->wait_site,
		.cause_site = cause_of(analysis->model, index),
		.descriptor = coro->rare->descriptor,
		.subject = index,
		.since = ghost->time,
	};

	/* A program may report one address for several coroutines that live at the same time. */
	if (coro->flags & MODEL_CORO_WAS_REPLACED)
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_END_UNSEEN);
	if (ghost->thread != coro->rare->destroy_thread &&
		model_is_near(analysis->model, coro->rare->destroyed, ghost->time))
		analyze_candidate_lower(&candidate, REASON_CLOCKS);
	if (!analyze_contradiction_has_gap(analysis, &contradiction))
		analyze_candidate_add(analysis, &candidate);
}

/* An order that was only chosen, or a coarse clock, cannot show that the event came after the destruction. */
static bool has_no_order(const struct analysis *analysis, const struct model_ghost *ghost)
{
	const struct model_coro *coro = &analysis->model->coros.at[ghost->coro];

	return ghost->is_order_unknown || (coro->flags & MODEL_CORO_HAS_DOUBTFUL_ORDER) ||
	       (model_is_coarse(analysis->model) && ghost->thread != coro->rare->destroy_thread &&
		       model_is_near(analysis->model, coro->rare->destroyed, ghost->time));
}

static bool is_open(const struct analysis *analysis, const struct model_ghost *ghost)
{
	return !analysis->is_told[ghost->coro] &&
	       !analysis->model->coros.at[ghost->coro].is_remains &&
	       rules_resume_after_destroy_is_meant(analysis, ghost) &&
	       !has_no_order(analysis, ghost);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 0; i < model->ghosts.count; i++)
		if (is_resume(&model->ghosts.at[i]) && is_open(analysis, &model->ghosts.at[i]))
			judge(analysis, (uint32_t)i);
	for (i = 0; i < model->ghosts.count; i++)
		if (is_late_wake(&model->ghosts.at[i]) && is_open(analysis, &model->ghosts.at[i]))
			judge(analysis, (uint32_t)i);
}

/* ---------------------------------------------------------------- the proof */

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_ghost *ghost = &analysis->model->ghosts.at[candidate->subject];
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	uint64_t subject = claim_coro(coro->id);

	claim_told(claims, coro->rare->destroy_event, CLAIM_KIND(DESTROY), subject);
	claim_told(claims, ghost->sequence, CLAIM_KIND(RESUME) | CLAIM_KIND(SWITCH), subject);
	claim_at_switch(claims, ghost->sequence);
	claim_order(claims, coro->rare->destroy_event, ghost->sequence);
	claim_whole(claims, coro->process, ghost->thread, coro->rare->destroyed, ghost->time);
	claim_whole(claims, coro->process, coro->rare->destroy_thread, coro->rare->destroyed,
		ghost->time);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_ghost(
	struct analysis *analysis, const struct model_ghost *ghost, struct story *story)
{
	struct ct_step step = {
		.time = ghost->time,
		.site = ghost->site,
		.thread = ghost->thread,
		.coro = analysis->model->coros.at[ghost->by].id,
		.sequence = ghost->sequence,
		.text = "woke it, though it was gone",
	};

	if (is_resume(ghost))
		step.text = "resumed it: its frame was gone";
	else if (!is_wake(ghost))
		step.text = "put it into a queue, though it was gone";
	analyze_story_step(analysis, story, &step);
}

static const char *words_deed(const struct model_ghost *ghost)
{
	if (is_resume(ghost))
		return "resumed";
	return is_wake(ghost) ? "woken" : "put into a queue";
}

static const char *words_cause(
	struct analysis *analysis, const struct model_waking *wake, const struct candidate *first)
{
	const struct model_ghost *ghost = &analysis->model->ghosts.at[first->subject];

	if (wake->time == CT_NO_TIME && !is_wake(ghost))
		return analyze_say(
			analysis, "that was on %s", analyze_words_thread(analysis, ghost->thread));
	return analyze_say(analysis, "the wake came from %s",
		analyze_words_place(analysis, first->cause_site));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_ghost *ghost = &analysis->model->ghosts.at[first->subject];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	struct model_waking wake = wake_before(analysis->model, first->subject);
	bool is_early = wake.time != CT_NO_TIME && !ghost->has_wake;

	finding->title = analyze_say(analysis, "%s %s %s after %s destroyed; %s",
		analyze_words_number(analysis, group->count),
		group->count == 1 ? "coroutine was" : "coroutines were", words_deed(ghost),
		group->count == 1 ? "it was" : "they were", words_cause(analysis, &wake, first));
	if (coro->suspended != CT_NO_TIME)
		analyze_story_suspended(analysis, story, coro);
	if (is_early)
		analyze_story_wake(analysis, story, &wake, "woke it: the last wake before its end");
	analyze_story_destroyed(analysis, story, coro);
	if (!is_early && is_resume(ghost))
		analyze_story_wake(analysis, story, &wake, "woke it, though it was gone");
	tell_ghost(analysis, ghost, story);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence =
		coro->suspended == CT_NO_TIME ? coro->rare->destroy_event : coro->wait_event;
	finding->last_sequence = ghost->sequence;
}

const struct rule rules_resume_after_destroy = {
	.find = find,
	.certify = certify,
	.describe = describe,
	.is_no_explanation = true,
};
