/* SPDX-License-Identifier: MIT */
/*
 * The parts that rules share: an event's context, its stacks and names, changes of state, and failures.
 */
#include <stdarg.h>
#include <stdio.h>

#include "gotrace/ordering.h"

/* ------------------------------------------------------------------ failure */

enum gotrace_verdict gotrace_order_fail(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, const char *format, ...)
{
	uint64_t offset = order->generation->runs.at[cursor->run].offset;
	char text[160];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	order->has_failed = true;
	ct_fail_at(&order->failure, CT_ERR_CORRUPT, offset,
		"batch at offset %llu (generation %llu, thread %lld): %s at %lld ns: %s",
		(unsigned long long)offset, (unsigned long long)order->generation->number,
		(long long)gotrace_order_thread(order, cursor)->id, gotrace_type_name(cursor->type),
		(long long)cursor->time, text);
	return GOTRACE_FAILS;
}

enum gotrace_verdict gotrace_order_fail_memory(struct gotrace_order *order)
{
	order->has_failed = true;
	ct_fail_memory(&order->failure);
	return GOTRACE_FAILS;
}

void gotrace_order_lacks_context(struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	const struct gotrace_thread *thread = gotrace_order_thread(order, cursor);

	if (cursor->thread)
		gotrace_order_fail(order, cursor,
			"its thread has %s processor, and runs %s goroutine",
			thread->proc ? "a" : "no", thread->goroutine == GOTRACE_NONE ? "no" : "a");
	else
		gotrace_order_fail(order, cursor, "it is of no thread");
}

void gotrace_order_lacks(struct gotrace_order *order, const struct gotrace_cursor *cursor,
	const char *what, uint64_t id)
{
	gotrace_order_fail(order, cursor, "there is no %s %llu", what, (unsigned long long)id);
}

/* -------------------------------------------------------------------- events */

uint32_t gotrace_order_new_name(struct gotrace_order *order, struct gotrace_string *string)
{
	if (!gotrace_texts_add(&order->names, string->at, string->nr_bytes, &string->name))
		gotrace_order_fail_memory(order);
	return string->name;
}

enum gotrace_state gotrace_order_goroutine_state(uint8_t status)
{
	static const uint8_t states[] = {GOTRACE_STATE_UNDETERMINED, GOTRACE_STATE_RUNNABLE,
		GOTRACE_STATE_RUNNING, GOTRACE_STATE_SYSCALL, GOTRACE_STATE_WAITING};

	return states[status];
}

enum gotrace_state gotrace_order_proc_state(uint8_t status)
{
	static const uint8_t states[] = {GOTRACE_STATE_UNDETERMINED, GOTRACE_STATE_RUNNING,
		GOTRACE_STATE_IDLE, GOTRACE_STATE_RUNNING, GOTRACE_STATE_IDLE};

	return states[status];
}

/* -------------------------------------------------------------------- states */

void gotrace_order_ask_for_goroutine(
	struct gotrace_order *order, const struct gotrace_goroutine *goroutine)
{
	static const uint8_t causes[] = {[GOTRACE_GO_RUNNABLE] = GOTRACE_FOR_READY,
		[GOTRACE_GO_WAITING] = GOTRACE_FOR_WAITING};

	if (causes[goroutine->status])
		gotrace_order_ask_again(order, (enum gotrace_cause)causes[goroutine->status],
			goroutine->id, goroutine->count.count + 1);
}

void gotrace_order_move_proc(struct gotrace_order *order, uint32_t index, uint8_t status)
{
	struct gotrace_proc *proc = &order->states.procs.at[index];

	proc->status = status;
	if (order->nr_parked && status != GOTRACE_PROC_RUNNING)
		gotrace_order_ask_again(order,
			status == GOTRACE_PROC_IDLE ? GOTRACE_FOR_IDLE : GOTRACE_FOR_TAKEABLE,
			proc->id, proc->count.count + 1);
}

void gotrace_order_count_proc(
	struct gotrace_order *order, uint32_t index, uint8_t status, uint64_t count)
{
	order->states.procs.at[index].count = (struct gotrace_count){order->nr_generations, count};
	gotrace_order_move_proc(order, index, status);
}

void gotrace_order_hold(struct gotrace_order *order, uint32_t index, uint32_t proc)
{
	struct gotrace_thread *thread = &order->states.threads.at[index];

	if (order->states.procs.at[thread->proc].holder == index)
		order->states.procs.at[thread->proc].holder = 0;
	thread->proc = proc;
	order->states.procs.at[proc].holder = index;
	if (order->nr_parked)
		gotrace_order_ask_again(order, GOTRACE_FOR_THREAD, thread->id, 0);
}
