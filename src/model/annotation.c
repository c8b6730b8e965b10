/* SPDX-License-Identifier: MIT */
/*
 * Annotations of the program: tasks, regions, counters, names.
 *
 * An annotation belongs to the coroutine that it names; if it names none, to the coroutine that runs on its thread,
 * or else to the thread. All memory is bounded: MODEL_SPANS names of tasks, regions and counters, and MODEL_OPEN
 * tasks and regions that are open at the same time. Annotations beyond these bounds are only counted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/parts.h"

/* ---------------------------------------------------------------- names */

static const char *text_of(const struct model *model, uint32_t site)
{
	const struct ct_site *place;

	if (!site || site >= model->tables->nr_sites)
		return "";
	place = &model->tables->sites[site];
	return *place->reason ? place->reason : place->function;
}

static bool is_span(const struct model_span *span, uint32_t process, uint8_t kind, const char *name)
{
	return span->process == process && span->kind == kind && strcmp(span->name, name) == 0;
}

/* Makes a span. *ret_span is 0 if the table is full. False: out of memory. */
static __attribute__((noinline)) bool make_span(
	struct model *model, uint64_t key, struct model_span about, uint32_t *ret_span)
{
	*ret_span = 0;
	if (model->spans.count > MODEL_SPANS) {
		model->nr_spans_refused++;
		return true;
	}
	if (about.kind != CTP_KIND_COUNTER) {
		about.durations = calloc(1, sizeof(*about.durations));
		if (!about.durations)
			return false;
	}
	*ret_span = (uint32_t)model->spans.count;
	if (map_put(&model->span_at, key, *ret_span) && vec_push(&model->spans, about))
		return true;
	free(about.durations);
	return false;
}

/* Finds the span of this name, or makes it; 0: the table is full. False: out of memory. */
static bool find_span(
	struct model *model, const struct ct_event *event, uint8_t kind, uint32_t *ret_span)
{
	const char *name = text_of(model, event->site);
	uint64_t key = hash_text(HASH_START ^ ((uint64_t)event->process << 8 | kind), name);

	for (; map_get(&model->span_at, key, ret_span); key++)
		if (is_span(&model->spans.at[*ret_span], event->process, kind, name))
			return true;
	return make_span(model, key,
		(struct model_span){
			.name = name, .process = event->process, .site = event->site, .kind = kind},
		ret_span);
}

/* The coroutine that owns the annotation; 0: the thread owns it. */
static uint32_t whose(struct model *model, const struct ct_event *event)
{
	if (event->coro)
		return model_coro_find(model, event->process, event->coro);
	return thread_at(model, event->thread)->top;
}

static void end_span(struct model *model, uint32_t index, ct_time begun, ct_time ended)
{
	struct model_span *span = &model->spans.at[index];

	if (span->open.count)
		span->open.count--;
	if (span->durations)
		histogram_add(span->durations, ended > begun ? (uint64_t)(ended - begun) : 0);
}

/* ---------------------------------------------------------------- tasks */

static struct model_task *find_task(struct model *model, uint32_t process, uint64_t id)
{
	uint32_t index;

	return id && map_get(&process_at(model, process)->tasks, id, &index)
		       ? &model->tasks.at[index]
		       : NULL;
}

static void set_task(struct model *model, const struct ct_event *event, uint64_t id)
{
	uint32_t coro = whose(model, event);

	if (coro)
		model_work_join(model, coro, id, event->time);
	else
		thread_at(model, event->thread)->task = id;
}

/* Keeps the slowest tasks, ended or not, sorted by duration; the quickest of them is last. */
static void keep_slow(struct model *model, const struct model_task *task, ct_time ended)
{
	struct model_slow slow = {*task, ended - task->begun};
	struct model_span *span = &model->spans.at[task->span];
	unsigned i;

	if (!span->longest_ns || slow.duration > span->longest_ns) {
		span->longest_ns = slow.duration;
		span->longest_event = task->event;
	}
	for (i = 0; i < MODEL_SLOWEST; i++) {
		struct model_slow *at = &model->slowest[i];

		if (at->task.id && at->duration >= slow.duration)
			continue;
		memmove(at + 1, at, (MODEL_SLOWEST - 1 - i) * sizeof(*at));
		*at = slow;
		model->nr_slowest += model->nr_slowest < MODEL_SLOWEST;
		return;
	}
}

