/* SPDX-License-Identifier: MIT */
/*
 * Rules of processors: gaining one, giving it up, and taking it away from a thread in a system call.
 */
#include "gotrace/ordering.h"

static struct gotrace_event *emit_move(struct gotrace_order *order,
	const struct gotrace_cursor *cursor, uint32_t proc, enum gotrace_state from,
	enum gotrace_state to)
{
	struct gotrace_event *event = gotrace_order_emit(order, cursor, GOTRACE_KIND_PROC);

	event->resource = order->states.procs.at[proc].id;
	event->from = (uint8_t)from;
	event->to = (uint8_t)to;
	return event;
}

enum gotrace_verdict gotrace_order_procs_change(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct gotrace_event *event;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return GOTRACE_FAILS;
	event = gotrace_order_emit(order, cursor, GOTRACE_KIND_METRIC);
	event->subject = GOTRACE_NR_PROCS;
	event->values[0] = cursor->arguments[0];
	event->stack = gotrace_order_stack(order, cursor, cursor->arguments[1]);
	return GOTRACE_COMES;
}

/* The file says that the processor's thread is unknown, but this reader knows the thread. */
static enum gotrace_verdict restate_abandoned(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, uint32_t index)
{
	const struct gotrace_proc *proc = &order->states.procs.at[index];
	const struct gotrace_thread *holder = &order->states.threads.at[proc->holder];
	struct gotrace_event *event;

	if (!proc->holder)
		return gotrace_order_fail(order, cursor,
			"no thread has processor %lld, which is to be stolen", (long long)proc->id);
	event = emit_move(order, cursor, index, GOTRACE_STATE_RUNNING, GOTRACE_STATE_RUNNING);
	event->thread = holder->id;
	event->proc = proc->id;
	event->goroutine = holder->goroutine;
	gotrace_order_count_proc(order, index, GOTRACE_PROC_SYSCALL, 0);
	return GOTRACE_COMES;
}

static uint32_t add_proc(struct gotrace_order *order, uint64_t id, uint8_t status)
{
	uint32_t index = gotrace_states_add_proc(&order->states, id, status, order->nr_generations);

	if (!index)
		gotrace_order_fail_memory(order);
	return index;
}

enum gotrace_verdict gotrace_order_proc_status(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint64_t id = cursor->arguments[0], status = cursor->arguments[1];
	uint32_t index = gotrace_states_proc(&order->states, id);
	enum gotrace_state from =
		order->nr_generations == 1 ? GOTRACE_STATE_UNDETERMINED : GOTRACE_STATE_NOT_EXIST;
	uint8_t known = order->states.procs.at[index].status;

	if (status < GOTRACE_PROC_RUNNING || status > GOTRACE_PROC_ABANDONED)
		return gotrace_order_fail(order, cursor,
			"processor %lld has state %llu, which there is not", (long long)id,
			(unsigned long long)status);
	if (index && status == GOTRACE_PROC_ABANDONED && known == GOTRACE_PROC_SYSCALL)
		return restate_abandoned(order, cursor, index);
	if (index && known != status)
		return gotrace_order_fail(order, cursor, "processor %lld is in state %u, not %llu",
			(long long)id, known, (unsigned long long)status);
	if (index)
		from = gotrace_order_proc_state(known);
	else
		index = add_proc(order, id, (uint8_t)status);
	if (!index)
		return GOTRACE_FAILS;
	emit_move(order, cursor, index, from, gotrace_order_proc_state((uint8_t)status));
	gotrace_order_count_proc(order, index, (uint8_t)status, 0);
	if (status == GOTRACE_PROC_RUNNING || status == GOTRACE_PROC_SYSCALL)
		gotrace_order_hold(order, cursor->thread, index);
	return GOTRACE_COMES;
}

