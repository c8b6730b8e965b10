/* SPDX-License-Identifier: MIT */
/*
 * Parts of a program with a mistake in them.
 */
#include "groups.h"

/* ---------------------------------------------------------------- coroutines that are never woken */

void build_forgotten(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_SEND, channel, 0)->mistake = MISTAKE_FORGETS;
}

void build_starved_of_items(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);
	int64_t items = between(world, 1, 5);

	add_step(world, sender, ACT_SLEEP, 0, between(world, US, 20 * MS));
	add_step(world, sender, ACT_SEND, channel, 0);
	repeat_from(world, sender, 0, items - 1);
	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	repeat_from(world, waiter, 0, items);
}

/* Repeated many times, so that one of the races goes wrong. */
void build_look_then_wait(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world),
		 sender = add_stranger(world, false);
	int64_t items = between(world, 20, 100);

	add_step(world, sender, ACT_SLEEP, 0, between(world, 40 * US, 200 * US));
	add_step(world, sender, ACT_SEND, channel, 0);
	repeat_from(world, sender, 0, items - 1);
	world->coros.at[waiter].start = between(world, 2 * MS, 20 * MS);
	add_step(world, waiter, ACT_RECEIVE, channel, 0)->mistake = MISTAKE_LOOKS_FIRST;
	repeat_from(world, waiter, 0, items - 1);
}

void build_closed(struct world *world)
{
	uint32_t count = 1 + below(world, 3), i;

	for (i = 0; i < count; i++) {
		uint32_t file = add_file(world, 5 * MS, below(world, 3)), reader = begin(world),
			 start, closer;

		add_step(world, reader, ACT_OPEN, file, 0);
		start = next_step(world, reader);
		add_step(world, reader, ACT_READ, file, 0);
		repeat_from(world, reader, start, 5);
		closer = once_in(world, 3) ? add_stranger(world, false) : begin(world);
		add_step(world, closer, ACT_SLEEP, 0, between(world, 20 * MS, 40 * MS));
		await_waiting(world, closer, reader);
		add_step(world, closer, ACT_CLOSE, file, 0)->mistake = MISTAKE_FORGETS;
	}
}

void build_await_cycle(struct world *world)
{
	uint32_t count = 2 + below(world, 2), first = begin(world), i;

	for (i = 1; i < count; i++)
		add_coro(world, world->coros.at[first].start);
	for (i = 0; i < count; i++) {
		add_step(world, first + i, ACT_SLEEP, 0, between(world, MS, 5 * MS));
		add_step(world, first + i, ACT_JOIN, first + (i + 1) % count, 0);
	}
	if (once_in(world, 2)) {
		uint32_t third = begin(world);

		await_waiting(world, third, first);
		add_step(world, third, ACT_JOIN, first, 0);
	}
}

static void take_in_order(struct world *world, uint32_t coro, uint32_t first, uint32_t second)
{
	add_step(world, coro, ACT_LOCK, first, 0);
	add_step(world, coro, ACT_SLEEP, 0, between(world, 100 * US, 3 * MS));
	add_step(world, coro, ACT_LOCK, second, 0);
	add_step(world, coro, ACT_UNLOCK, second, 0);
	add_step(world, coro, ACT_UNLOCK, first, 0);
}

void build_deadlock(struct world *world)
{
	uint32_t first = add_lock(world), second = add_lock(world), one = begin(world), other;

	other = add_coro(world, world->coros.at[one].start + between(world, 0, MS));
	take_in_order(world, one, first, second);
	take_in_order(world, other, second, first);
	if (once_in(world, 2))
		add_step(world, begin(world), ACT_LOCK, first, 0);
}

void build_locked_parent(struct world *world)
{
	uint32_t lock = add_lock(world), parent = begin(world), child = prepare(world);

	add_step(world, parent, ACT_LOCK, lock, 0);
	add_step(world, parent, ACT_SPAWN, child, 0);
	add_step(world, parent, ACT_JOIN, child, 0);
	add_step(world, parent, ACT_UNLOCK, lock, 0);
	add_step(world, child, ACT_LOCK, lock, 0);
	add_step(world, child, ACT_UNLOCK, lock, 0);
}

