/* SPDX-License-Identifier: MIT */
/*
 * Stories: the steps and the evidence of a finding, which a rule adds one by one. The texts live in the report's
 * arena.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "analyze/parts.h"

bool analyze_words_is_outside(const struct analysis *analysis, uint32_t thread)
{
	uint32_t process = analysis->model->threads[thread].process;

	return thread && process < analysis->tables->nr_processes &&
	       analysis->tables->processes[process].has_probe &&
	       !analysis->model->processes[process].has_half_told;
}

/* Does the text name its subject, as "the descriptor was closed" and "coroutine 3 suspended" do? */
static bool has_subject(const char *text)
{
	static const char *const subjects[] = {"coroutine ", "thread ", "the "};
	size_t i;

	for (i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (strncmp(text, subjects[i], strlen(subjects[i])) == 0)
			return true;
	return false;
}

/* The coroutine or thread of a step; "" for a statement about the whole. */
static const char *words_by(struct analysis *analysis, const struct ct_step *step)
{
	uint32_t process = analysis->model->threads[step->thread].process, coro;

	if (step->time == CT_NO_TIME || has_subject(step->text))
		return "";
	if (!step->coro)
		return step->thread ? analyze_words_thread(analysis, step->thread) : "";
	coro = model_find(analysis->model, process, step->coro);
	return coro ? analyze_words_coro(analysis, &analysis->model->coros.at[coro])
		    : analyze_say(analysis, "coroutine %" PRIu64, step->coro);
}

void analyze_story_step(struct analysis *analysis, struct story *story, const struct ct_step *step)
{
	struct ct_step told = *step;

	told.by = words_by(analysis, step);
	told.is_outside = !step->coro && analyze_words_is_outside(analysis, step->thread);
	if (!vec_push(&story->steps, told))
		analysis->is_broken = true;
}

void analyze_story_fact(struct analysis *analysis, struct story *story, const char *format, ...)
{
	struct ct_step fact = {.time = CT_NO_TIME, .sequence = UINT64_MAX};
	va_list arguments;

	va_start(arguments, format);
	fact.text = analyze_say_list(analysis, format, arguments);
	va_end(arguments);
	analyze_story_step(analysis, story, &fact);
}

void analyze_story_evidence(struct analysis *analysis, struct story *story, const char *format, ...)
{
	va_list arguments;
	bool is_kept;

	va_start(arguments, format);
	is_kept = vec_push(&story->evidence, analyze_say_list(analysis, format, arguments));
	va_end(arguments);
	analysis->is_broken |= !is_kept;
}

/* A fact without a time stays after the step that it explains. */
static const struct ct_step *explained(const struct story *story, size_t index)
{
	while (index > 0 && story->steps.at[index].time == CT_NO_TIME)
		index--;
	return &story->steps.at[index];
}

/* Events of the same time have an order of their own. */
static bool is_later(const struct ct_step *step, const struct ct_step *than)
{
	if (step->time != than->time)
		return step->time > than->time;
	return step->sequence != UINT64_MAX && step->sequence > than->sequence;
}

/*
 * Rules add steps in the order in which they find them; readers want them by time. The steps are few and almost in
 * order.
 */
void analyze_story_order(struct story *story)
{
	size_t i, at;

	for (i = 1; i < story->steps.count; i++) {
		struct ct_step step = story->steps.at[i];

		if (step.time == CT_NO_TIME)
			continue;
		for (at = i; at > 0 && is_later(explained(story, at - 1), &step); at--)
			story->steps.at[at] = story->steps.at[at - 1];
		story->steps.at[at] = step;
	}
}

void analyze_story_party(
	struct analysis *analysis, struct story *story, uint32_t coro, uint32_t thread)
{
	if (!vec_push(&story->parties, ((struct story_party){coro, thread, 0})))
		analysis->is_broken = true;
}

void analyze_story_resource(struct analysis *analysis, struct story *story, uint64_t handle)
{
	if (!vec_push(&story->parties, ((struct story_party){.handle = handle})))
		analysis->is_broken = true;
}

void analyze_story_fini(struct story *story)
{
	vec_fini(&story->steps);
	vec_fini(&story->evidence);
	vec_fini(&story->parties);
}

void analyze_story_end(struct analysis *analysis, struct story *story, struct ct_finding *finding)
{
	analyze_story_order(story);
	finding->steps = analyze_kept(
		analysis, story->steps.at, story->steps.count, sizeof(*story->steps.at));
	finding->nr_steps = finding->steps ? (uint32_t)story->steps.count : 0;
	finding->evidence = analyze_kept(
		analysis, story->evidence.at, story->evidence.count, sizeof(*story->evidence.at));
	finding->nr_evidence = finding->evidence ? (uint32_t)story->evidence.count : 0;
	analyze_story_fini(story);
}