static void end_task(struct model *model, const struct ct_event *event)
{
	struct model_process *process = process_at(model, event->process);
	struct model_task *task = find_task(model, event->process, event->object);
	uint32_t index;

	if (!task)
		return;
	model_work_end(model, task, event->time);
	model_tell(model, MODEL_TASK_END, (struct model_sight){.task = task, .event = event});
	end_span(model, task->span, task->begun, event->time);
	keep_slow(model, task, event->time);
	index = (uint32_t)(task - model->tasks.at);
	map_remove(&process->tasks, task->id);
	*task = (struct model_task){.span = model->free_task};
	model->free_task = index;
}

/* Takes a free task record; 0: the table is full. False: out of memory. */
static bool take_task(struct model *model, uint32_t *ret_index)
{
	*ret_index = model->free_task;
	if (*ret_index) {
		model->free_task = model->tasks.at[*ret_index].span;
		return true;
	}
	if (model->tasks.count > MODEL_OPEN) {
		model->nr_spans_refused++;
		return true;
	}
	*ret_index = (uint32_t)model->tasks.count;
	return vec_push(&model->tasks, (struct model_task){0});
}

static bool begin_task(struct model *model, const struct ct_event *event)
{
	uint32_t span, index;

	/* A task with this number that is still open has ended unrecorded. */
	end_task(model, event);
	if (!event->object)
		return true;
	if (!find_span(model, event, CTP_KIND_TASK_BEGIN, &span))
		return false;
	if (!span)
		return true;
	if (!take_task(model, &index))
		return false;
	if (!index)
		return true;
	model->spans.at[span].nr_begun++;
	model->spans.at[span].open.count++;
	model->tasks.at[index] = (struct model_task){.id = event->object,
		.process = event->process,
		.span = span,
		.begun = event->time,
		.event = event->sequence};
	if (!map_put(&process_at(model, event->process)->tasks, event->object, index))
		return false;
	set_task(model, event, event->object);
	return true;
}

const struct model_task *model_task_of(const struct model *model, uint32_t coro)
{
	const struct model_process *process = &model->processes[model->coros.at[coro].process];
	uint64_t task = model_work_of(model, coro)->task;
	uint32_t index;

	if (!task || !map_get(&process->tasks, task, &index))
		return NULL;
	return &model->tasks.at[index];
}

bool model_is_task_open(const struct model *model, const struct model_task *task)
{
	uint32_t index;

	return map_get(&model->processes[task->process].tasks, task->id, &index) &&
	       model->tasks.at[index].event == task->event;
}

/* ---------------------------------------------------------------- regions */

/*
 * The innermost open region of the event's coroutine or thread. Before that, adds the coroutine's time up to now to
 * its open regions. NULL: out of memory.
 */
static uint32_t *regions_of(struct model *model, const struct ct_event *event)
{
	uint32_t coro = whose(model, event);
	struct model_work *work;

	if (!coro)
		return &thread_at(model, event->thread)->region;
	model_work_count(model, coro_at(model, coro), event->time);
	work = model_work_make(model, coro);
	return work ? &work->region : NULL;
}

static bool take_region(struct model *model, uint32_t *ret_index)
{
	*ret_index = model->free_region;
	if (*ret_index) {
		model->free_region = model->regions.at[*ret_index].below;
		return true;
	}
	if (model->regions.count > MODEL_OPEN) {
		model->nr_spans_refused++;
		return true;
	}
	*ret_index = (uint32_t)model->regions.count;
	return vec_push(&model->regions, (struct model_region){0});
}

static bool begin_region(struct model *model, const struct ct_event *event)
{
	uint32_t span, index, *top;

	if (!find_span(model, event, CTP_KIND_REGION_BEGIN, &span))
		return false;
	if (!span)
		return true;
	if (!take_region(model, &index))
		return false;
	if (!index)
		return true;
	top = regions_of(model, event);
	if (!top)
		return false;
	model->spans.at[span].nr_begun++;
	model->spans.at[span].open.count++;
	model->regions.at[index] = (struct model_region){span, *top, event->time};
	*top = index;
	return true;
}

static void drop_region(struct model *model, uint32_t *top)
{
	struct model_region *region = &model->regions.at[*top];
	uint32_t index = *top;

	*top = region->below;
	region->below = model->free_region;
	model->free_region = index;
}

/* Ends the region, and all regions inside it. */
static bool end_region(struct model *model, const struct ct_event *event)
{
	uint32_t span, *top = regions_of(model, event), at;
	bool is_last;

	if (!top || !find_span(model, event, CTP_KIND_REGION_BEGIN, &span))
		return false;
	for (at = *top; at && model->regions.at[at].span != span;)
		at = model->regions.at[at].below;
	while (at && *top) {
		is_last = *top == at;
		model_tell(model, MODEL_REGION_END,
			(struct model_sight){.region = &model->regions.at[*top],
				.coro = whose(model, event),
				.event = event});
		end_span(model, model->regions.at[*top].span, model->regions.at[*top].begun,
			event->time);
		drop_region(model, top);
		if (is_last)
			break;
	}
	return true;
}