void build_dropped_wake(struct world *world)
{
	uint32_t channel = add_channel(world), thread = add_stranger(world, false), target;

	target = add_coro(world, between(world, 25 * MS, 45 * MS));
	add_step(world, target, ACT_RECEIVE, channel, 0);
	add_step(world, thread, ACT_AIM, target, 0);
	add_step(world, thread, ACT_SEND, channel, 0)->mistake = MISTAKE_GIVES_UP;
}

void build_granted_unwoken(struct world *world)
{
	uint32_t lock = add_lock(world), owner = begin(world), waiter = prepare(world);

	add_step(world, owner, ACT_LOCK, lock, 0);
	add_step(world, owner, ACT_SPAWN, waiter, 0);
	await_waiting(world, owner, waiter);
	add_step(world, owner, ACT_UNLOCK, lock, 0)->mistake = MISTAKE_FORGETS;
	add_step(world, waiter, ACT_LOCK, lock, 0);
	add_step(world, waiter, ACT_UNLOCK, lock, 0);
	if (once_in(world, 2))
		add_step(world, begin(world), ACT_LOCK, lock, 0);
}

uint32_t end_with_permit(struct world *world, uint32_t *ret_first, uint32_t *ret_loser)
{
	uint32_t channel = pass_permit(world, 2 + below(world, 3), ret_first);

	*ret_loser = prepare(world);
	add_step(world, *ret_first, ACT_SLEEP, 0, between(world, 4 * MS, 12 * MS));
	add_step(world, *ret_first, ACT_SPAWN, *ret_loser, 0);
	add_step(world, *ret_loser, ACT_RECEIVE, channel, 0);
	return channel;
}

void build_permit_lost(struct world *world)
{
	uint32_t first, loser;

	end_with_permit(world, &first, &loser);
}

/* ---------------------------------------------------------------- runs that are too many, too late, too long */

void build_woken_twice(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	add_step(world, waiter, ACT_COMPUTE, 0, between(world, 100 * US, 5 * MS));
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_SEND, channel, 0)->mistake = MISTAKE_TWICE;
}

void build_woken_into_next(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	repeat_from(world, waiter, 0, 3);
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_SEND, channel, 0);
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_SEND, channel, 0)->mistake = MISTAKE_TWICE;
}

void build_not_found(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_SEND, channel, 0)->mistake = MISTAKE_MISSES;
}

void build_closes_unread(struct world *world)
{
	serve(world, 12 + below(world, 10), 4 + below(world, 8));
}

void build_two_holders(struct world *world)
{
	uint32_t lock = add_lock(world), one = begin(world), other = begin(world);

	add_step(world, one, ACT_LOCK, lock, 0);
	add_step(world, one, ACT_SLEEP, 0, between(world, 8 * MS, 30 * MS));
	compute(world, one);
	add_step(world, one, ACT_UNLOCK, lock, 0);
	await_waiting(world, other, one);
	add_step(world, other, ACT_LOCK, lock, 0)->mistake = MISTAKE_BARGES;
	compute(world, other);
}

void build_left_in_list(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_DESTROY, waiter, 0)->mistake = MISTAKE_STAYS;
	add_step(world, sender, ACT_SLEEP, 0, between(world, 10 * US, 10 * MS));
	add_step(world, sender, ACT_SEND, channel, 0);
}

void build_lock_to_gone(struct world *world)
{
	uint32_t lock = add_lock(world), owner = begin(world), waiter = prepare(world);
	uint32_t third = prepare(world);

	add_step(world, owner, ACT_LOCK, lock, 0);
	add_step(world, owner, ACT_SPAWN, waiter, 0);
	await_waiting(world, owner, waiter);
	add_step(world, owner, ACT_SPAWN, third, 0);
	await_waiting(world, owner, third);
	add_step(world, owner, ACT_DESTROY, waiter, 0)->mistake = MISTAKE_STAYS;
	add_step(world, owner, ACT_UNLOCK, lock, 0)->mistake = MISTAKE_FORGETS;
	add_step(world, waiter, ACT_LOCK, lock, 0);
	add_step(world, third, ACT_LOCK, lock, 0);
	add_step(world, third, ACT_UNLOCK, lock, 0);
}

