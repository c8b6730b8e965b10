/* SPDX-License-Identifier: MIT */
/*
 * The processors of a scheduler: which thread has which, what they do, and for how long some were idle although
 * coroutines were ready. Their number, and what runs on them, give the share of the machine that the collector takes
 * (runtime.h).
 */
#include "model/parts.h"

struct model_runtime *model_runtime_of(struct model *model, uint32_t process)
{
	struct model_runtime *runtime = process_at(model, process)->runtime;

	if (runtime)
		return runtime;
	runtime = calloc(1, sizeof(*runtime));
	if (!runtime)
		return NULL;
	runtime->counted = CT_NO_TIME;
	process_at(model, process)->runtime = runtime;
	if (vec_push(&runtime->processors, (struct model_processor){0}) &&
		vec_push(&runtime->open, (struct model_range){0}))
		return runtime;
	return NULL;
}

void model_runtime_free(struct model_runtime *runtime)
{
	size_t i;

	if (!runtime)
		return;
	for (i = 0; i < runtime->sums.count; i++)
		free(runtime->sums.at[i].durations);
	vec_fini(&runtime->processors);
	map_fini(&runtime->processor_at);
	vec_fini(&runtime->open);
	map_fini(&runtime->open_at);
	vec_fini(&runtime->sums);
	map_fini(&runtime->sum_at);
	vec_fini(&runtime->pauses);
	vec_fini(&runtime->shares);
	free(runtime);
}

/* ---------------------------------------------------------------- levels */

void model_runtime_count(struct model *model, uint32_t index, ct_time time)
{
	struct model_process *process = process_at(model, index);
	struct model_runtime *runtime = process->runtime;
	int64_t ns, short_of = runtime->nr_idle < process->nr_ready ? runtime->nr_idle
								    : process->nr_ready;

	time = time_observed(model, time);
	if (runtime->counted == CT_NO_TIME)
		runtime->counted = time;
	ns = time - runtime->counted;
	if (ns <= 0)
		return;
	runtime->counted = time;
	runtime->idle_ready_ns += short_of * ns;
	runtime->short_ns += short_of ? ns : 0;
	runtime->processors_ns += (int64_t)runtime->nr_processors * ns;
}

/* At one instant the largest share counts. */
static void note_share(struct model_runtime *runtime, ct_time time)
{
	struct model_share share = {
		.time = time,
		.nr_collecting = runtime->nr_collection_pauses ? runtime->nr_processors
							       : runtime->nr_collecting,
		.nr_processors = runtime->nr_processors,
	};
	struct model_share *last = NULL;

	if (runtime->shares.count)
		last = &runtime->shares.at[runtime->shares.count - 1];
	if (last && last->nr_collecting == share.nr_collecting &&
		last->nr_processors == share.nr_processors)
		return;
	if (last && last->time >= time) {
		if (last->nr_processors != share.nr_processors ||
			last->nr_collecting < share.nr_collecting)
			*last = (struct model_share){
				last->time, share.nr_collecting, share.nr_processors};
		return;
	}
	if (runtime->shares.count >= MODEL_SHARES || !vec_push(&runtime->shares, share))
		runtime->nr_refused++;
}

static bool is_collecting(const struct model *model, const struct model_processor *processor)
{
	const struct model_coro *coro;

	if (processor->is_sweeping)
		return true;
	if (!processor->thread || processor->state == CTP_PROCESSOR_IDLE)
		return false;
	coro = &model->coros.at[model->threads[processor->thread].top];
	return coro->state == CT_STATE_RUNNING && (coro->is_assisting || coro->is_collector);
}

void model_runtime_look(struct model *model, uint32_t process, uint32_t index, ct_time time)
{
	struct model_runtime *runtime = process_at(model, process)->runtime;
	struct model_processor *processor = &runtime->processors.at[index];
	bool is = index && is_collecting(model, processor);

	if (is != processor->is_collecting) {
		processor->is_collecting = is;
		if (is)
			runtime->nr_collecting++;
		else
			runtime->nr_collecting--;
	}
	if (runtime->nr_processors)
		note_share(runtime, time_observed(model, time));
}

/* ---------------------------------------------------------------- states */

static bool is_there(const struct model_processor *processor)
{
	return processor->state != CTP_PROCESSOR_GONE;
}

static bool is_idle(const struct model_processor *processor)
{
	return processor->state == CTP_PROCESSOR_IDLE;
}

static void give_thread(
	struct model *model, struct model_runtime *runtime, uint32_t index, uint32_t thread)
{
	struct model_processor *processor = &runtime->processors.at[index];

	if (processor->thread && thread_at(model, processor->thread)->processor == index)
		thread_at(model, processor->thread)->processor = 0;
	processor->nr_taken += thread && processor->thread != thread;
	processor->thread = thread;
	if (thread)
		thread_at(model, thread)->processor = index;
}

