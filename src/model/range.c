/* SPDX-License-Identifier: MIT */
/*
 * Ranges of a runtime: pauses and the phases of garbage collection, each from its beginning to its end.
 *
 * An end belongs to the beginning of the same kind and scope (def/ranges.def). An end without a beginning ends a
 * range that was open when the observation began.
 */
#include <string.h>

#include "event/kind_words.h"
#include "model/parts.h"

/* Only one range of a kind and scope is open at a time. */
static uint64_t key_of(const struct ct_event *event)
{
	uint64_t key = (uint64_t)event->argument << 56;

	switch (kind_range_scope(event->argument)) {
	case KIND_SCOPE_PROCESS:
		return key;
	case KIND_SCOPE_PROCESSOR:
		return key | CTP_HANDLE_IDENTITY(event->object);
	case KIND_SCOPE_COROUTINE:
		return key | CTP_HANDLE_IDENTITY(event->coro);
	case KIND_SCOPE_THREAD:
		break;
	}
	return key | event->thread;
}

/* A program may also stop the world itself, for example to read its memory statistics. */
static bool is_of_collection(const struct model *model, uint32_t site)
{
	const struct ct_tables *tables = model->tables;

	return site < tables->nr_sites && strncmp(tables->sites[site].reason, "GC ", 3) == 0;
}

static struct model_range begin_of(const struct ct_event *event)
{
	bool is_processor = kind_range_scope(event->argument) == KIND_SCOPE_PROCESSOR;

	return (struct model_range){
		.kind = event->argument,
		.thread = event->thread,
		.coro = event->coro,
		.processor = is_processor ? CTP_HANDLE_IDENTITY(event->object) : 0,
		.site = event->site,
		.from = event->time,
		.until = CT_NO_TIME,
		.counted = event->time,
	};
}

/* ---------------------------------------------------------------- effects of a range */

static void mark_coro(struct model *model, const struct ct_event *event, bool is_begin)
{
	uint32_t index = model_coro_find(model, event->process, event->coro);
	struct model_coro *coro = coro_at(model, index);

	if (!index)
		return;
	if (event->argument == CTP_RANGE_ASSIST)
		coro->is_assisting = is_begin;
	else if (event->argument == CTP_RANGE_GC_WORKER)
		coro->is_collector = is_begin;
	model_runtime_changed(model, coro, event->time);
}

static void mark_processor(struct model *model, const struct ct_event *event, bool is_begin)
{
	struct model_runtime *runtime = process_at(model, event->process)->runtime;
	uint32_t index;

	if (!map_get(&runtime->processor_at, CTP_HANDLE_IDENTITY(event->object), &index))
		return;
	runtime->processors.at[index].is_sweeping = is_begin;
	model_runtime_look(model, event->process, index, event->time);
}

static void mark(struct model *model, const struct ct_event *event, uint32_t site, bool is_begin)
{
	struct model_runtime *runtime = process_at(model, event->process)->runtime;

	switch (event->argument) {
	case CTP_RANGE_PAUSE:
		runtime->nr_collection_pauses = is_begin && is_of_collection(model, site);
		model_runtime_look(model, event->process, 0, event->time);
		break;
	case CTP_RANGE_SWEEP:
		mark_processor(model, event, is_begin);
		break;
	case CTP_RANGE_ASSIST:
	case CTP_RANGE_GC_WORKER:
		mark_coro(model, event, is_begin);
		break;
	default:
		break;
	}
}

/* ---------------------------------------------------------------- sums */

static struct model_range_sum *sum_of(
	struct model_runtime *runtime, const struct model_range *range)
{
	uint64_t key = (uint64_t)range->kind << 32 | range->site;
	struct model_range_sum fresh = {.kind = range->kind, .site = range->site};
	uint32_t index = (uint32_t)runtime->sums.count;

	if (map_get(&runtime->sum_at, key, &index))
		return &runtime->sums.at[index];
	if (index >= MODEL_RANGE_SUMS || !vec_push(&runtime->sums, fresh))
		return NULL;
	if (map_put(&runtime->sum_at, key, index))
		return &runtime->sums.at[index];
	runtime->sums.count--;
	return NULL;
}

static void keep_pause(struct model_runtime *runtime, const struct model_range *range)
{
	struct model_pause pause = {
		.from = range->from,
		.until = range->until,
		.before_ns = runtime->paused_ns,
	};

	if (range->kind != CTP_RANGE_PAUSE)
		return;
	runtime->paused_ns += ct_time_between(range->from, range->until);
	if (runtime->pauses.count >= MODEL_PAUSES || !vec_push(&runtime->pauses, pause))
		runtime->nr_refused++;
}

static void give_to_task(struct model *model, uint32_t process, const struct model_range *range)
{
	uint32_t coro = model_coro_find(model, process, range->coro);
	uint32_t task = model_work_of(model, coro)->index;

	if (coro && task)
		model->tasks.at[task].assisted_ns += range->ran_ns;
}

