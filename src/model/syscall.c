/* SPDX-License-Identifier: MIT */
/*
 * Coroutines in system calls together with their threads: the thread counts as blocked meanwhile, and its processor
 * as in a system call, from which another thread may take it. And the call that a thread is in at the end, by its
 * events or by what the engine saw of it.
 */
#include "base/system_calls.h"
#include "event/kind_words.h"
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

/* ---------------------------------------------------------------- the call that goes on */

static bool is_seen_in_call(const struct model_thread *thread)
{
	return thread->seen != CT_NO_TIME && thread->seen >= thread->last_event &&
	       thread->seen_from != CT_NO_TIME && thread->seen_system_call != MODEL_NO_CALL;
}

#define NOTHING_OF 100

/*
 * When the call began in which each look since the thread's last event found it: by the kernel's account the thread
 * had, or wanted, a processor for so long only, and slept for the rest. If that is next to nothing, the call began with
 * the last event.
 */
static ct_time call_since(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];
	struct model_account busy;
	int64_t busy_ns;

	if (thread->nr_looks_running || thread->last_event == CT_NO_TIME ||
		!model_account_between(model, index, thread->last_event, thread->seen_from, &busy))
		return thread->seen_from;
	busy_ns = (int64_t)(busy.ran_ns + busy.waited_ns);
	if (busy_ns < (thread->seen - thread->last_event) / NOTHING_OF)
		return thread->last_event;
	return busy_ns < thread->seen_from - thread->last_event ? thread->last_event + busy_ns
								: thread->seen_from;
}

bool model_find_call(const struct model *model, uint32_t index, struct model_call *ret_call)
{
	const struct model_thread *thread = &model->threads[index];
	const char *name;

	if (!thread->top || thread->stopped != CT_NO_TIME || thread->idle_from != CT_NO_TIME)
		return false;
	if (thread->blocked_from != CT_NO_TIME && thread->is_blocked_last) {
		*ret_call = (struct model_call){
			thread->blocked_from, ct_call_name(thread->blocked_call)};
		return thread->seen == CT_NO_TIME || thread->seen < thread->last_event ||
		       thread->seen_state != 'R';
	}
	if (!is_seen_in_call(thread))
		return false;
	name = system_call_name(thread->seen_system_call);
	*ret_call = (struct model_call){call_since(model, index), name ? name : "a system call"};
	return true;
}