void model_annotation_forget(struct model *model, uint32_t coro, ct_time time)
{
	uint32_t *top;

	if (!work_has(model, coro_at(model, coro)))
		return;
	top = &model->works.at[coro].region;
	model_work_count(model, coro_at(model, coro), time);
	model_work_leave(model, coro);
	while (*top) {
		struct model_span *span = &model->spans.at[model->regions.at[*top].span];

		if (span->open.count)
			span->open.count--;
		drop_region(model, top);
	}
}

/* ---------------------------------------------------------------- counters and names */

static bool take_value(struct model *model, const struct ct_event *event)
{
	int64_t value = (int64_t)event->object;
	struct model_span *span;
	uint32_t index;

	if (!find_span(model, event, CTP_KIND_COUNTER, &index))
		return false;
	if (!index)
		return true;
	span = &model->spans.at[index];
	if (!span->nr_begun || value < span->least)
		span->least = value;
	if (!span->nr_begun || value > span->greatest)
		span->greatest = value;
	span->nr_begun++;
	span->last = value;
	span->last_time = event->time;
	return model_series_count(model, index, event->time, value);
}

static bool take_name(struct model *model, const struct ct_event *event)
{
	uint32_t coro;

	if (!event->object && !event->coro) {
		thread_at(model, event->thread)->name_site = event->site;
		return true;
	}
	if (event->object && CTP_HANDLE_RESOURCE(event->object) != CTP_RESOURCE_COROUTINE)
		return map_put(
			&process_at(model, event->process)->names, event->object, event->site);
	coro = model_coro_find(model, event->process,
		event->object ? CTP_HANDLE_IDENTITY(event->object) : event->coro);
	if (coro)
		model_set_rare(model, coro_at(model, coro), name_site, event->site);
	return true;
}

const char *model_resource_name(const struct model *model, uint32_t process, uint64_t handle)
{
	uint32_t site;

	if (!map_get(&model->processes[process].names, handle, &site))
		return "";
	return text_of(model, site);
}

/* ---------------------------------------------------------------- all */

bool model_annotation_apply(struct model *model, const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_TASK_BEGIN:
		return begin_task(model, event);
	case CTP_KIND_TASK_END:
		end_task(model, event);
		return true;
	case CTP_KIND_TASK_SET:
		set_task(model, event, event->object);
		return true;
	case CTP_KIND_REGION_BEGIN:
		return begin_region(model, event);
	case CTP_KIND_REGION_END:
		return end_region(model, event);
	case CTP_KIND_COUNTER:
		return take_value(model, event);
	case CTP_KIND_NAME:
		return take_name(model, event);
	default: /* a message: the model keeps nothing of it */
		return true;
	}
}

bool model_annotation_reserve(struct model *model)
{
	return vec_push(&model->spans, (struct model_span){.name = ""}) &&
	       vec_push(&model->tasks, (struct model_task){0}) &&
	       vec_push(&model->regions, (struct model_region){0});
}

/* A task that is still open at the end may be the slowest of all. */
static void finish_task(struct model *model, const struct model_task *task)
{
	ct_time end = model_end_of(model, task->process);

	keep_slow(model, task, end);
	model_times_so_far(&model->spans.at[task->span].open, end - task->begun);
}

static void finish_regions(struct model *model, uint32_t process, uint32_t region)
{
	ct_time end = model_end_of(model, process);

	for (; region; region = model->regions.at[region].below)
		model_times_so_far(&model->spans.at[model->regions.at[region].span].open,
			end - model->regions.at[region].begun);
}

void model_annotation_finish(struct model *model)
{
	size_t i;

	for (i = 1; i < model->tasks.count; i++)
		if (model->tasks.at[i].id)
			finish_task(model, &model->tasks.at[i]);
	for (i = 1; i < model->works.count; i++)
		finish_regions(model, model->coros.at[i].process, model->works.at[i].region);
	for (i = 1; i < model->nr_threads; i++)
		finish_regions(model, model->threads[i].process, model->threads[i].region);
}

void model_annotation_fini(struct model *model)
{
	size_t i;

	for (i = 0; i < model->spans.count; i++)
		free(model->spans.at[i].durations);
	vec_fini(&model->spans);
	vec_fini(&model->tasks);
	vec_fini(&model->regions);
	map_fini(&model->span_at);
}
