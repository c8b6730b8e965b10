/* SPDX-License-Identifier: MIT */
/*
 * Work: how the time of coroutines is divided among tasks and regions.
 *
 * A coroutine works for one task at a time, and may have nested regions open. Its time in a state is added to all of
 * them whenever its state, its task or its regions change. Therefore the time of a region that a coroutine has open
 * adds up to how long it was open. A task gets more time than it lasted if several coroutines worked for it at once,
 * and less if none did for a while. A coroutine with neither task nor region costs one comparison.
 */
#include <string.h>

#include "model/parts.h"

/* Regions further out get no time: without this bound, missing ends would make it slow. */
#define REGIONS_DEEP 64u

static void give(struct model *model, uint32_t index, const struct model_coro *coro, int64_t ns)
{
	struct model_span *span = &model->spans.at[index];
	unsigned resource = CTP_HANDLE_RESOURCE(coro->wait_object);

	span->spent[coro->state] += ns;
	if (coro->state == CT_STATE_WAITING)
		span->waited[resource < MODEL_NR_RESOURCES ? resource : MODEL_RESOURCE_OTHER] += ns;
}

static void give_to_task(
	struct model *model, uint32_t index, const struct model_coro *coro, int64_t ns)
{
	struct model_task *task = &model->tasks.at[index];

	task->spent[coro->state] += ns;
	give(model, task->span, coro, ns);
}

static struct model_work *work_at(struct model *model, uint32_t coro)
{
	return &model->works.at[coro];
}

struct model_work *model_work_make(struct model *model, uint32_t coro)
{
	size_t count = model->works.count;

	if (coro < count)
		return work_at(model, coro);
	if (!vec_reserve(&model->works, (size_t)coro + 1)) {
		model->has_no_memory = true;
		return NULL;
	}
	memset(&model->works.at[count], 0, (coro + 1 - count) * sizeof(*model->works.at));
	model->works.count = (size_t)coro + 1;
	return work_at(model, coro);
}

static void enlist(struct model *model, uint32_t coro, uint32_t task)
{
	struct model_work *work = work_at(model, coro);
	uint32_t *first = &model->tasks.at[task].workers;

	work->index = task;
	work->before = 0;
	work->next = *first;
	if (*first)
		work_at(model, *first)->before = coro;
	*first = coro;
}

/* The task may have begun since, on a thread whose clock is slightly behind. */
static void find_task(struct model *model, uint32_t coro)
{
	uint64_t id = work_at(model, coro)->task;
	uint32_t task;

	if (map_get(&process_at(model, coro_at(model, coro)->process)->tasks, id, &task))
		enlist(model, coro, task);
}

void model_work_count(struct model *model, struct model_coro *coro, ct_time time)
{
	struct model_work *work = model_work_make(model, model_index(model, coro));
	uint32_t region, deep;
	int64_t ns;

	if (!work)
		return;
	ns = time_observed(model, time) - time_observed(model, work->counted);
	region = work->region;
	work->counted = time;
	if (coro->state >= CT_STATE_DONE)
		return;
	if (work->task && !work->index)
		find_task(model, model_index(model, coro));
	if (work->index)
		give_to_task(model, work->index, coro, ns);
	for (deep = 0; region && deep < REGIONS_DEEP; deep++) {
		give(model, model->regions.at[region].span, coro, ns);
		region = model->regions.at[region].below;
	}
}

void model_work_leave(struct model *model, uint32_t coro)
{
	struct model_work *work;

	if (!model_work_of(model, coro)->index)
		return;
	work = work_at(model, coro);
	if (work->before)
		work_at(model, work->before)->next = work->next;
	else
		model->tasks.at[work->index].workers = work->next;
	if (work->next)
		work_at(model, work->next)->before = work->before;
	work->index = work->next = work->before = 0;
}

void model_work_join(struct model *model, uint32_t index, uint64_t task, ct_time time)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_work *work;

	if (work_has(model, coro))
		model_work_count(model, coro, time);
	else if (!task)
		return;
	work = model_work_make(model, index);
	if (!work)
		return;
	model_work_leave(model, index);
	work->counted = time;
	work->task = task;
	if (task && coro->state < CT_STATE_DONE)
		find_task(model, index);
}

void model_work_end(struct model *model, struct model_task *task, ct_time time)
{
	while (task->workers) {
		uint32_t coro = task->workers;

		model_work_count(model, coro_at(model, coro), time);
		model_work_leave(model, coro);
		work_at(model, coro)->task = 0;
	}
}