static void close(struct model *model, uint32_t process, struct model_range *range)
{
	struct model_runtime *runtime = process_at(model, process)->runtime;
	struct model_range_sum *sum = sum_of(runtime, range);
	int64_t ns = ct_time_between(range->from, range->until);

	if (!sum || !histogram_count(&sum->durations, (uint64_t)ns, &model->distribution_bytes))
		runtime->nr_refused++;
	keep_pause(runtime, range);
	if (range->kind == CTP_RANGE_ASSIST) {
		runtime->assisted_ns += range->ran_ns;
		give_to_task(model, process, range);
	}
	model_tell(
		model, MODEL_RANGE_END, (struct model_sight){.process = process, .range = range});
}

static bool is_running(const struct model *model, uint32_t coro)
{
	return coro && model->coros.at[coro].state == CT_STATE_RUNNING;
}

static void end(struct model *model, struct model_range *range, const struct ct_event *event)
{
	if (range->coro && is_running(model, model_coro_find(model, event->process, range->coro)))
		range->ran_ns += ct_time_between(range->counted, event->time);
	range->until = event->time > range->from ? event->time : range->from;
	close(model, event->process, range);
}

/* ---------------------------------------------------------------- events */

static bool open(struct model *model, const struct ct_event *event)
{
	struct model_runtime *runtime = process_at(model, event->process)->runtime;
	struct model_range range = begin_of(event);
	uint32_t index = runtime->free_range;

	if (index) {
		runtime->free_range = runtime->open.at[index].thread;
		runtime->open.at[index] = range;
	} else {
		index = (uint32_t)runtime->open.count;
		if (index >= MODEL_RANGES_OPEN) {
			runtime->nr_refused++;
			return true;
		}
		if (!vec_push(&runtime->open, range))
			return false;
	}
	return map_put(&runtime->open_at, key_of(event), index);
}

static void drop(struct model_runtime *runtime, uint64_t key, uint32_t index)
{
	map_remove(&runtime->open_at, key);
	runtime->open.at[index] =
		(struct model_range){.thread = runtime->free_range, .from = CT_NO_TIME};
	runtime->free_range = index;
}

static void finish_one(struct model *model, const struct ct_event *event)
{
	struct model_runtime *runtime = process_at(model, event->process)->runtime;
	struct model_range range;
	uint64_t key = key_of(event);
	uint32_t index;

	if (map_get(&runtime->open_at, key, &index)) {
		range = runtime->open.at[index];
		drop(runtime, key, index);
	} else {
		range = begin_of(event);
		range.from = model->from == CT_NO_TIME ? event->time : model->from;
		range.counted = event->time;
	}
	mark(model, event, range.site, false);
	end(model, &range, event);
}

bool model_range_apply(struct model *model, const struct ct_event *event)
{
	struct model_runtime *runtime = model_runtime_of(model, event->process);
	uint32_t index;

	if (!runtime || !model_coro_touch(model, event, &index))
		return false;
	if (event->kind == CTP_KIND_RANGE_END) {
		finish_one(model, event);
		return true;
	}
	if (map_get(&runtime->open_at, key_of(event), &index))
		finish_one(model, event);
	if (!open(model, event))
		return false;
	mark(model, event, event->site, true);
	return true;
}

bool model_range_detail(struct model *model, const struct ct_event *event)
{
	struct model_runtime *runtime = model_runtime_of(model, event->process);

	if (!runtime)
		return false;
	if (event->argument == CTP_DETAIL_SWEPT)
		runtime->nr_swept_bytes += event->object;
	else
		runtime->nr_reclaimed_bytes += event->object;
	return true;
}

/* A range that is open at the end lasted until then. */
static void finish_process(struct model *model, uint32_t process, ct_time until)
{
	struct model_runtime *runtime = process_at(model, process)->runtime;
	uint32_t i;

	for (i = 1; i < runtime->open.count; i++) {
		struct model_range range = runtime->open.at[i];
		struct model_range_sum *sum;

		if (range.from == CT_NO_TIME)
			continue;
		sum = sum_of(runtime, &range);
		if (sum) {
			sum->open.count++;
			model_times_so_far(&sum->open, ct_time_between(range.from, until));
		}
		range.until = until > range.from ? until : range.from;
		range.is_open = true;
		keep_pause(runtime, &range);
		model_tell(model, MODEL_RANGE_END,
			(struct model_sight){.process = process, .range = &range});
	}
}

void model_range_finish(struct model *model)
{
	uint32_t i;

	for (i = 0; i < model->nr_processes; i++)
		if (process_at(model, i)->runtime)
			finish_process(model, i, model_end_of(model, i));
}

/* ---------------------------------------------------------------- queries */

/* How long the world had been stopped by then. */
static int64_t paused_until(const struct model_runtime *runtime, ct_time time)
{
	size_t low = 0, high = runtime->pauses.count, middle;
	const struct model_pause *pause;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (runtime->pauses.at[middle].from < time)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	pause = &runtime->pauses.at[low - 1];
	return pause->before_ns +
	       ct_time_between(pause->from, pause->until < time ? pause->until : time);
}

int64_t model_paused_between(const struct model_runtime *runtime, ct_time from, ct_time until)
{
	return until > from ? paused_until(runtime, until) - paused_until(runtime, from) : 0;
}
