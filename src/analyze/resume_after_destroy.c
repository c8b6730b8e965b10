/* SPDX-License-Identifier: MIT */
/*
 * Resumes after the end of the frame: the coroutine was destroyed, and then resumed. A wake that comes too
 * late is only suspect: whoever takes it from the queue may find out in time.
 *
 * Ids are never used twice, so another coroutine in the same memory is not meant.
 */
#include <inttypes.h>

#include "analyze_parts.h"

static bool is_resume(const struct model_ghost *ghost)
{
	return ghost->kind == CTP_KIND_RESUME || ghost->kind == CTP_KIND_SWITCH;
}

static bool is_late_wake(const struct model_ghost *ghost)
{
	return ghost->kind == CTP_KIND_WAKE &&
	       (ghost->argument == CTP_OUTCOME_QUEUED || ghost->argument == CTP_OUTCOME_RESUMED);
}

/* The wake that led to the resume; UINT32_MAX: none is known. */
static uint32_t wake_before(const struct model *model, uint32_t index)
{
	uint32_t coro = model->ghosts.at[index].coro;

	while (index-- > 0) {
		if (model->ghosts.at[index].coro == coro && is_late_wake(&model->ghosts.at[index]))
			return index;
	}
	return UINT32_MAX;
}

static uint32_t cause_of(const struct model *model, uint32_t index)
{
	uint32_t wake = wake_before(model, index);

	return model->ghosts.at[wake == UINT32_MAX ? index : wake].site;
}

static bool is_near(const struct analysis *analysis, ct_time a, ct_time b)
{
	return (a < b ? b - a : a - b) <= analysis->model->uncertainty_ns;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_ghost *ghost = &analysis->model->ghosts.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[ghost->coro];
	struct candidate candidate = {
		.rule = CT_RULE_RESUME_AFTER_DESTROY,
		.grade = is_resume(ghost) ? CT_GRADE_PROVEN : CT_GRADE_SUSPECT,
		.process = coro->process,
		.coro = ghost->coro,
		.wait_site = coro->wait_site,
		.cause_site = cause_of(analysis->model, index),
		.descriptor = coro->descriptor,
		.subject = index,
		.since = ghost->time,
	};

	if (coro->flags & MODEL_CORO_WAS_REPLACED)
		candidate_lower(&candidate, REASON_END_UNSEEN);
	if (ghost->thread != coro->destroy_thread &&
		is_near(analysis, coro->destroyed, ghost->time))
		candidate_lower(&candidate, REASON_CLOCKS);
	candidate_lower_for_gaps(analysis, &candidate, coro->destroyed, ghost->time);
	candidate_add(analysis, &candidate);
}

/* The crash that followed names it as its reason. */
static bool has_crashed(const struct analysis *analysis, const struct model_ghost *ghost)
{
	const struct party *party =
		&analysis->parties[analysis->model->coros.at[ghost->coro].process];

	return party->has_crashed && party->end - ghost->time <= CRASH_SHORTLY_NS;
}

static bool is_open(const struct analysis *analysis, const struct model_ghost *ghost)
{
	return !analysis->is_told[ghost->coro] && !has_crashed(analysis, ghost);
}

void resume_after_destroy_find(struct analysis *analysis)
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

/* ---------------------------------------------------------------- telling it */

static void tell(struct analysis *analysis, uint32_t index, const char *text, struct story *story)
{
	const struct model_ghost *ghost = &analysis->model->ghosts.at[index];
	struct ct_step step = {
		.time = ghost->time,
		.site = ghost->site,
		.thread = ghost->thread,
		.coro = is_resume(ghost) ? 0 : analysis->model->coros.at[ghost->by].id,
		.sequence = ghost->sequence,
		.text = text,
	};

	story_step(analysis, story, &step);
}

void resume_after_destroy_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_ghost *ghost = &analysis->model->ghosts.at[first->subject];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	uint32_t wake = wake_before(analysis->model, first->subject);
	struct story story = {0};

	finding->title = say(analysis, "%u %s %s after %s destroyed; the wake came from %s",
		group->count, group->count == 1 ? "coroutine was" : "coroutines were",
		is_resume(ghost) ? "resumed" : "woken", group->count == 1 ? "it was" : "they were",
		words_place(analysis, first->cause_site));
	if (coro->suspended != CT_NO_TIME)
		story_suspended(analysis, &story, coro);
	story_destroyed(analysis, &story, coro);
	if (is_resume(ghost) && wake != UINT32_MAX)
		tell(analysis, wake, "woke it, though it was gone", &story);
	tell(analysis, first->subject,
		is_resume(ghost) ? "resumed it: its frame was gone" : "woke it, though it was gone",
		&story);
	story_end(analysis, &story, finding);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence = ghost->sequence;
}
