/* SPDX-License-Identifier: MIT */
/*
 * Keeps its own record of when each coroutine and thread first appeared, while a model applies events; at the end the
 * model's times must add up to the time from then to the end.
 */
#ifndef TESTS_LIVES_H
#define TESTS_LIVES_H

#include <inttypes.h>
#include <stdio.h>

#include "model/model.h"

struct lives {
	VEC(ct_time) coros;   /* by index: the time of its first event */
	VEC(ct_time) threads; /* by index: the time of its first event; CT_NO_TIME: none */
};

static inline ct_time lives_observed(const struct model *model, ct_time time)
{
	return model->from != CT_NO_TIME && time < model->from ? model->from : time;
}

/* lives_note: must be called after each event that the model applied. */
static inline void lives_note(
	struct lives *lives, const struct model *model, const struct ct_event *event)
{
	ct_time time = lives_observed(model, event->time);

	while (lives->coros.count < model->coros.count)
		if (!vec_push(&lives->coros, time))
			abort();
	while (lives->threads.count < model->nr_threads)
		if (!vec_push(&lives->threads, CT_NO_TIME))
			abort();
	if (event->thread < model->nr_threads &&
		model->threads[event->thread].counted != CT_NO_TIME &&
		lives->threads.at[event->thread] == CT_NO_TIME)
		lives->threads.at[event->thread] = time;
}

static inline bool lives_coro(const struct lives *lives, const struct model *model, size_t index)
{
	const struct model_coro *coro = &model->coros.at[index];
	ct_time end = model_end_of(model, coro->process);
	int64_t sum = 0;
	unsigned state;

	for (state = 0; state < CT_STATE_DESTROYED; state++)
		sum += model_spent(model, coro, state);
	if (coro->state == CT_STATE_DESTROYED || end < coro->changed)
		end = coro->changed;
	if (sum == lives_observed(model, end) - lives->coros.at[index])
		return true;
	fprintf(stderr,
		"coroutine %" PRIu64 ": its times add up to %" PRId64 " ns, not %" PRId64 "\n",
		coro->id, sum, lives_observed(model, end) - lives->coros.at[index]);
	return false;
}

static inline bool lives_thread(const struct lives *lives, const struct model *model, size_t index)
{
	const struct model_thread *thread = &model->threads[index];
	int64_t sum = 0;
	int i;

	if (thread->counted == CT_NO_TIME)
		return true;
	for (i = 0; i < MODEL_NR_ACTIVITIES; i++)
		sum += thread->spent[i];
	if (sum == thread->counted - lives->threads.at[index])
		return true;
	fprintf(stderr, "thread %zu: its times add up to %" PRId64 " ns, not %" PRId64 "\n", index,
		sum, thread->counted - lives->threads.at[index]);
	return false;
}

/* lives_check: must be called after model_finish. Prints what does not add up, and frees the record. */
static inline bool lives_check(struct lives *lives, const struct model *model)
{
	bool is_right = true;
	size_t i;

	for (i = 1; i < lives->coros.count; i++)
		is_right &= lives_coro(lives, model, i);
	for (i = 1; i < lives->threads.count; i++)
		is_right &= lives_thread(lives, model, i);
	vec_fini(&lives->coros);
	vec_fini(&lives->threads);
	return is_right;
}

#endif
