/* SPDX-License-Identifier: MIT */
/*
 * Rules of the runtime's own work: marking, sweeping, stopping the world, and metrics of the heap.
 */
#include "gotrace/ordering.h"

/* -------------------------------------------------------------------- marking */

static enum gotrace_verdict emit_mark(struct gotrace_order *order,
	const struct gotrace_cursor *cursor, enum gotrace_kind kind, uint64_t stack)
{
	struct gotrace_event *event = gotrace_order_emit(order, cursor, kind);

	event->subject = GOTRACE_GC_MARK;
	event->stack = gotrace_order_stack(order, cursor, stack);
	order->gc_count = cursor->arguments[0];
	order->gc = kind == GOTRACE_KIND_RANGE_END ? GOTRACE_GC_OFF : GOTRACE_GC_ON;
	if (order->nr_parked)
		gotrace_order_ask_again(order, GOTRACE_FOR_GC, 0, order->gc_count + 1);
	return GOTRACE_COMES;
}

static bool is_next_gc(const struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	return cursor->arguments[0] == order->gc_count + 1;
}

static enum gotrace_verdict wait_for_gc(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	return gotrace_order_wait(order, GOTRACE_FOR_GC, 0, cursor->arguments[0]);
}

enum gotrace_verdict gotrace_order_gc_active(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	if (order->nr_generations == 1) {
		if (order->gc != GOTRACE_GC_UNKNOWN)
			return gotrace_order_fail(
				order, cursor, "other events of marking came before it");
		return emit_mark(order, cursor, GOTRACE_KIND_RANGE_ACTIVE, 0);
	}
	if (!is_next_gc(order, cursor))
		return wait_for_gc(order, cursor);
	if (order->gc != GOTRACE_GC_ON)
		return gotrace_order_fail(order, cursor, "nothing is being marked");
	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return GOTRACE_FAILS;
	return emit_mark(order, cursor, GOTRACE_KIND_RANGE_ACTIVE, 0);
}

enum gotrace_verdict gotrace_order_gc_begin(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	if (order->gc == GOTRACE_GC_UNKNOWN)
		return emit_mark(order, cursor, GOTRACE_KIND_RANGE_BEGIN, cursor->arguments[1]);
	if (!is_next_gc(order, cursor))
		return wait_for_gc(order, cursor);
	if (order->gc == GOTRACE_GC_ON)
		return gotrace_order_fail(order, cursor, "marking goes on already");
	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return GOTRACE_FAILS;
	return emit_mark(order, cursor, GOTRACE_KIND_RANGE_BEGIN, cursor->arguments[1]);
}

enum gotrace_verdict gotrace_order_gc_end(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	if (!is_next_gc(order, cursor))
		return wait_for_gc(order, cursor);
	if (order->gc != GOTRACE_GC_ON)
		return gotrace_order_fail(order, cursor, "nothing is being marked");
	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return GOTRACE_FAILS;
	return emit_mark(order, cursor, GOTRACE_KIND_RANGE_END, 0);
}

/* ------------------------------------- ranges of processors and goroutines */

struct range {
	uint32_t *list; /* of the processor or goroutine */
	uint64_t resource;
	enum gotrace_subject subject;
	uint32_t name;
	uint64_t stack;
};

static enum gotrace_verdict emit_range(struct gotrace_order *order,
	const struct gotrace_cursor *cursor, enum gotrace_kind kind, const struct range *range)
{
	struct gotrace_event *event = gotrace_order_emit(order, cursor, kind);

	event->resource = range->resource;
	event->subject = (uint8_t)range->subject;
	event->name = range->name;
	event->stack = gotrace_order_stack(order, cursor, range->stack);
	return GOTRACE_COMES;
}

static enum gotrace_verdict begin_range(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, const struct range *range)
{
	if (*range->list)
		return gotrace_order_fail(order, cursor, "it began before, and has not ended");
	if (!gotrace_states_open(&order->states, range->list, range->subject, range->name))
		return gotrace_order_fail_memory(order);
	return emit_range(order, cursor, GOTRACE_KIND_RANGE_BEGIN, range);
}

/* Restates a range that began before the trace, or whose beginning is known. */
static enum gotrace_verdict say_range(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, const struct range *range)
{
	bool is_open = *range->list;

	if (is_open != (order->nr_generations > 1))
		return gotrace_order_fail(order, cursor,
			is_open ? "it began before, and has not ended" : "it has not begun");
	if (!is_open &&
		!gotrace_states_open(&order->states, range->list, range->subject, range->name))
		return gotrace_order_fail_memory(order);
	return emit_range(order, cursor, GOTRACE_KIND_RANGE_ACTIVE, range);
}

static enum gotrace_verdict end_range(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, const struct range *range)
{
	if (!*range->list)
		return gotrace_order_fail(order, cursor, "it has not begun");
	gotrace_states_close(&order->states, range->list);
	return emit_range(order, cursor, GOTRACE_KIND_RANGE_END, range);
}

/* The running goroutine, to which a range belongs; 0: none. */
static uint32_t find_goroutine(struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	const struct gotrace_thread *thread = gotrace_order_thread(order, cursor);
	uint32_t index;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return 0;
	index = gotrace_states_current(&order->states, thread);
	if (!index)
		gotrace_order_fail(order, cursor, "goroutine %lld does not exist",
			(long long)thread->goroutine);
	return index;
}

