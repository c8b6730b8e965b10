/* SPDX-License-Identifier: MIT */
/*
 * Coroutines in system calls together with their threads: the thread counts as blocked meanwhile, and its processor
 * as in a system call, from which another thread may take it.
 */
#include "model/parts.h"

static void enter_call(
	struct model *model, struct model_thread *thread, const struct ct_event *event)
{
	model_times_thread(model, thread, event->time);
	thread->blocked_from = event->time;
	thread->blocked_call = CTP_CALL_OTHER;
	thread->is_blocked_timed = false;
	thread->is_blocked_last = true;
}

static bool begin(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_thread *thread = thread_at(model, event->thread);

	if (coro->state == CT_STATE_DESTROYED)
		return model_coro_ghost(model, index, event);
	if (coro->state != CT_STATE_RUNNING && coro->state != CT_STATE_UNSEEN &&
		!model_coro_conflict(model, index, event))
		return false;
	coro = coro_at(model, index);
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	model_run_queue_leave(model, coro, event->time);
	model_keep_spent(model, coro);
	model_coro_set_state(model, coro, CT_STATE_SYSCALL, event->time);
	if (!(coro->flags & MODEL_CORO_ON_STACK) || coro->thread != event->thread)
		model_coro_enter_stack(model, index, event->thread);
	coro->wait_site = event->site;
	coro->wait_object = 0;
	model_set_rare(model, coro, descriptor, 0);
	coro->suspended = event->time;
	coro->wait_event = event->sequence & MODEL_SEQUENCES;
	model_set_rare(model, coro, deadline, CT_NO_TIME);
	coro->point = CTP_POINT_AWAIT;
	enter_call(model, thread, event);
	model_processor_syscall(model, event, true);
	return model_thread_be_worker(model, event->thread);
}

static bool end(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_thread *thread = thread_at(model, event->thread);
	bool is_ready = event->flags & CTP_SYSCALL_READY;

	if (coro->state == CT_STATE_DESTROYED)
		return model_coro_ghost(model, index, event);
	if (coro->state != CT_STATE_SYSCALL && coro->state != CT_STATE_UNSEEN &&
		!model_coro_conflict(model, index, event))
		return false;
	coro = coro_at(model, index);
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	model_times_thread(model, thread, event->time);
	thread->blocked_from = CT_NO_TIME;
	if (is_ready)
		model_coro_leave_stack(model, index);
	else if (!(coro->flags & MODEL_CORO_ON_STACK) || coro->thread != event->thread)
		model_coro_enter_stack(model, index, event->thread);
	if (!is_ready) {
		model_run_queue_leave(model, coro, event->time);
		model_processor_syscall(model, event, false);
	}
	model_coro_set_state(
		model, coro, is_ready ? CT_STATE_READY : CT_STATE_RUNNING, event->time);
	return true;
}

bool model_syscall_apply(struct model *model, const struct ct_event *event)
{
	uint32_t index;

	if (!model_coro_own(model, event, &index))
		return false;
	if (!index)
		return true;
	return event->kind == CTP_KIND_SYSCALL_BEGIN ? begin(model, index, event)
						     : end(model, index, event);
}
