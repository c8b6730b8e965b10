/* SPDX-License-Identifier: MIT */
/*
 * The state of a coroutine, and its position on its thread's stack of running coroutines. A coroutine that is resumed
 * inside a running one is above it on the stack; a suspend or destroy removes it. Therefore the coroutine that runs
 * on a thread is known at any time, also for events of the descriptor ledger, which name no coroutine.
 *
 * coro.c has what events do to these.
 */
#include "model/parts.h"

static void count_event(struct model *model, struct model_coro *coro)
{
	if (++coro->nr_events == 0)
		model_rare_of(model, coro)->nr_events += UINT64_C(1) << 32;
}

bool model_coro_own(struct model *model, const struct ct_event *event, uint32_t *ret_index)
{
	*ret_index = 0;
	if (!event->coro)
		return true;
	*ret_index = model_coro_get(model, event->process, event->coro, event->time);
	if (!*ret_index)
		return false;
	count_event(model, coro_at(model, *ret_index));
	if (event->kind != CTP_KIND_DESTROY)
		model_coro_revive(model, coro_at(model, *ret_index), event->time);
	return true;
}

/* ---------------------------------------------------------------- the stack of a thread */

void model_coro_leave_stack(struct model *model, uint32_t index)
{
	struct model_coro *coro = coro_at(model, index);

	if (!(coro->flags & MODEL_CORO_ON_STACK))
		return;
	if (coro->rare->above)
		model_set_rare(model, coro_at(model, coro->rare->above), below, coro->rare->below);
	else
		thread_at(model, coro->thread)->top = coro->rare->below;
	if (coro->rare->below)
		model_set_rare(model, coro_at(model, coro->rare->below), above, coro->rare->above);
	thread_at(model, coro->thread)->nr_going -= coro->state < CT_STATE_DONE;
	model_set_rare(model, coro, above, 0);
	model_set_rare(model, coro, below, 0);
	coro->flags &= (uint16_t)~MODEL_CORO_ON_STACK;
}

void model_coro_enter_stack(struct model *model, uint32_t index, uint32_t thread_index)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_thread *thread = thread_at(model, thread_index);

	model_coro_leave_stack(model, index);
	thread->last_tried = 0;
	thread->due = thread->expired = CT_NO_TIME;
	coro->thread = thread_index;
	model_set_rare(model, coro, below, thread->top);
	coro->flags |= MODEL_CORO_ON_STACK;
	if (thread->top)
		model_set_rare(model, coro_at(model, thread->top), above, index);
	thread->top = index;
	thread->nr_going += coro->state < CT_STATE_DONE;
}

/* ---------------------------------------------------------------- states */

void model_coro_hide(struct model *model, struct model_coro *coro)
{
	if (coro->state != CT_STATE_UNSEEN || (coro->flags & MODEL_CORO_IS_HIDDEN))
		return;
	coro->flags |= MODEL_CORO_IS_HIDDEN;
	process_at(model, coro->process)->nr_hidden++;
}

static void unhide(struct model *model, struct model_coro *coro)
{
	if (!(coro->flags & MODEL_CORO_IS_HIDDEN))
		return;
	coro->flags &= (uint16_t)~MODEL_CORO_IS_HIDDEN;
	process_at(model, coro->process)->nr_hidden--;
}

static void count_ready(
	struct model *model, const struct model_coro *coro, enum ct_state state, ct_time time)
{
	struct model_process *process = process_at(model, coro->process);
	int by = (state == CT_STATE_READY) - (coro->state == CT_STATE_READY);

	if (!by)
		return;
	model_times_ready(model, process, time);
	if (process->runtime)
		model_runtime_count(model, coro->process, time);
	if (by > 0 && process->nr_ready == 0)
		process->ready_since = time;
	process->nr_ready += (uint32_t)by;
	model_series_move(model, coro->process, MODEL_SERIES_READY, time, by);
}