enum gotrace_verdict gotrace_order_proc_start(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint64_t id = cursor->arguments[0], count = cursor->arguments[1];
	uint32_t index = gotrace_states_proc(&order->states, id);
	const struct gotrace_proc *proc = &order->states.procs.at[index];

	if (!index || proc->status != GOTRACE_PROC_IDLE ||
		!gotrace_count_is_next(&proc->count, order->nr_generations, count))
		return gotrace_order_wait(order, GOTRACE_FOR_IDLE, id, count);
	if (gotrace_order_thread(order, cursor)->proc)
		return gotrace_order_wait(
			order, GOTRACE_FOR_THREAD, gotrace_order_thread(order, cursor)->id, 0);
	if (!gotrace_order_has_context(order, cursor, GOTRACE_WITHOUT, GOTRACE_ANY))
		return GOTRACE_FAILS;
	emit_move(order, cursor, index, GOTRACE_STATE_IDLE, GOTRACE_STATE_RUNNING);
	gotrace_order_count_proc(order, index, GOTRACE_PROC_RUNNING, count);
	gotrace_order_hold(order, cursor->thread, index);
	return GOTRACE_COMES;
}

enum gotrace_verdict gotrace_order_proc_stop(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint32_t index = gotrace_order_thread(order, cursor)->proc;
	uint8_t status = order->states.procs.at[index].status;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_ANY))
		return GOTRACE_FAILS;
	if (status != GOTRACE_PROC_RUNNING && status != GOTRACE_PROC_SYSCALL)
		return gotrace_order_fail(order, cursor, "its thread's processor does not run");
	emit_move(order, cursor, index, GOTRACE_STATE_RUNNING, GOTRACE_STATE_IDLE);
	gotrace_order_move_proc(order, index, GOTRACE_PROC_IDLE);
	gotrace_order_hold(order, cursor->thread, 0);
	return GOTRACE_COMES;
}

/*
 * Finds the index of the thread that the processor is taken from. False: the thread does not exist, or holds another
 * processor.
 */
static bool find_victim(struct gotrace_order *order, const struct gotrace_cursor *cursor,
	uint32_t proc, uint32_t *ret_victim)
{
	uint64_t id = cursor->arguments[2];
	const struct gotrace_thread *victim;

	if (!map_get(&order->states.thread_of, id, ret_victim) ||
		!order->states.threads.at[*ret_victim].was_seen) {
		gotrace_order_fail(order, cursor,
			"there is no thread %lld to take a processor from", (long long)id);
		return false;
	}
	victim = &order->states.threads.at[*ret_victim];
	if (victim->proc == proc)
		return true;
	gotrace_order_fail(order, cursor, "thread %lld does not have processor %lld", (long long)id,
		(long long)order->states.procs.at[proc].id);
	return false;
}

enum gotrace_verdict gotrace_order_proc_steal(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint64_t id = cursor->arguments[0], count = cursor->arguments[1];
	uint32_t index = gotrace_states_proc(&order->states, id), victim = 0;
	const struct gotrace_proc *proc = &order->states.procs.at[index];
	bool is_abandoned = proc->status == GOTRACE_PROC_ABANDONED;

	if (!index || (!is_abandoned && proc->status != GOTRACE_PROC_SYSCALL) ||
		!gotrace_count_is_next(&proc->count, order->nr_generations, count))
		return gotrace_order_wait(order, GOTRACE_FOR_TAKEABLE, id, count);
	if (!gotrace_order_has_context(order, cursor, GOTRACE_ANY, GOTRACE_ANY))
		return GOTRACE_FAILS;
	if (!is_abandoned && !find_victim(order, cursor, index, &victim))
		return GOTRACE_FAILS;
	emit_move(order, cursor, index, is_abandoned ? GOTRACE_STATE_IDLE : GOTRACE_STATE_RUNNING,
		GOTRACE_STATE_IDLE);
	gotrace_order_count_proc(order, index, GOTRACE_PROC_IDLE, count);
	if (!is_abandoned)
		gotrace_order_hold(order, victim, 0);
	return GOTRACE_COMES;
}
