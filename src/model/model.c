/* SPDX-License-Identifier: MIT */
/*
 * The model's life, and the one switch over the kinds of events. The other files of this folder hold the meaning of
 * each kind.
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
		thread->left = thread->roused = thread->expired = CT_NO_TIME;
		thread->seen = thread->idle_began = thread->counted = CT_NO_TIME;
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
	model_run_queue_fini(model);
	free(model->processes);
	free(model->places);
	free(model->wakes_strangers);
	free(model->threads);
	free(model);
}

/* ---------------------------------------------------------------- kinds of their own */

static void take_caller(struct model *model, const struct ct_event *event)
{
	size_t i;

	for (i = model->crashes.count; i-- > 0;) {
		struct model_crash *crash = &model->crashes.at[i];

		if (crash->thread != event->thread)
			continue;
		crash->caller = event->site;
		return;
	}
}

static bool take_detail(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);

	switch (event->argument) {
	case CTP_DETAIL_DEADLINE:
		if (thread->last_suspended)
			model_set_rare(model, coro_at(model, thread->last_suspended), deadline,
				time_of_clock(model, event->object));
		else
			model_thread_deadline(model, event->thread);
		return true;
	case CTP_DETAIL_RESOURCE:
		if (thread->last_suspended &&
			!model_coro_waits_for(model, thread->last_suspended, event))
			return false;
		return !thread->last_doubled || model_descriptor_is_copy_of(model,
							thread->last_doubled, event->object, event);
	case CTP_DETAIL_RECEIVER:
		return model_object_receiver(model, event);
	case CTP_DETAIL_CALLER:
		take_caller(model, event);
		return true;
	case CTP_DETAIL_SWEPT:
	case CTP_DETAIL_RECLAIMED:
		return model_range_detail(model, event);
	case CTP_DETAIL_MISSING:
		model_gap_of_coro(model, event);
		return true;
	default:
		return true;
	}
}

static bool take_crash(struct model *model, const struct ct_event *event)
{
	struct model_crash crash = {
		.process = event->process,
		.thread = event->thread,
		.coro = thread_at(model, event->thread)->top,
		.site = event->site,
		.signal_number = event->argument,
		.is_sent = event->flags & 1,
		.is_raised = event->flags & 2,
		.address = event->object,
		.time = event->time,
		.sequence = event->sequence,
	};

	return vec_push(&model->crashes, crash);
}

static void tell_given(struct model *model, uint32_t coro, const struct ct_event *event)
{
	uint32_t giver = event->coro ? coro : model_thread_doer(model, event->thread);

	model_tell(model, MODEL_GIVE, (struct model_sight){.coro = giver, .event = event});
}

static bool change_object(struct model *model, const struct ct_event *event)
{
	uint32_t coro;

	if (!model_coro_touch(model, event, &coro))
		return false;
	model_coro_progress(model, coro);
	if (event->kind != CTP_KIND_ACQUIRE)
		tell_given(model, coro, event);
	return model_object_change(model, coro, event);
}

static bool apply_coro(struct model *model, const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_CREATE:
		return model_coro_create(model, event);
	case CTP_KIND_FRAME:
	case CTP_KIND_RESUME:
	case CTP_KIND_SUSPEND:
	case CTP_KIND_CANCEL:
	case CTP_KIND_RETURN:
	case CTP_KIND_DESTROY:
		return model_coro_step(model, event);
	case CTP_KIND_WAKE:
		return model_wake_apply(model, event);
	case CTP_KIND_SWITCH:
		return model_coro_switch(model, event);
	case CTP_KIND_DETAIL:
		return take_detail(model, event);
	case CTP_KIND_ACQUIRE:
	case CTP_KIND_RELEASE:
	case CTP_KIND_HAND_OVER:
	case CTP_KIND_NOTIFY:
		return change_object(model, event);
	case CTP_KIND_ENQUEUE:
		return model_coro_enqueue(model, event);
	case CTP_KIND_DEQUEUE:
		return model_coro_dequeue(model, event);
	default: /* await, await-done */
		return model_coro_await(model, event);
	}
}

