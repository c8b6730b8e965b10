/* SPDX-License-Identifier: MIT */
/*
 * Queues of coroutines that are ready to run, as far as recorded: how many coroutines are in each, over time.
 *
 * A coroutine is in the queue that its last enqueue names, until it is taken out, runs, or ends. A coroutine that is
 * ready without an enqueue is in no queue: its queue would be a guess.
 */
#include <stdlib.h>

#include "model/parts.h"

/* A queue without a name that belongs to one thread is identified by that thread. */
static uint64_t key_of(const struct ct_event *event)
{
	bool is_private = event->flags & CTP_ENQUEUE_PRIVATE;

	return event->object || !is_private ? event->object : event->thread;
}

static uint32_t make(struct model *model, const struct ct_event *event)
{
	struct model_process *process = process_at(model, event->process);
	uint32_t index = (uint32_t)model->run_queues.count;
	struct model_run_queue fresh = {
		.handle = event->object,
		.process = event->process,
		.thread = event->flags & CTP_ENQUEUE_PRIVATE ? event->thread : 0,
		.counted = CT_NO_TIME,
	};

	if (index < MODEL_RUN_QUEUES)
		fresh.lengths = calloc(1, sizeof(*fresh.lengths));
	if (fresh.lengths && map_put(&process->run_queues, key_of(event), index) &&
		vec_push(&model->run_queues, fresh))
		return index;
	free(fresh.lengths);
	map_remove(&process->run_queues, key_of(event));
	model->nr_times_refused++;
	return 0;
}

static void count(struct model *model, struct model_run_queue *queue, ct_time time)
{
	model_times_level(model, queue->lengths, &queue->counted, queue->length, time);
}

static void leave(struct model *model, struct model_coro *coro, ct_time time)
{
	struct model_run_queue *queue = &model->run_queues.at[coro->turns->queue];

	if (!coro->turns->queue)
		return;
	count(model, queue, time);
	queue->length--;
	model_set_turns(model, coro, queue, 0);
}

void model_run_queue_enter(
	struct model *model, struct model_coro *coro, const struct ct_event *event)
{
	struct model_run_queue *queue;
	uint32_t index = 0;

	leave(model, coro, event->time);
	if (!map_get(&process_at(model, event->process)->run_queues, key_of(event), &index))
		index = make(model, event);
	model_set_turns(model, coro, queue, index);
	if (!index)
		return;
	queue = &model->run_queues.at[index];
	count(model, queue, event->time);
	queue->length++;
	queue->nr_entered++;
	if (!(event->flags & CTP_ENQUEUE_PRIVATE) || queue->thread != event->thread)
		queue->thread = 0;
}

void model_run_queue_leave(struct model *model, struct model_coro *coro, ct_time time)
{
	leave(model, coro, time);
	model_set_turns(model, coro, queue_thread, 0);
	coro->is_queue_private = false;
}

bool model_run_queue_reserve(struct model *model)
{
	return vec_push(&model->run_queues, (struct model_run_queue){0});
}

void model_run_queue_finish(struct model *model)
{
	size_t i;

	for (i = 1; i < model->run_queues.count; i++) {
		struct model_run_queue *queue = &model->run_queues.at[i];

		count(model, queue, model_end_of(model, queue->process));
	}
}

void model_run_queue_fini(struct model *model)
{
	size_t i;

	for (i = 0; i < model->run_queues.count; i++)
		free(model->run_queues.at[i].lengths);
	vec_fini(&model->run_queues);
}