void build_lock_to_woken(struct world *world)
{
	uint32_t lock = add_lock(world), owner = begin(world), waiter = prepare(world);
	uint32_t third = prepare(world);

	world->manner.hands_over = true;
	add_step(world, owner, ACT_LOCK, lock, 0);
	add_step(world, owner, ACT_SPAWN, waiter, 0);
	await_waiting(world, owner, waiter);
	add_step(world, owner, ACT_SPAWN, third, 0);
	await_waiting(world, owner, third);
	add_step(world, owner, ACT_UNLOCK, lock, 0);
	add_step(world, owner, ACT_CUT, waiter, 0);
	add_step(world, waiter, ACT_LOCK, lock, 0);
	add_step(world, third, ACT_LOCK, lock, 0);
	add_step(world, third, ACT_UNLOCK, lock, 0);
}

void build_cut_when_woken(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	repeat_from(world, waiter, 0, 1);
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_SEND, channel, 0);
	add_step(world, sender, ACT_CUT, waiter, 0);
}

void build_gone_with_lock(struct world *world)
{
	uint32_t lock = add_lock(world), channel = add_channel(world), owner = begin(world);
	uint32_t waiter = prepare(world), destroyer = begin(world);

	add_step(world, owner, ACT_LOCK, lock, 0);
	add_step(world, owner, ACT_SPAWN, waiter, 0);
	add_step(world, owner, ACT_RECEIVE, channel, 0);
	add_step(world, waiter, ACT_LOCK, lock, 0);
	add_step(world, waiter, ACT_UNLOCK, lock, 0);
	await_waiting(world, destroyer, waiter);
	add_step(world, destroyer, ACT_DESTROY, owner, 0);
}

/* One coroutine waits for what another one sends into the slot of its own worker. */
static uint32_t send_into_slot(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);

	world->manner.tells_queues = true;
	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_SEND, channel, 0)->mistake = MISTAKE_OWN_SLOT;
	return sender;
}

void build_stuck_behind_call(struct world *world)
{
	add_step(world, send_into_slot(world), ACT_CALL, 0, NEVER);
}

void build_stuck_behind_timed(struct world *world)
{
	add_step(
		world, send_into_slot(world), ACT_CALL, 0, between(world, 5 * SECOND, 10 * SECOND));
}

void build_endless(struct world *world)
{
	uint32_t coro = begin(world);

	add_step(world, coro, ACT_SLEEP, 0, between(world, MS, 500 * MS));
	add_step(world, coro, ACT_COMPUTE, 0, between(world, 5 * SECOND, 20 * SECOND));
}

void build_hog(struct world *world)
{
	add_step(world, send_into_slot(world), once_in(world, 3) ? ACT_CALL : ACT_COMPUTE, 0,
		between(world, 15 * MS, 100 * MS));
}

void build_no_worker_told(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world),
		 thread = add_stranger(world, false);

	world->manner.tells_queues = true;
	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	add_step(world, thread, ACT_SLEEP, 0, between(world, 100 * MS, 900 * MS));
	add_step(world, thread, ACT_SEND, channel, 0)->mistake = MISTAKE_NO_WORKER;
}

void build_late_turns(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	repeat_from(world, waiter, 0, 1000);
	add_step(world, sender, ACT_SEND, channel, 0)->mistake = MISTAKE_OWN_SLOT;
	add_step(world, sender, ACT_COMPUTE, 0, 8 * MS);
	add_step(world, sender, ACT_YIELD, 0, 0);
	repeat_from(world, sender, 0, between(world, 110, 150));
}

void build_storm(struct world *world)
{
	uint32_t coro = begin(world), channel = add_channel(world);

	add_step(world, coro, ACT_LOOK, channel, 0);
	add_step(world, coro, ACT_COMPUTE, 0, between(world, 150 * US, 600 * US));
	repeat_from(world, coro, 0, between(world, 1050, 1300));
}

void build_leak(struct world *world)
{
	uint32_t starter = begin(world), first = prepare(world), count = 60 + below(world, 60), i;

	add_step(world, starter, ACT_SPAWN, first, 0);
	add_step(world, starter, ACT_SLEEP, 0, 20 * MS);
	repeat_from(world, starter, 0, count - 1);
	for (i = 0; i < count; i++)
		add_step(world, i ? prepare(world) : first, ACT_RECEIVE, add_channel(world), 0);
}

void build_herd(struct world *world)
{
	wake_many(world, 10 + below(world, 10), 1);
}

