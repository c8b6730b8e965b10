/* SPDX-License-Identifier: MIT */
/*
 * Making, finishing and freeing the model.
 */
#include <stdlib.h>

#include "base/failure.h"
#include "model/parts.h"

static void init_processes(struct model *model)
{
	uint32_t i;

	for (i = 0; i < model->nr_processes; i++) {
		model->processes[i].ready_since = CT_NO_TIME;
		model->processes[i].ready_counted = CT_NO_TIME;
		model->processes[i].shutdown_from = CT_NO_TIME;
		model->processes[i].warm_up_until = CT_NO_TIME;
		model->processes[i].halted = CT_NO_TIME;
		model->processes[i].last_run = CT_NO_TIME;
		model->processes[i].last_destroyed = CT_NO_TIME;
		model->processes[i].last_event = CT_NO_TIME;
		model_stillness_init(&model->processes[i]);
	}
}

static bool init_threads(struct model *model)
{
	uint32_t i;

	for (i = 0; i < model->nr_threads; i++) {
		struct model_thread *thread = thread_at(model, i);

		thread->process =
			i < model->tables->nr_threads ? model->tables->threads[i].process : 0;
		thread->stopped = i && i < model->tables->nr_threads
					  ? model->tables->threads[i].stopped
					  : CT_NO_TIME;
		thread->last_event = thread->idle_from = thread->blocked_from = CT_NO_TIME;
		thread->left = thread->seen_from = thread->roused = CT_NO_TIME;
		thread->due = thread->expired = thread->ran_out = CT_NO_TIME;
		thread->seen = thread->idle_began = thread->parked = thread->counted = CT_NO_TIME;
		thread->slept_from = CT_NO_TIME;
		thread->dropped = CT_NO_TIME;
		thread->idle_good = thread->timed_end = INT64_MIN;
		if (!model_thread_list(model, i))
			return false;
	}
	return true;
}

/* Index 0 of every array means none. */
static bool reserve_none(struct model *model)
{
	struct model_coro nobody = {.turns = &model_no_turns, .rare = &model_nothing_rare};
	struct model_object nothing = {
		.released = CT_NO_TIME,
		.vain = {.time = CT_NO_TIME},
		.found = {.time = CT_NO_TIME},
	};

	return vec_push(&model->coros, nobody) &&
	       vec_push(&model->pages, (struct model_page){{0}}) &&
	       vec_push(&model->descriptors, (struct model_descriptor){.closed = CT_NO_TIME}) &&
	       vec_push(&model->conflicts, (struct model_conflict){.is_explained = true}) &&
	       model_series_reserve(model) && model_holding_reserve(model) &&
	       model_run_queue_reserve(model) && vec_push(&model->objects, nothing);
}

enum ct_status model_new(
	const struct ct_tables *tables, struct model **ret_model, struct ct_error *reterr)
{
	struct model *model = calloc(1, sizeof(*model));

	if (!model)
		return ct_fail_memory(reterr);
	model->tables = tables;
	model->epoch = 1;
	model->standstill_ns = INT64_MAX;
	model->footprint_from = CT_NO_TIME;
	model_release_from(model, MODEL_ENDED);
	model->nr_processes = tables->nr_processes ? tables->nr_processes : 1;
	model->nr_threads = tables->nr_threads ? tables->nr_threads : 1;
	model->processes = calloc(model->nr_processes, sizeof(*model->processes));
	model->threads = calloc(model->nr_threads, sizeof(*model->threads));
	model_observation_begin(model);
	if (model->processes)
		init_processes(model);
	if (!model->processes || !model->threads || !reserve_none(model) ||
		!model_annotation_reserve(model) || !init_threads(model) ||
		!model_gap_tables(model) || !model_place_tables(model) ||
		!model_times_reserve(model)) {
		model_free(model);
		return ct_fail_memory(reterr);
	}
	*ret_model = model;
	return CT_OK;
}

static void free_process(struct model_process *process)
{
	unsigned i;

	map_fini(&process->pages);
	map_fini(&process->frames);
	map_fini(&process->addresses);
	map_fini(&process->user_data);
	map_fini(&process->objects);
	map_fini(&process->tasks);
	map_fini(&process->names);
	map_fini(&process->run_queues);
	model_runtime_free(process->runtime);
	vec_fini(&process->offsets);
	vec_fini(&process->unmatched);
	map_fini(&process->numbers);
	vec_fini(&process->workers);
	map_fini(&process->tids);
	vec_fini(&process->gone);
	for (i = 0; i < MODEL_NR_KEPT; i++)
		map_fini(&process->kept[i]);
}

void model_free(struct model *model)
{
	uint32_t i;

	if (!model)
		return;
	for (i = 0; model->processes && i < model->nr_processes; i++)
		free_process(process_at(model, i));
	vec_fini(&model->coros);
	arena_fini(&model->parts);
	vec_fini(&model->works);
	vec_fini(&model->pages);
	vec_fini(&model->descriptors);
	vec_fini(&model->objects);
	vec_fini(&model->ghosts);
	vec_fini(&model->conflicts);
	vec_fini(&model->crashes);
	vec_fini(&model->asked);
	model_annotation_fini(model);
	model_series_fini(model);
	model_holding_fini(model);
	model_watch_fini(model);
	model_gap_fini(model);
	model_times_fini(model);
	model_footprint_fini(model);
	model_run_queue_fini(model);
	free(model->processes);
	free(model->places);
	free(model->wakes_strangers);
	free(model->suspends_by_return);
	free(model->threads);
	free(model);
}

enum ct_status model_finish(struct model *model, struct ct_error *reterr)
{
	if (model->now == CT_NO_TIME)
		model->now = 0;
	model_release_finish(model);
	model_wake_finish(model);
	model_coro_finish(model);
	model_range_finish(model);
	model_runtime_finish(model);
	model_thread_finish(model);
	model_tell(model, MODEL_FINISH, (struct model_sight){0});
	model_times_finish(model);
	model_footprint_finish(model);
	model_run_queue_finish(model);
	model_annotation_finish(model);
	return model_gap_tables(model) && model_gap_finish(model) ? CT_OK : ct_fail_memory(reterr);
}