static void enter(
	struct model *model, uint32_t process, uint32_t index, unsigned state, ct_time time)
{
	struct model_runtime *runtime = process_at(model, process)->runtime;
	struct model_processor *processor = &runtime->processors.at[index];
	int64_t ns = time_observed(model, time) - time_observed(model, processor->changed);

	model_runtime_count(model, process, time);
	if (ns > 0)
		processor->spent[processor->state] += ns;
	runtime->nr_processors -= is_there(processor);
	runtime->nr_idle -= is_idle(processor);
	processor->state = (uint8_t)state;
	processor->changed = time;
	runtime->nr_processors += is_there(processor);
	runtime->nr_idle += is_idle(processor);
}

static uint32_t find(struct model *model, const struct ct_event *event)
{
	struct model_runtime *runtime = process_at(model, event->process)->runtime;
	struct model_processor fresh = {
		.number = CTP_HANDLE_IDENTITY(event->object),
		.state = CTP_PROCESSOR_GONE,
		.changed = model->from == CT_NO_TIME ? event->time : model->from,
	};
	uint32_t index = (uint32_t)runtime->processors.count;

	if (map_get(&runtime->processor_at, fresh.number, &index))
		return index;
	if (index >= MODEL_PROCESSORS) {
		runtime->nr_refused++;
		return 0;
	}
	if (map_put(&runtime->processor_at, fresh.number, index) &&
		vec_push(&runtime->processors, fresh))
		return index;
	model->has_no_memory = true;
	return 0;
}

bool model_processor_apply(struct model *model, const struct ct_event *event)
{
	struct model_runtime *runtime = model_runtime_of(model, event->process);
	unsigned state = event->argument < MODEL_NR_PROCESSOR_STATES ? event->argument
								     : CTP_PROCESSOR_UNSEEN;
	bool has_thread = state == CTP_PROCESSOR_RUNNING || state == CTP_PROCESSOR_SYSCALL;
	uint32_t index, left;

	if (!runtime)
		return false;
	index = find(model, event);
	if (!index)
		return true;
	left = has_thread ? thread_at(model, event->thread)->processor : 0;
	enter(model, event->process, index, state, event->time);
	give_thread(model, runtime, index, has_thread ? event->thread : 0);
	if (left && left != index && left < runtime->processors.count)
		give_thread(model, runtime, left, 0);
	if (has_thread)
		thread_at(model, event->thread)->processor = index;
	model_runtime_look(model, event->process, index, event->time);
	return true;
}

void model_processor_syscall(struct model *model, const struct ct_event *event, bool is_in)
{
	struct model_runtime *runtime = process_at(model, event->process)->runtime;
	uint32_t index = thread_at(model, event->thread)->processor;

	if (!runtime || !index || index >= runtime->processors.count)
		return;
	enter(model, event->process, index, is_in ? CTP_PROCESSOR_SYSCALL : CTP_PROCESSOR_RUNNING,
		event->time);
	model_runtime_look(model, event->process, index, event->time);
}

void model_runtime_changed(struct model *model, const struct model_coro *coro, ct_time time)
{
	struct model_runtime *runtime = process_at(model, coro->process)->runtime;
	uint32_t processor = thread_at(model, coro->thread)->processor;

	if (runtime && processor < runtime->processors.count)
		model_runtime_look(model, coro->process, processor, time);
}

void model_runtime_assist(
	struct model *model, const struct model_coro *coro, enum ct_state state, ct_time time)
{
	struct model_runtime *runtime = process_at(model, coro->process)->runtime;
	uint64_t key = (uint64_t)CTP_RANGE_ASSIST << 56 | CTP_HANDLE_IDENTITY(coro->id);
	struct model_range *range;
	uint32_t index;

	if (!runtime || !map_get(&runtime->open_at, key, &index))
		return;
	range = &runtime->open.at[index];
	if (coro->state == CT_STATE_RUNNING && state != CT_STATE_RUNNING)
		range->ran_ns += ct_time_between(range->counted, time);
	range->counted = time;
}

/* A process that the kernel samples need not have a runtime of which there is anything to say. */
bool model_runtime_sample(struct model *model, const struct ct_event *event)
{
	struct model_runtime *runtime;

	if (event->flags & CTP_SAMPLE_BY_KERNEL)
		return true;
	runtime = model_runtime_of(model, event->process);
	if (runtime)
		runtime->nr_samples++;
	return runtime != NULL;
}

void model_runtime_finish(struct model *model)
{
	uint32_t i, j;

	for (i = 0; i < model->nr_processes; i++) {
		struct model_runtime *runtime = process_at(model, i)->runtime;
		ct_time end = model_end_of(model, i);

		if (!runtime)
			continue;
		model_runtime_count(model, i, end);
		for (j = 1; j < runtime->processors.count; j++)
			enter(model, i, j, runtime->processors.at[j].state, end);
	}
}