/* A mark assist of the running goroutine. False: no goroutine runs. */
static bool of_goroutine(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, struct range *ret)
{
	uint32_t index = find_goroutine(order, cursor);

	*ret = (struct range){.list = &order->states.goroutines.at[index].assists,
		.resource = gotrace_order_thread(order, cursor)->goroutine,
		.subject = GOTRACE_MARK_ASSIST};
	return index;
}

/* A range of the thread's processor. False: the thread has none. */
static bool of_proc(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, struct range *ret)
{
	struct gotrace_proc *proc;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_ANY))
		return false;
	proc = &order->states.procs.at[gotrace_order_thread(order, cursor)->proc];
	*ret = (struct range){
		.list = &proc->sweeps, .resource = proc->id, .subject = GOTRACE_GC_SWEEP};
	return true;
}

/* A goroutine may stop the world for several reasons at a time; the stop that ends is the latest one. */
enum gotrace_verdict gotrace_order_stw_begin(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct range range = {.resource = gotrace_order_thread(order, cursor)->goroutine,
		.subject = GOTRACE_STOPPED_WORLD,
		.stack = cursor->arguments[1]};
	uint32_t index = find_goroutine(order, cursor);

	if (!index)
		return GOTRACE_FAILS;
	range.name = gotrace_order_name(order, cursor, cursor->arguments[0]);
	if (gotrace_states_is_stopped(&order->states, index, range.name))
		return gotrace_order_fail(order, cursor, "it began before, and has not ended");
	if (!gotrace_states_stop(&order->states, index, range.name))
		return gotrace_order_fail_memory(order);
	return emit_range(order, cursor, GOTRACE_KIND_RANGE_BEGIN, &range);
}

enum gotrace_verdict gotrace_order_stw_end(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct range range = {.resource = gotrace_order_thread(order, cursor)->goroutine,
		.subject = GOTRACE_STOPPED_WORLD};
	uint32_t index = find_goroutine(order, cursor), stop;

	if (!index)
		return GOTRACE_FAILS;
	stop = order->states.goroutines.at[index].stops;
	if (!stop)
		return gotrace_order_fail(order, cursor, "it has not begun");
	range.name = order->states.opens.at[stop].name;
	gotrace_states_go_on(&order->states, index);
	return emit_range(order, cursor, GOTRACE_KIND_RANGE_END, &range);
}

enum gotrace_verdict gotrace_order_assist_begin(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct range range;

	if (!of_goroutine(order, cursor, &range))
		return GOTRACE_FAILS;
	range.stack = cursor->arguments[0];
	return begin_range(order, cursor, &range);
}

enum gotrace_verdict gotrace_order_assist_end(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct range range;

	if (!of_goroutine(order, cursor, &range))
		return GOTRACE_FAILS;
	return end_range(order, cursor, &range);
}

enum gotrace_verdict gotrace_order_assist_active(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint64_t id = cursor->arguments[0];
	uint32_t index = gotrace_states_goroutine(&order->states, id);
	struct range range = {.list = &order->states.goroutines.at[index].assists,
		.resource = id,
		.subject = GOTRACE_MARK_ASSIST};

	if (!index)
		return gotrace_order_fail(
			order, cursor, "goroutine %lld does not exist", (long long)id);
	return say_range(order, cursor, &range);
}

enum gotrace_verdict gotrace_order_sweep_begin(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct range range;

	if (!of_proc(order, cursor, &range))
		return GOTRACE_FAILS;
	range.stack = cursor->arguments[0];
	return begin_range(order, cursor, &range);
}

enum gotrace_verdict gotrace_order_sweep_end(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	enum gotrace_verdict verdict;
	struct range range;

	if (!of_proc(order, cursor, &range))
		return GOTRACE_FAILS;
	verdict = end_range(order, cursor, &range);
	if (verdict == GOTRACE_COMES)
		memcpy(order->out[order->nr_out - 1].values, cursor->arguments,
			sizeof(order->out->values));
	return verdict;
}

enum gotrace_verdict gotrace_order_sweep_active(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint64_t id = cursor->arguments[0];
	uint32_t index = gotrace_states_proc(&order->states, id);
	struct range range = {.list = &order->states.procs.at[index].sweeps,
		.resource = id,
		.subject = GOTRACE_GC_SWEEP};

	if (!index)
		return gotrace_order_fail(
			order, cursor, "processor %lld is not known", (long long)id);
	return say_range(order, cursor, &range);
}

/* -------------------------------------------------------------------- metrics */

enum gotrace_verdict gotrace_order_heap_bytes(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct gotrace_event *event;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_ANY))
		return GOTRACE_FAILS;
	event = gotrace_order_emit(order, cursor, GOTRACE_KIND_METRIC);
	event->subject =
		cursor->type == GOTRACE_HEAP_ALLOC ? GOTRACE_HEAP_BYTES : GOTRACE_HEAP_GOAL_BYTES;
	event->values[0] = cursor->arguments[0];
	return GOTRACE_COMES;
}

enum gotrace_verdict gotrace_order_experimental(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct gotrace_event *event;
	unsigned i;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_ANY, GOTRACE_ANY))
		return GOTRACE_FAILS;
	event = gotrace_order_emit(order, cursor, GOTRACE_KIND_EXPERIMENTAL);
	for (i = 0; i + 1u < gotrace_type_numbers[cursor->type] && i < 2; i++)
		event->values[i] = cursor->arguments[i];
	return GOTRACE_COMES;
}
