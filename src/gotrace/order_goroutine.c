/* SPDX-License-Identifier: MIT */
/*
 * Rules of goroutines: creation and end, running, stopping, and becoming ready.
 */
#include "gotrace/ordering.h"

/* The goroutine may differ from the context's. */
static struct gotrace_event *emit_move(struct gotrace_order *order,
	const struct gotrace_cursor *cursor, uint64_t id, enum gotrace_state from,
	enum gotrace_state to)
{
	struct gotrace_event *event = gotrace_order_emit(order, cursor, GOTRACE_KIND_GOROUTINE);

	event->resource = id;
	event->from = (uint8_t)from;
	event->to = (uint8_t)to;
	return event;
}

/*
 * The goroutine that the event's thread runs, in this status. If there is none, returns 0 and the failure is recorded.
 */
static inline uint32_t find_current(struct gotrace_order *order,
	const struct gotrace_cursor *cursor, enum gotrace_need proc, uint8_t status)
{
	const struct gotrace_thread *thread = gotrace_order_thread(order, cursor);
	uint32_t index;

	if (!gotrace_order_has_context(order, cursor, proc, GOTRACE_SOME))
		return 0;
	index = gotrace_states_current(&order->states, thread);
	if (!index)
		gotrace_order_fail(order, cursor, "goroutine %lld does not exist",
			(long long)thread->goroutine);
	else if (order->states.goroutines.at[index].status == status)
		return index;
	else
		gotrace_order_fail(order, cursor, "goroutine %lld is in state %u, not %u",
			(long long)thread->goroutine, order->states.goroutines.at[index].status,
			status);
	return 0;
}

/* Adds a goroutine that is new. If it exists already, returns 0 and the failure is recorded. */
static uint32_t add(struct gotrace_order *order, const struct gotrace_cursor *cursor, uint64_t id,
	uint8_t status)
{
	uint32_t index;

	if (gotrace_states_goroutine(&order->states, id)) {
		gotrace_order_fail(order, cursor, "goroutine %lld exists already", (long long)id);
		return 0;
	}
	index = gotrace_states_add_goroutine(&order->states, id, status, order->nr_generations);
	if (!index)
		gotrace_order_fail_memory(order);
	else if (order->nr_parked)
		gotrace_order_ask_for_goroutine(order, &order->states.goroutines.at[index]);
	return index;
}

enum gotrace_verdict gotrace_order_go_create(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	bool is_blocked = cursor->type == GOTRACE_GO_CREATE_BLOCKED;
	uint32_t current =
		gotrace_states_current(&order->states, gotrace_order_thread(order, cursor));
	struct gotrace_event *event;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_ANY))
		return GOTRACE_FAILS;
	if (current && order->states.goroutines.at[current].status != GOTRACE_GO_RUNNING)
		return gotrace_order_fail(
			order, cursor, "the goroutine that creates another does not run");
	if (!add(order, cursor, cursor->arguments[0],
		    is_blocked ? GOTRACE_GO_WAITING : GOTRACE_GO_RUNNABLE))
		return GOTRACE_FAILS;
	event = emit_move(order, cursor, cursor->arguments[0], GOTRACE_STATE_NOT_EXIST,
		is_blocked ? GOTRACE_STATE_WAITING : GOTRACE_STATE_RUNNABLE);
	event->resource_stack = gotrace_order_stack(order, cursor, cursor->arguments[1]);
	event->stack = gotrace_order_stack(order, cursor, cursor->arguments[2]);
	return GOTRACE_COMES;
}

enum gotrace_verdict gotrace_order_go_create_syscall(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint32_t index;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_ANY, GOTRACE_WITHOUT))
		return GOTRACE_FAILS;
	index = add(order, cursor, cursor->arguments[0], GOTRACE_GO_SYSCALL);
	if (!index)
		return GOTRACE_FAILS;
	emit_move(order, cursor, cursor->arguments[0], GOTRACE_STATE_NOT_EXIST,
		GOTRACE_STATE_SYSCALL);
	gotrace_order_run(order, cursor->thread, index);
	return GOTRACE_COMES;
}

enum gotrace_verdict gotrace_order_go_start(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint64_t id = cursor->arguments[0], count = cursor->arguments[1];
	uint32_t index = gotrace_states_goroutine(&order->states, id);
	const struct gotrace_goroutine *goroutine = &order->states.goroutines.at[index];

	if (!index || goroutine->status != GOTRACE_GO_RUNNABLE ||
		!gotrace_count_is_next(&goroutine->count, order->nr_generations, count))
		return gotrace_order_wait(order, GOTRACE_FOR_READY, id, count);
	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_WITHOUT))
		return GOTRACE_FAILS;
	emit_move(order, cursor, id, GOTRACE_STATE_RUNNABLE, GOTRACE_STATE_RUNNING);
	gotrace_order_count_goroutine(order, index, GOTRACE_GO_RUNNING, count);
	gotrace_order_run(order, cursor->thread, index);
	return GOTRACE_COMES;
}