/* ---------------------------------------------------------------- faults without harm, this time */

void build_growth(struct world *world)
{
	uint32_t coro = begin(world);
	int64_t up = between(world, 20, 60);

	add_step(world, coro, ACT_COUNT, 0, up);
	add_step(world, coro, ACT_SLEEP, 0, between(world, 10 * MS, 18 * MS));
	add_step(world, coro, ACT_COUNT, 0, -between(world, 0, up / 2));
	add_step(world, coro, ACT_SLEEP, 0, between(world, MS, 2 * MS));
	repeat_from(world, coro, 0, 1000);
}

void build_pile(struct world *world)
{
	uint32_t channel = add_channel(world), sender = begin(world), receiver = begin(world);

	world->manner.tells_notifies = world->manner.tells_takings = true;
	add_step(world, sender, ACT_SEND, channel, 0);
	add_step(world, sender, ACT_SEND, channel, 0);
	add_step(world, sender, ACT_SLEEP, 0, between(world, 10 * MS, 18 * MS));
	repeat_from(world, sender, 0, 1000);
	add_step(world, receiver, ACT_SLEEP, 0, between(world, 15 * MS, 20 * MS));
	add_step(world, receiver, ACT_RECEIVE, channel, 0);
	repeat_from(world, receiver, 0, 1000);
}

void build_unclosed(struct world *world)
{
	uint32_t coro = begin(world), i;

	for (i = 0; i < 125; i++) {
		uint32_t kept = add_file(world, 0, 0), closed = add_file(world, 0, 0);

		add_step(world, coro, ACT_OPEN, kept, 0)->mistake = MISTAKE_FORGETS;
		add_step(world, coro, ACT_OPEN, closed, 0)->mistake = MISTAKE_FORGETS;
		add_step(world, coro, ACT_SLEEP, 0, between(world, 33 * MS, 38 * MS));
		add_step(world, coro, ACT_CLOSE, closed, 0);
	}
}

void build_two_orders(struct world *world)
{
	uint32_t first = add_lock(world), second = add_lock(world), one = begin(world), other;

	other = add_coro(world, world->coros.at[one].start + between(world, 10 * MS, 50 * MS));
	take_in_order(world, one, first, second);
	take_in_order(world, other, second, first);
	add_step(world, one, ACT_SLEEP, 0, between(world, 100 * MS, 400 * MS));
	take_in_order(world, one, first, second);
}

void build_orphan(struct world *world)
{
	uint32_t channel = add_channel(world), lock = add_lock(world), parent = begin(world), child;

	child = prepare(world);
	add_step(world, parent, ACT_SPAWN, child, 0);
	add_step(world, parent, ACT_SLEEP, 0, between(world, MS, 20 * MS));
	if (once_in(world, 2))
		add_step(world, child, ACT_LOCK, lock, 0);
	add_step(world, child, ACT_RECEIVE, channel, 0);
}

void build_woken_again(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);
	int64_t items = between(world, 120, 150);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	repeat_from(world, waiter, 0, items + 1);
	add_step(world, sender, ACT_SLEEP, 0, between(world, 100 * US, MS));
	add_step(world, sender, ACT_SEND, channel, 0)->mistake = MISTAKE_TWICE;
	repeat_from(world, sender, 0, items - 1);
}

/* ---------------------------------------------------------------- impossible events */

void build_suspends_twice(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), other = begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	await_waiting(world, other, waiter);
	add_step(world, other, ACT_SUSPEND_ANEW, waiter, 0);
	add_step(world, other, ACT_SLEEP, 0, between(world, 10 * US, 20 * MS));
	add_step(world, other, ACT_SEND, channel, 0);
}

void build_destroyed_twice(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), other = begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	await_waiting(world, other, waiter);
	add_step(world, other, ACT_DESTROY, waiter, 0);
	add_step(world, other, ACT_SLEEP, 0, between(world, 10 * US, 20 * MS));
	add_step(world, other, ACT_DESTROY, waiter, 0);
}

void build_crash(struct world *world)
{
	uint32_t coro = begin(world);

	add_step(world, coro, ACT_SLEEP, 0, between(world, MS, 2 * SECOND));
	compute(world, coro);
	add_step(world, coro, ACT_CRASH, 0, 0);
}
