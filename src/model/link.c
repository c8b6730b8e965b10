/* SPDX-License-Identifier: MIT */
/*
 * Links of a coroutine to others: the queue in which it is, the children that it awaits, and what it waits for
 * according to a detail of its suspend.
 */
#include "model/parts.h"

bool model_coro_touch(struct model *model, const struct ct_event *event, uint32_t *ret_index)
{
	uint32_t index;

	if (!model_coro_own(model, event, &index))
		return false;
	*ret_index = index;
	if (!index)
		return true;
	if (event->kind == CTP_KIND_ACQUIRE && coro_at(model, index)->state == CT_STATE_DESTROYED)
		return model_coro_conflict(model, index, event);
	coro_at(model, index)->last_event = event->sequence & MODEL_SEQUENCES;
	return true;
}

/* A coroutine in a queue will be run from there, and waits for nothing any more. */
bool model_coro_enqueue(struct model *model, const struct ct_event *event)
{
	struct model_coro *coro;
	struct model_turns *turns;
	uint32_t index;

	if (!event->coro)
		return true;
	index = model_coro_get(model, event->process, event->coro, event->time);
	if (!index)
		return false;
	coro = coro_at(model, index);
	model_note_order(coro, event);
	if (coro->state == CT_STATE_DESTROYED)
		return model_coro_ghost(model, index, event);
	if (coro->state == CT_STATE_DONE && !model_coro_conflict(model, index, event))
		return false;
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	turns = model_turns_of(model, coro);
	turns->queue_thread = event->thread;
	turns->queued = event->time;
	turns->queue_event = event->sequence;
	coro->is_queue_private = event->flags & CTP_ENQUEUE_PRIVATE;
	process_at(model, coro->process)->tells_queues = true;
	model_run_queue_enter(model, coro, event);
	if (coro->state == CT_STATE_UNSEEN)
		model_tell(model, MODEL_READY, (struct model_sight){.coro = index});
	if (coro->state == CT_STATE_WAITING)
		model_coro_set_state(model, coro, CT_STATE_READY, event->time);
	return true;
}

bool model_coro_dequeue(struct model *model, const struct ct_event *event)
{
	uint32_t index;

	if (!model_coro_touch(model, event, &index))
		return false;
	if (index)
		model_run_queue_leave(model, coro_at(model, index), event->time);
	/* the thread looks for the next coroutine to run */
	thread_at(model, event->thread)->leaving = 0;
	return true;
}

bool model_coro_await(struct model *model, const struct ct_event *event)
{
	struct model_coro *coro;
	struct model_rare *rare;
	uint32_t index, child = 0;

	if (!model_coro_touch(model, event, &index))
		return false;
	if (!index)
		return true;
	if (event->object) {
		child = model_coro_get(model, event->process, event->object, event->time);
		if (!child)
			return false;
	}
	model_coro_progress(model, index);
	coro = coro_at(model, index);
	coro_at(model, child)->flags |= MODEL_CORO_WAS_AWAITED;
	rare = model_rare_of(model, coro);
	if (event->kind == CTP_KIND_AWAIT)
		rare->nr_awaits++;
	else if (rare->nr_awaits)
		rare->nr_awaits--;
	else if (event->time >= model->from)
		model->nr_broken += !!(coro->flags & MODEL_CORO_WAS_CREATED);
	rare->awaited = rare->nr_awaits ? rare->awaited ^ event->object : 0;
	return true;
}

void model_coro_join(struct model *model, const struct model_coro *coro)
{
	uint64_t identity = CTP_HANDLE_IDENTITY(coro->wait_object);
	uint32_t child = 0;

	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_COROUTINE)
		child = model_coro_find(model, coro->process, identity);
	else if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_FRAME)
		child = model_find_frame(model, coro->process, identity);
	if (child)
		coro_at(model, child)->flags |= MODEL_CORO_WAS_AWAITED;
}

void model_coro_waits(struct model *model, uint32_t index)
{
	model_tell_wait(model, (struct model_sight){.coro = index});
	model_object_wait(model, index);
	model_times_wait(model, coro_at(model, index));
	if (coro_at(model, index)->rare->holding)
		model_holding_wait(model, index);
}

/* A switch names the coroutine that it enters; what the left coroutine waits for comes as a detail after it. */
bool model_coro_waits_for(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	uint32_t descriptor = 0;

	if (!(coro->flags & MODEL_CORO_LEFT_BY_SWITCH) || coro->wait_object) {
		coro->flags |= MODEL_CORO_WAITS_FOR_MORE;
		return true;
	}
	coro->wait_object = event->object;
	model_coro_join(model, coro);
	if (CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_DESCRIPTOR &&
		!model_descriptor_bind(model, event, &descriptor))
		return false;
	model_set_rare(model, coro_at(model, index), descriptor, descriptor);
	model_coro_waits(model, index);
	return true;
}