enum gotrace_verdict gotrace_order_go_destroy(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint32_t index = find_current(order, cursor, GOTRACE_SOME, GOTRACE_GO_RUNNING);

	if (!index)
		return GOTRACE_FAILS;
	emit_move(order, cursor, order->states.goroutines.at[index].id, GOTRACE_STATE_RUNNING,
		GOTRACE_STATE_NOT_EXIST);
	gotrace_order_run(order, cursor->thread, 0);
	if (!gotrace_states_remove_goroutine(&order->states, index))
		return gotrace_order_fail_memory(order);
	return GOTRACE_COMES;
}

/* A stop leaves the goroutine ready; a block leaves it waiting. */
enum gotrace_verdict gotrace_order_go_stop(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	bool is_blocked = cursor->type == GOTRACE_GO_BLOCK;
	uint32_t index = find_current(order, cursor, GOTRACE_SOME, GOTRACE_GO_RUNNING);
	struct gotrace_event *event;

	if (!index)
		return GOTRACE_FAILS;
	event = emit_move(order, cursor, order->states.goroutines.at[index].id,
		GOTRACE_STATE_RUNNING, is_blocked ? GOTRACE_STATE_WAITING : GOTRACE_STATE_RUNNABLE);
	event->name = gotrace_order_name(order, cursor, cursor->arguments[0]);
	event->stack = gotrace_order_stack(order, cursor, cursor->arguments[1]);
	event->resource_stack = event->stack;
	gotrace_order_move_goroutine(
		order, index, is_blocked ? GOTRACE_GO_WAITING : GOTRACE_GO_RUNNABLE);
	gotrace_order_run(order, cursor->thread, 0);
	return GOTRACE_COMES;
}

/* The context may lack a goroutine, a processor, or a thread: anything may make a goroutine ready. */
enum gotrace_verdict gotrace_order_go_unblock(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint64_t id = cursor->arguments[0], count = cursor->arguments[1];
	uint32_t index = gotrace_states_goroutine(&order->states, id);
	const struct gotrace_goroutine *goroutine = &order->states.goroutines.at[index];
	struct gotrace_event *event;

	if (!index || goroutine->status != GOTRACE_GO_WAITING ||
		!gotrace_count_is_next(&goroutine->count, order->nr_generations, count))
		return gotrace_order_wait(order, GOTRACE_FOR_WAITING, id, count);
	event = emit_move(order, cursor, id, GOTRACE_STATE_WAITING, GOTRACE_STATE_RUNNABLE);
	event->stack = gotrace_order_stack(order, cursor, cursor->arguments[2]);
	gotrace_order_count_goroutine(order, index, GOTRACE_GO_RUNNABLE, count);
	return GOTRACE_COMES;
}

/* ------------------------------------------------------------ system calls */

enum gotrace_verdict gotrace_order_go_syscall_begin(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint32_t index = find_current(order, cursor, GOTRACE_SOME, GOTRACE_GO_RUNNING);
	uint32_t proc = gotrace_order_thread(order, cursor)->proc;
	uint64_t count = cursor->arguments[0];
	struct gotrace_event *event;

	if (!index)
		return GOTRACE_FAILS;
	if (!gotrace_count_is_next(
		    &order->states.procs.at[proc].count, order->nr_generations, count))
		return gotrace_order_fail(order, cursor,
			"its processor is at number %llu, and cannot go on to %llu",
			(unsigned long long)order->states.procs.at[proc].count.count,
			(unsigned long long)count);
	event = emit_move(order, cursor, order->states.goroutines.at[index].id,
		GOTRACE_STATE_RUNNING, GOTRACE_STATE_SYSCALL);
	event->stack = gotrace_order_stack(order, cursor, cursor->arguments[1]);
	event->resource_stack = event->stack;
	gotrace_order_move_goroutine(order, index, GOTRACE_GO_SYSCALL);
	gotrace_order_count_proc(order, proc, GOTRACE_PROC_SYSCALL, count);
	return GOTRACE_COMES;
}

enum gotrace_verdict gotrace_order_go_syscall_end(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint32_t index = find_current(order, cursor, GOTRACE_SOME, GOTRACE_GO_SYSCALL);
	uint32_t proc = gotrace_order_thread(order, cursor)->proc;

	if (!index)
		return GOTRACE_FAILS;
	if (order->states.procs.at[proc].status != GOTRACE_PROC_SYSCALL)
		return gotrace_order_fail(order, cursor, "its processor is in no system call");
	emit_move(order, cursor, order->states.goroutines.at[index].id, GOTRACE_STATE_SYSCALL,
		GOTRACE_STATE_RUNNING);
	gotrace_order_move_goroutine(order, index, GOTRACE_GO_RUNNING);
	gotrace_order_move_proc(order, proc, GOTRACE_PROC_RUNNING);
	return GOTRACE_COMES;
}

