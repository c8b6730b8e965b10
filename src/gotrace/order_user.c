/* SPDX-License-Identifier: MIT */
/*
 * Rules of events of the program itself: labels, tasks, regions, log messages.
 */
#include "gotrace/ordering.h"

enum gotrace_verdict gotrace_order_go_label(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct gotrace_event *event;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return GOTRACE_FAILS;
	event = gotrace_order_emit(order, cursor, GOTRACE_KIND_LABEL);
	event->resource = event->goroutine;
	event->name = gotrace_order_name(order, cursor, cursor->arguments[0]);
	return GOTRACE_COMES;
}

static struct gotrace_event *emit_task(struct gotrace_order *order,
	const struct gotrace_cursor *cursor, enum gotrace_kind kind, uint64_t parent, uint32_t name)
{
	struct gotrace_event *event = gotrace_order_emit(order, cursor, kind);

	event->resource = cursor->arguments[0];
	event->values[0] = parent;
	event->name = name;
	return event;
}

/* Parent 0 means no parent. */
enum gotrace_verdict gotrace_order_task_begin(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint64_t id = cursor->arguments[0];
	uint64_t parent = cursor->arguments[1] ? cursor->arguments[1] : GOTRACE_NONE;
	struct gotrace_event *event;
	uint32_t name;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return GOTRACE_FAILS;
	if (gotrace_states_task(&order->states, id))
		return gotrace_order_fail(order, cursor,
			"task %llu began before, and has not ended", (unsigned long long)id);
	name = gotrace_order_name(order, cursor, cursor->arguments[2]);
	event = emit_task(order, cursor, GOTRACE_KIND_TASK_BEGIN, parent, name);
	event->stack = gotrace_order_stack(order, cursor, cursor->arguments[3]);
	if (!gotrace_states_add_task(&order->states, id, parent, name))
		return gotrace_order_fail_memory(order);
	return GOTRACE_COMES;
}

/* A task may end more than once, or without a beginning: the unknown fields stay empty. */
enum gotrace_verdict gotrace_order_task_end(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	const struct gotrace_task *task = gotrace_states_task(&order->states, cursor->arguments[0]);
	struct gotrace_event *event;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return GOTRACE_FAILS;
	event = emit_task(order, cursor, GOTRACE_KIND_TASK_END, task ? task->parent : GOTRACE_NONE,
		task ? task->name : 0);
	event->stack = gotrace_order_stack(order, cursor, cursor->arguments[1]);
	gotrace_states_remove_task(&order->states, cursor->arguments[0]);
	return GOTRACE_COMES;
}

static struct gotrace_event *emit_region(struct gotrace_order *order,
	const struct gotrace_cursor *cursor, enum gotrace_kind kind, uint32_t name)
{
	struct gotrace_event *event = gotrace_order_emit(order, cursor, kind);

	event->values[0] = cursor->arguments[0];
	event->name = name;
	event->stack = gotrace_order_stack(order, cursor, cursor->arguments[2]);
	return event;
}

/* The regions of the running goroutine; NULL: no goroutine runs. */
static uint32_t *find_regions(struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint32_t index;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return NULL;
	index = gotrace_states_current(&order->states, gotrace_order_thread(order, cursor));
	if (index)
		return &order->states.goroutines.at[index].regions;
	gotrace_order_fail(order, cursor, "goroutine %lld does not exist",
		(long long)gotrace_order_thread(order, cursor)->goroutine);
	return NULL;
}

enum gotrace_verdict gotrace_order_region_begin(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint32_t *regions = find_regions(order, cursor), name;

	if (!regions)
		return GOTRACE_FAILS;
	name = gotrace_order_name(order, cursor, cursor->arguments[1]);
	if (!gotrace_states_open(&order->states, regions, cursor->arguments[0], name))
		return gotrace_order_fail_memory(order);
	emit_region(order, cursor, GOTRACE_KIND_REGION_BEGIN, name);
	return GOTRACE_COMES;
}

/* If no region is open, the region began before the trace. */
enum gotrace_verdict gotrace_order_region_end(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint32_t *regions = find_regions(order, cursor), name;
	const struct gotrace_open *open;

	if (!regions)
		return GOTRACE_FAILS;
	open = &order->states.opens.at[*regions];
	name = gotrace_order_name(order, cursor, cursor->arguments[1]);
	if (*regions && (open->kind != cursor->arguments[0] || open->name != name))
		return gotrace_order_fail(order, cursor, "another region was entered last");
	if (*regions)
		gotrace_states_close(&order->states, regions);
	emit_region(order, cursor, GOTRACE_KIND_REGION_END, name);
	return GOTRACE_COMES;
}

enum gotrace_verdict gotrace_order_user_log(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	struct gotrace_event *event;

	if (!gotrace_order_has_context(order, cursor, GOTRACE_SOME, GOTRACE_SOME))
		return GOTRACE_FAILS;
	event = gotrace_order_emit(order, cursor, GOTRACE_KIND_LOG);
	event->values[0] = cursor->arguments[0];
	event->name = gotrace_order_name(order, cursor, cursor->arguments[1]);
	event->message = gotrace_order_string(order, cursor, cursor->arguments[2]);
	event->stack = gotrace_order_stack(order, cursor, cursor->arguments[3]);
	return GOTRACE_COMES;
}
