/* SPDX-License-Identifier: MIT */
/*
 * For what they worked: how the time of coroutines divides among tasks and regions.
 *
 * A coroutine works for one task at a time, and may have regions open, one inside the other. Time in its states is
 * given to all of them, whenever its state, its task or its regions change. So what a region is given adds up to how
 * long it was open, if a coroutine had it; a task is given more than it lasted where several worked for it at once, and
 * less where none did. A coroutine with neither task nor region costs a comparison.
 */
#include "model/parts.h"

/* Regions further out than this are given nothing: without bound, ends that never come would make it slow. */
#define REGIONS_DEEP 64u

static void give(struct model *model, uint32_t index, const struct model_coro *coro, int64_t ns)
{
	struct model_span *span = &model->spans.at[index];
	unsigned resource = CTP_HANDLE_RESOURCE(coro->wait_object);

	span->spent[coro->state] += ns;
	if (coro->state == CT_STATE_WAITING)
		span->waited[resource < MODEL_NR_RESOURCES ? resource : MODEL_RESOURCE_OTHER] += ns;
}

static void give_to_task(struct model *model, const struct model_coro *coro, int64_t ns)
{
	struct model_task *task = &model->tasks.at[coro->work];

	task->spent[coro->state] += ns;
	give(model, task->span, coro, ns);
}

static void enlist(struct model *model, struct model_coro *coro, uint32_t task)
{
	uint32_t index = (uint32_t)(coro - model->coros.at);
	uint32_t *first = &model->tasks.at[task].workers;

	coro->work = task;
	coro->work_before = 0;
	coro->work_next = *first;
	if (*first)
		coro_at(model, *first)->work_before = index;
	*first = index;
}

/* The task may have begun since, on a thread whose clock is a little behind. */
static void find_task(struct model *model, struct model_coro *coro)
{
	uint32_t task;

	if (map_get(&process_at(model, coro->process)->tasks, coro->task, &task))
		enlist(model, coro, task);
}

void model_work_count(struct model *model, struct model_coro *coro, ct_time time)
{
	int64_t ns = time_observed(model, time) - time_observed(model, coro->worked);
	uint32_t region = coro->region, deep;

	coro->worked = time;
	if (coro->state >= CT_STATE_DONE)
		return;
	if (coro->task && !coro->work)
		find_task(model, coro);
	if (coro->work)
		give_to_task(model, coro, ns);
	for (deep = 0; region && deep < REGIONS_DEEP; deep++) {
		give(model, model->regions.at[region].span, coro, ns);
		region = model->regions.at[region].below;
	}
}

void model_work_leave(struct model *model, struct model_coro *coro)
{
	if (!coro->work)
		return;
	if (coro->work_before)
		coro_at(model, coro->work_before)->work_next = coro->work_next;
	else
		model->tasks.at[coro->work].workers = coro->work_next;
	if (coro->work_next)
		coro_at(model, coro->work_next)->work_before = coro->work_before;
	coro->work = coro->work_next = coro->work_before = 0;
}

void model_work_join(struct model *model, uint32_t index, uint64_t task, ct_time time)
{
	struct model_coro *coro = coro_at(model, index);

	if (work_has(coro))
		model_work_count(model, coro, time);
	model_work_leave(model, coro);
	coro->worked = time;
	coro->task = task;
	if (task && coro->state < CT_STATE_DONE)
		find_task(model, coro);
}

void model_work_end(struct model *model, struct model_task *task, ct_time time)
{
	while (task->workers) {
		struct model_coro *coro = coro_at(model, task->workers);

		model_work_count(model, coro, time);
		model_work_leave(model, coro);
		coro->task = 0;
	}
}