/*
 * The goroutine came back without its processor. As long as the thread holds a processor that may be taken away, the
 * event that takes it is still to come.
 */
enum gotrace_verdict gotrace_order_go_syscall_end_blocked(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	const struct gotrace_thread *thread = gotrace_order_thread(order, cursor);
	uint32_t index;

	if (order->states.procs.at[thread->proc].status == GOTRACE_PROC_SYSCALL)
		return gotrace_order_wait(order, GOTRACE_FOR_THREAD, thread->id, 0);
	index = find_current(order, cursor, GOTRACE_ANY, GOTRACE_GO_SYSCALL);
	if (!index)
		return GOTRACE_FAILS;
	emit_move(order, cursor, order->states.goroutines.at[index].id, GOTRACE_STATE_SYSCALL,
		GOTRACE_STATE_RUNNABLE);
	gotrace_order_move_goroutine(order, index, GOTRACE_GO_RUNNABLE);
	gotrace_order_run(order, cursor->thread, 0);
	return GOTRACE_COMES;
}

/*
 * The thread leaves Go, and its number may be given to another thread: from now on, the holder of its processor is
 * unknown.
 */
static bool abandon_proc(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, uint32_t proc)
{
	struct gotrace_event *event;

	if (order->states.procs.at[proc].status != GOTRACE_PROC_SYSCALL) {
		gotrace_order_fail(order, cursor, "its processor is in no system call");
		return false;
	}
	event = gotrace_order_emit(order, cursor, GOTRACE_KIND_PROC);
	event->type = GOTRACE_PROC_STEAL;
	event->resource = order->states.procs.at[proc].id;
	event->from = GOTRACE_STATE_RUNNING;
	event->to = GOTRACE_STATE_IDLE;
	return true;
}

enum gotrace_verdict gotrace_order_go_destroy_syscall(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint32_t index = find_current(order, cursor, GOTRACE_ANY, GOTRACE_GO_SYSCALL);
	uint32_t proc = gotrace_order_thread(order, cursor)->proc;

	if (!index || (proc && !abandon_proc(order, cursor, proc)))
		return GOTRACE_FAILS;
	emit_move(order, cursor, order->states.goroutines.at[index].id, GOTRACE_STATE_SYSCALL,
		GOTRACE_STATE_NOT_EXIST);
	gotrace_order_run(order, cursor->thread, 0);
	if (proc) {
		gotrace_order_hold(order, cursor->thread, 0);
		gotrace_order_move_proc(order, proc, GOTRACE_PROC_ABANDONED);
	}
	if (!gotrace_states_remove_goroutine(&order->states, index))
		return gotrace_order_fail_memory(order);
	return GOTRACE_COMES;
}

/* ----------------------------------------------------------------- switches */

static void emit_switch(struct gotrace_order *order, const struct gotrace_cursor *cursor,
	uint64_t from, uint64_t to, bool ends)
{
	struct gotrace_event *event;

	emit_move(order, cursor, to, GOTRACE_STATE_WAITING, GOTRACE_STATE_RUNNABLE);
	event = emit_move(order, cursor, from, GOTRACE_STATE_RUNNING,
		ends ? GOTRACE_STATE_NOT_EXIST : GOTRACE_STATE_WAITING);
	event->type = ends ? GOTRACE_GO_DESTROY : GOTRACE_GO_BLOCK;
	event = emit_move(order, cursor, to, GOTRACE_STATE_RUNNABLE, GOTRACE_STATE_RUNNING);
	event->type = GOTRACE_GO_START;
	event->goroutine = GOTRACE_NONE;
}

/* A goroutine hands its thread and processor over to a waiting goroutine. */
enum gotrace_verdict gotrace_order_go_switch(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	bool ends = cursor->type == GOTRACE_GO_SWITCH_DESTROY;
	uint64_t id = cursor->arguments[0], count = cursor->arguments[1];
	uint32_t index = find_current(order, cursor, GOTRACE_SOME, GOTRACE_GO_RUNNING), target;
	const struct gotrace_goroutine *goroutine;

	if (!index)
		return GOTRACE_FAILS;
	target = gotrace_states_goroutine(&order->states, id);
	goroutine = &order->states.goroutines.at[target];
	if (!target || goroutine->status != GOTRACE_GO_WAITING ||
		!gotrace_count_is_next(&goroutine->count, order->nr_generations, count))
		return gotrace_order_wait(order, GOTRACE_FOR_WAITING, id, count);
	emit_switch(order, cursor, order->states.goroutines.at[index].id, id, ends);
	gotrace_order_count_goroutine(order, target, GOTRACE_GO_RUNNING, count);
	gotrace_order_run(order, cursor->thread, target);
	if (!ends)
		gotrace_order_move_goroutine(order, index, GOTRACE_GO_WAITING);
	else if (!gotrace_states_remove_goroutine(&order->states, index))
		return gotrace_order_fail_memory(order);
	return GOTRACE_COMES;
}