static bool apply_descriptor(struct model *model, const struct ct_event *event)
{
	/* A scheduler polls on the stack of whoever is about to leave the thread: that is not its doing. */
	if (event->kind == CTP_KIND_DESCRIPTOR_IO && (int64_t)event->coro < 0)
		model_coro_try(model, thread_at(model, event->thread)->top);
	else if (event->kind != CTP_KIND_DESCRIPTOR_READY)
		model_coro_progress(model, thread_at(model, event->thread)->top);
	switch (event->kind) {
	case CTP_KIND_DESCRIPTOR_OPEN:
		return model_descriptor_open(model, event);
	case CTP_KIND_DESCRIPTOR_CLOSE:
		return model_descriptor_close(model, event);
	case CTP_KIND_DESCRIPTOR_ARM:
		return model_descriptor_arm(model, event);
	case CTP_KIND_DESCRIPTOR_READY:
		thread_at(model, event->thread)->leaving = 0; /* it polls */
		return model_descriptor_ready(model, event);
	case CTP_KIND_DESCRIPTOR_IO:
		return model_descriptor_transfer(model, event);
	case CTP_KIND_DESCRIPTOR_SHUTDOWN:
		return model_descriptor_shutdown(model, event);
	case CTP_KIND_DESCRIPTOR_DUP:
		return model_descriptor_dup(model, event);
	default:
		return model_descriptor_timer(model, event);
	}
}

static bool apply_thread(struct model *model, const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_PARK:
		model_thread_park(model, event);
		return true;
	case CTP_KIND_UNPARK:
		model_thread_unpark(model, event);
		return true;
	case CTP_KIND_BLOCK_BEGIN:
		model_thread_block_begin(model, event);
		return true;
	case CTP_KIND_BLOCK_END:
		model_thread_block_end(model, event);
		return true;
	case CTP_KIND_THREAD_STOP:
		model_thread_stop(model, event);
		return true;
	default:
		return true;
	}
}

static bool apply_runtime(struct model *model, const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_SYSCALL_BEGIN:
	case CTP_KIND_SYSCALL_END:
		return model_syscall_apply(model, event);
	case CTP_KIND_RANGE_BEGIN:
	case CTP_KIND_RANGE_END:
		return model_range_apply(model, event);
	case CTP_KIND_PROCESSOR:
		return model_processor_apply(model, event);
	default:
		return model_runtime_sample(model, event);
	}
}

static bool apply_other(struct model *model, const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_TASK_BEGIN:
	case CTP_KIND_TASK_END:
	case CTP_KIND_TASK_SET:
	case CTP_KIND_REGION_BEGIN:
	case CTP_KIND_REGION_END:
	case CTP_KIND_LOG:
	case CTP_KIND_COUNTER:
	case CTP_KIND_NAME:
		return model_annotation_apply(model, event);
	case CTP_KIND_CLOCK:
		return true;
	case CTP_KIND_MARK:
		return model_coro_mark(model, event);
	case CTP_KIND_LOST:
		return model_gap_lost(model, event);
	case CTP_KIND_CRASH:
		return take_crash(model, event);
	case CTP_KIND_THREAD_STATE:
		model_thread_seen(model, event);
		return true;
	case CTP_KIND_THREAD_POLL:
		return model_descriptor_polled(model, event);
	case CTP_KIND_THREAD_TIME:
		return model_times_account(model, event);
	default:
		model->nr_unknown_kinds++;
		return true;
	}
}

/* Callers that fill in more name coroutines by their index. */
static bool may_release(const struct model *model)
{
	return (!model->history || model->history->take) && !model->breakdown;
}

enum ct_status model_apply(
	struct model *model, const struct ct_event *event, struct ct_error *reterr)
{
	struct ct_event placed;
	bool is_taken;

	if (model->nr_ended > model->release_at && may_release(model) && !model_release_now(model))
		return ct_fail_memory(reterr);
	model->nr_events++;
	model->sequence = event->sequence;
	if (!model_observation_admit(model, event))
		return CT_OK;
	if (model_place(model, event->site) != event->site) {
		placed = *event;
		placed.site = model_place(model, event->site);
		event = &placed;
	}
	model_stillness_note(model, event);
	model_thread_note(model, event);
	if (event->kind >= CTP_KIND_CREATE && event->kind <= CTP_KIND_DETAIL)
		is_taken = apply_coro(model, event);
	else if (event->kind >= CTP_KIND_DESCRIPTOR_OPEN &&
		 event->kind <= CTP_KIND_DESCRIPTOR_TIMER)
		is_taken = apply_descriptor(model, event);
	else if (event->kind >= CTP_KIND_SYSCALL_BEGIN && event->kind <= CTP_KIND_SAMPLE)
		is_taken = apply_runtime(model, event);
	else if (event->kind >= CTP_KIND_THREAD_START && event->kind <= CTP_KIND_BLOCK_END)
		is_taken = apply_thread(model, event);
	else
		is_taken = apply_other(model, event);
	if (!is_taken && model->is_left_out)
		is_taken = model_bound_leave_out(model, event);
	return is_taken && !model->has_no_memory ? CT_OK : ct_fail_memory(reterr);
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
	model_run_queue_finish(model);
	model_annotation_finish(model);
	return model_gap_tables(model) && model_gap_finish(model) ? CT_OK : ct_fail_memory(reterr);
}
