/* SPDX-License-Identifier: MIT */
/*
 * The rule of status events: the first mention of each goroutine in a generation states its state. Such an event never
 * waits.
 */
#include "gotrace/ordering.h"

/*
 * The status of a goroutine in a system call names its thread; the event is reported as if that thread had written it.
 */
struct telling {
	uint32_t thread; /* the event's context */
	bool binds;      /* the thread was unknown so far: now its goroutine is known */
	bool has_bound;  /* the thread is known to run this goroutine */
};

static bool find_thread(struct gotrace_order *order, const struct gotrace_cursor *cursor,
	uint64_t goroutine, struct telling *ret)
{
	uint64_t id = cursor->arguments[1];
	const struct gotrace_thread *thread;

	if (id == GOTRACE_NONE) {
		gotrace_order_fail(order, cursor, "goroutine %lld is in a system call of no thread",
			(long long)goroutine);
		return false;
	}
	ret->thread = gotrace_states_thread(&order->states, id);
	if (!ret->thread) {
		gotrace_order_fail_memory(order);
		return false;
	}
	thread = &order->states.threads.at[ret->thread];
	if (ret->thread == cursor->thread) {
		ret->binds = true;
		ret->has_bound = order->nr_generations == 1 || thread->goroutine == goroutine;
	} else {
		ret->binds = !thread->was_seen;
		ret->has_bound = ret->binds || thread->goroutine == goroutine;
	}
	if (!ret->has_bound)
		gotrace_order_fail(order, cursor,
			"goroutine %lld is in a system call of thread %lld, which runs %lld",
			(long long)goroutine, (long long)id, (long long)thread->goroutine);
	return ret->has_bound;
}

/*
 * The index of a goroutine that exists in the given status, or of a new one where it may be new. 0: the status is
 * impossible.
 */
static uint32_t find_goroutine(struct gotrace_order *order, const struct gotrace_cursor *cursor,
	uint8_t status, enum gotrace_state *ret_from)
{
	uint64_t id = cursor->arguments[0];
	uint32_t index = gotrace_states_goroutine(&order->states, id);

	*ret_from = gotrace_order_goroutine_state(status);
	if (index && order->states.goroutines.at[index].status != status) {
		gotrace_order_fail(order, cursor, "goroutine %lld is in state %u, not %u",
			(long long)id, order->states.goroutines.at[index].status, status);
		return 0;
	}
	if (index)
		return index;
	if (order->nr_generations > 1) {
		gotrace_order_fail(order, cursor,
			"goroutine %lld is new behind the first generation, and nobody created it",
			(long long)id);
		return 0;
	}
	*ret_from = GOTRACE_STATE_UNDETERMINED;
	index = gotrace_states_add_goroutine(&order->states, id, status, order->nr_generations);
	if (!index)
		gotrace_order_fail_memory(order);
	return index;
}

static void emit(struct gotrace_order *order, const struct gotrace_cursor *cursor,
	const struct telling *telling, enum gotrace_state from, enum gotrace_state to)
{
	struct gotrace_event *event = gotrace_order_emit(order, cursor, GOTRACE_KIND_GOROUTINE);

	event->resource = cursor->arguments[0];
	event->from = (uint8_t)from;
	event->to = (uint8_t)to;
	if (telling->thread != cursor->thread) {
		event->thread = order->states.threads.at[telling->thread].id;
		if (!telling->binds)
			event->goroutine = cursor->arguments[0];
	}
	if (cursor->type == GOTRACE_GO_STATUS_STACK)
		event->stack = gotrace_order_stack(order, cursor, cursor->arguments[3]);
	event->resource_stack = event->stack;
}

enum gotrace_verdict gotrace_order_go_status(
	struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	uint64_t status = cursor->arguments[2];
	struct telling telling = {.thread = cursor->thread, .binds = status == GOTRACE_GO_RUNNING};
	enum gotrace_state from;
	uint32_t index;

	if (status < GOTRACE_GO_RUNNABLE || status > GOTRACE_GO_WAITING)
		return gotrace_order_fail(order, cursor,
			"goroutine %lld has state %llu, which there is not",
			(long long)cursor->arguments[0], (unsigned long long)status);
	index = find_goroutine(order, cursor, (uint8_t)status, &from);
	if (!index)
		return GOTRACE_FAILS;
	if (status == GOTRACE_GO_SYSCALL &&
		!find_thread(order, cursor, cursor->arguments[0], &telling))
		return GOTRACE_FAILS;
	emit(order, cursor, &telling, from, gotrace_order_goroutine_state((uint8_t)status));
	gotrace_order_count_goroutine(order, index, (uint8_t)status, 0);
	order->states.threads.at[telling.thread].was_seen = true;
	if (telling.binds)
		gotrace_order_run(order, telling.thread, index);
	return GOTRACE_COMES;
}
