/* SPDX-License-Identifier: MIT */
/*
 * Waiting events. Cursors that wait for the same thing form a pairing heap with the earliest at its root. Only the root
 * is asked again when the thing happens: once its event has come, no other can. So if many cursors wait for one count,
 * each event costs the logarithm of their number. If the root then waits for another thing, the next cursor of the heap
 * is asked.
 */
#include "gotrace/ordering.h"

#define SPARE_TIMES 64u

static uint64_t parking_of(enum gotrace_cause cause, uint64_t id, uint64_t count)
{
	return (id * UINT64_C(0x9e3779b97f4a7c15) + count) * UINT64_C(0xc2b2ae3d27d4eb4f) + cause;
}

enum gotrace_verdict gotrace_order_wait(
	struct gotrace_order *order, enum gotrace_cause cause, uint64_t id, uint64_t count)
{
	order->waits_under = parking_of(cause, id, count);
	return GOTRACE_WAITS;
}

/* ------------------------------------------------------------- pairing heaps */

/* Merges two heaps into one; 0 is the empty heap. */
static uint32_t meld(struct gotrace_cursor *cursors, uint32_t one, uint32_t other)
{
	uint32_t first = one, later = other;

	if (!one || !other)
		return one | other;
	if (cursors[other].time < cursors[one].time) {
		first = other;
		later = one;
	}
	cursors[later].next_parked = cursors[first].later_parked;
	cursors[first].later_parked = later;
	return first;
}

/* The rest of a heap without its root: the children are melded in pairs, then the pairs one by one. */
static uint32_t without_root(struct gotrace_cursor *cursors, uint32_t root)
{
	uint32_t child = cursors[root].later_parked, pairs = 0, rest = 0, next;

	cursors[root].later_parked = 0;
	while (child) {
		uint32_t other = cursors[child].next_parked, pair;

		next = other ? cursors[other].next_parked : 0;
		pair = meld(cursors, child, other);
		cursors[pair].next_parked = pairs;
		pairs = pair;
		child = next;
	}
	for (; pairs; pairs = next) {
		next = cursors[pairs].next_parked;
		rest = meld(cursors, rest, pairs);
	}
	return rest;
}

/* --------------------------------------------------- times of parked cursors */

static bool is_listed(const struct gotrace_order *order, const struct gotrace_turn *turn)
{
	const struct gotrace_cursor *cursor = &order->cursors.at[turn->cursor];

	return cursor->is_listed && cursor->time == turn->time;
}

/* Drops outdated entries. The caller does so when the list is twice as long as there can be cursors. */
static void drop_old(struct gotrace_order *order)
{
	size_t count = order->parked_times.count, i;

	order->parked_times.count = 0;
	for (i = 0; i < count; i++) {
		if (!is_listed(order, &order->parked_times.at[i]))
			continue;
		order->parked_times.at[order->parked_times.count] = order->parked_times.at[i];
		gotrace_turns_raise(order->parked_times.at, ++order->parked_times.count);
	}
}

static bool list_time(struct gotrace_order *order, uint32_t index)
{
	struct gotrace_cursor *cursor = &order->cursors.at[index];
	struct gotrace_turn turn = {cursor->time, index};

	if (cursor->is_listed)
		return true;
	if (order->parked_times.count >= 2 * order->cursors.count + SPARE_TIMES)
		drop_old(order);
	if (!vec_push(&order->parked_times, turn))
		return false;
	gotrace_turns_raise(order->parked_times.at, order->parked_times.count);
	cursor->is_listed = true;
	return true;
}

bool gotrace_order_is_before_parked(struct gotrace_order *order, int64_t time)
{
	const struct gotrace_turn *turns = order->parked_times.at;

	while (order->parked_times.count &&
		(!is_listed(order, turns) || !order->cursors.at[turns->cursor].is_parked)) {
		if (is_listed(order, turns))
			order->cursors.at[turns->cursor].is_listed = false;
		order->parked_times.count =
			gotrace_turns_remove(order->parked_times.at, order->parked_times.count);
	}
	return !order->parked_times.count || time < turns->time;
}

/* ------------------------------------------------------------------ parking */

static void wake_first(struct gotrace_order *order, uint64_t parking)
{
	uint32_t index, rest;

	if (!map_get(&order->parked, parking, &index))
		return;
	rest = without_root(order->cursors.at, index);
	if (!rest)
		map_remove(&order->parked, parking);
	else if (!map_put(&order->parked, parking, rest))
		gotrace_order_fail_memory(order);
	order->cursors.at[index].next_parked = order->woken;
	order->cursors.at[index].is_parked = false;
	order->cursors.at[index].was_woken = true;
	order->woken = index;
	order->nr_parked--;
}

bool gotrace_order_park(struct gotrace_order *order, uint32_t index)
{
	struct gotrace_cursor *cursor = &order->cursors.at[index];
	uint64_t before = cursor->parked_under;
	uint32_t first = 0;

	if (cursor->was_woken && before != order->waits_under)
		wake_first(order, before);
	cursor->was_woken = false;
	cursor->parked_under = order->waits_under;
	cursor->next_parked = cursor->later_parked = 0;
	cursor->is_parked = true;
	order->nr_parked++;
	map_get(&order->parked, cursor->parked_under, &first);
	return map_put(&order->parked, cursor->parked_under,
		       meld(order->cursors.at, first, index)) &&
	       (order->next_sample == order->generation->tables.samples.count ||
		       list_time(order, index));
}

void gotrace_order_ask_again(
	struct gotrace_order *order, enum gotrace_cause cause, uint64_t id, uint64_t count)
{
	wake_first(order, parking_of(cause, id, count));
}

bool gotrace_order_wake_all(struct gotrace_order *order)
{
	struct gotrace_cursor *cursors = order->cursors.at;
	uint32_t i;

	if (!order->has_come)
		return false;
	order->has_come = false;
	for (i = (uint32_t)order->cursors.count - 1; i > 0; i--) {
		if (!cursors[i].is_parked)
			continue;
		cursors[i].is_parked = false;
		cursors[i].next_parked = order->woken;
		order->woken = i;
	}
	order->nr_parked = 0;
	map_fini(&order->parked);
	return true;
}