/* Had the coroutine's parent ended before? */
static bool has_outlived(struct model *model, const struct model_coro *coro, ct_time time)
{
	const struct model_coro *parent = coro_at(model, coro->parent);

	return parent->state >= CT_STATE_DONE && !parent->is_presumed_done &&
	       parent->changed < time;
}

void model_coro_let_go(struct model *model, uint32_t index, ct_time time)
{
	struct model_coro *coro = coro_at(model, index);

	model_coro_leave_stack(model, index);
	if (!coro->is_half_told || coro->state != CT_STATE_RUNNING || time < coro->changed)
		return;
	model_coro_set_state(model, coro, CT_STATE_DONE, time);
	coro->is_presumed_done = true;
}

void model_coro_revive(struct model *model, struct model_coro *coro, ct_time time)
{
	if (!coro->is_presumed_done)
		return;
	coro->is_presumed_done = false;
	model_coro_set_state(model, coro, CT_STATE_RUNNING, coro->changed);
	if (!(coro->flags & MODEL_CORO_WAS_CREATED))
		return;
	model_series_move(model, coro->process, MODEL_SERIES_ALIVE, time, 1);
	model_times_alive(model, coro->spawn_site, time, 1);
}

/* A coroutine that has returned stays on the thread's stack until the thread goes on with something else. */
static void count_going(struct model *model, const struct model_coro *coro, enum ct_state state)
{
	if (coro->flags & MODEL_CORO_ON_STACK)
		thread_at(model, coro->thread)->nr_going +=
			(uint32_t)((state < CT_STATE_DONE) - (coro->state < CT_STATE_DONE));
}

static void count_alive(
	struct model *model, const struct model_coro *coro, enum ct_state state, ct_time time)
{
	bool ends = coro->state < CT_STATE_DONE && state >= CT_STATE_DONE;

	if (ends && (coro->flags & MODEL_CORO_WAS_CREATED)) {
		model_series_move(model, coro->process, MODEL_SERIES_ALIVE, time, -1);
		model_times_alive(model, coro->spawn_site, time, -1);
	}
	if (ends)
		process_at(model, coro->process)->nr_alive--;
	else if (coro->state >= CT_STATE_DONE && state < CT_STATE_DONE)
		model_coro_alive(model, coro->process, time);
}

void model_coro_set_state(
	struct model *model, struct model_coro *coro, enum ct_state state, ct_time time)
{
	model_times_change(model, coro, state, time);
	if (coro->is_assisting)
		model_runtime_assist(model, coro, state, time);
	if (model->history)
		model_history_note(model, coro, state, time);
	count_ready(model, coro, state, time);
	if (!model_is_of_runtime(coro))
		count_alive(model, coro, state, time);
	if (state == CT_STATE_READY && coro->state != CT_STATE_READY)
		model_tell_often(
			model, MODEL_READY, (struct model_sight){.coro = model_index(model, coro)});
	if (state == CT_STATE_RUNNING)
		process_at(model, coro->process)->ended_waits |=
			UINT32_C(1) << CTP_HANDLE_RESOURCE(coro->wait_object) % 32;
	if (state >= CT_STATE_DONE && coro->state < CT_STATE_DONE)
		model_tell(model, MODEL_END,
			(struct model_sight){.coro = model_index(model, coro), .until = time});
	if (state == CT_STATE_DESTROYED && coro->state != CT_STATE_DESTROYED) {
		model_rare_of(model, coro)->epoch = model->epoch;
		if (!model_is_of_runtime(coro))
			process_at(model, coro->process)->last_destroyed = time;
		model->nr_ended++;
	}
	if (state >= CT_STATE_DONE) {
		model_run_queue_leave(model, coro, time);
		coro->has_outlived = has_outlived(model, coro, time);
	}
	model_footprint_state(model, coro, state, time);
	unhide(model, coro);
	count_going(model, coro, state);
	coro->state = (uint8_t)state;
	coro->changed = time;
	if (coro->is_assisting || coro->is_collector)
		model_runtime_changed(model, coro, time);
}
