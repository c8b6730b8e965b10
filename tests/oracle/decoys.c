/* SPDX-License-Identifier: MIT */
/*
 * Parts of a program that look like a fault, but are none: sooner or later they go on.
 */
#include "groups.h"

static void take_two(struct world *world, uint32_t coro, uint32_t first, uint32_t second,
	enum act act, int64_t patience)
{
	add_step(world, coro, ACT_LOCK, first, 0);
	add_step(world, coro, ACT_SLEEP, 0, between(world, 100 * US, 3 * MS));
	add_step(world, coro, act, second, patience);
	compute(world, coro);
	add_step(world, coro, ACT_UNLOCK, second, 0);
	add_step(world, coro, ACT_UNLOCK, first, 0);
}

static void take_in_two_orders(struct world *world, enum act act, int64_t patience)
{
	uint32_t first = add_lock(world), second = add_lock(world), one = begin(world), other;

	other = add_coro(world, world->coros.at[one].start + between(world, 0, MS));
	take_two(world, one, first, second, act, patience);
	take_two(world, other, second, first, ACT_LOCK, 0);
}

void build_timed_locks(struct world *world)
{
	bool is_soon = once_in(world, 2);

	take_in_two_orders(world, ACT_LOCK,
		is_soon ? between(world, MS, 500 * MS) : between(world, 5 * SECOND, 60 * SECOND));
}

void build_try_locks(struct world *world)
{
	take_in_two_orders(world, ACT_TRY_LOCK, 0);
}

void build_timed_cycle(struct world *world)
{
	uint32_t one = begin(world), other = add_coro(world, world->coros.at[one].start);

	add_step(world, one, ACT_SLEEP, 0, MS);
	add_step(world, other, ACT_SLEEP, 0, between(world, 100 * US, 5 * MS));
	add_step(world, one, ACT_JOIN, other, between(world, 10 * MS, 20 * SECOND));
	add_step(world, other, ACT_JOIN, one, 0);
}

void build_duplicate(struct world *world)
{
	uint32_t file = add_file(world, 0, 0), copy = add_file(world, 0, 0);
	uint32_t reader = begin(world), closer = begin(world);

	add_step(world, reader, ACT_OPEN, file, 0);
	add_step(world, reader, ACT_DUPLICATE, copy, file);
	add_step(world, reader, ACT_READ, file, 0);
	await_waiting(world, closer, reader);
	add_step(world, closer, ACT_CLOSE, file, 0);
}

void build_late_resume(struct world *world)
{
	uint32_t file = add_file(world, 0, 0), reader = begin(world), closer;
	bool is_thread = once_in(world, 3);

	closer = is_thread ? add_stranger(world, once_in(world, 2)) : begin(world);
	add_step(world, reader, ACT_OPEN, file, 0);
	add_step(world, reader, ACT_READ, file, 0);
	await_waiting(world, closer, reader);
	add_step(world, closer, ACT_CLOSE, file, 0)->mistake = MISTAKE_FORGETS;
	if (once_in(world, 2))
		compute(world, closer);
	else
		add_step(world, closer, ACT_SLEEP, 0, between(world, MS, 5 * SECOND));
	add_step(world, closer, ACT_WAKE, reader, 0);
}

void build_cancelled(struct world *world)
{
	uint32_t lock = add_lock(world), owner = begin(world), waiter = begin(world),
		 third = begin(world);
	uint32_t canceller = begin(world);

	add_step(world, owner, ACT_LOCK, lock, 0);
	await_waiting(world, owner, waiter);
	add_step(world, owner, ACT_SLEEP, 0, 20 * MS);
	add_step(world, owner, ACT_UNLOCK, lock, 0);
	await_waiting(world, waiter, owner);
	add_step(world, waiter, ACT_LOCK, lock, 0);
	add_step(world, waiter, ACT_UNLOCK, lock, 0);
	add_step(world, third, ACT_LOCK, lock, 0);
	add_step(world, third, ACT_UNLOCK, lock, 0);
	add_step(world, canceller, ACT_SLEEP, 0, between(world, MS, 30 * MS));
	add_step(world, canceller, ACT_CANCEL, waiter, 0);
}

void build_daemon(struct world *world)
{
	uint32_t coro = begin(world), channel = add_channel(world);

	add_step(world, coro, ACT_MARK, 0,
		once_in(world, 2) ? CTP_MARK_DAEMON : CTP_MARK_EXPECT_IDLE);
	add_step(world, coro, ACT_RECEIVE, channel, 0);
}

void build_token(struct world *world)
{
	uint32_t channel = add_channel(world), thread = add_stranger(world, false), target;

	target = add_coro(world, between(world, 25 * MS, 45 * MS));
	add_step(world, target, ACT_RECEIVE, channel, 0);
	add_step(world, thread, ACT_AIM, target, 0);
	add_step(world, thread, ACT_SEND, channel, 0);
}

void build_dropped_and_repeated(struct world *world)
{
	bool is_coro = world->nr_workers > 1 && once_in(world, 2);
	uint32_t channel = add_channel(world), waker, target;

	waker = is_coro ? add_coro(world, between(world, 2 * MS, 20 * MS))
			: add_stranger(world, false);
	target = add_coro(world, between(world, 25 * MS, 45 * MS));
	add_step(world, target, ACT_RECEIVE, channel, 0);
	add_step(world, waker, ACT_AIM, target, 0);
	add_step(world, waker, ACT_SEND, channel, 0)->mistake = MISTAKE_GIVES_UP;
	add_step(world, waker, ACT_SLEEP, 0, between(world, MS, 6 * SECOND));
	add_step(world, waker, ACT_WAKE, target, 0);
}

/* The owner destroys its waiter at once, or after a time. */
void build_destructor(struct world *world)
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
	if (once_in(world, 2))
		add_step(world, destroyer, ACT_SLEEP, 0, between(world, MS, 6 * SECOND));
	add_step(world, destroyer, ACT_GIVE_BACK, lock, 0);
}

void build_gate(struct world *world)
{
	uint32_t gate = add_lock(world), first = add_lock(world), second = add_lock(world), i;

	for (i = 0; i < 2; i++) {
		uint32_t coro = begin(world);

		add_step(world, coro, ACT_LOCK, gate, 0);
		take_two(world, coro, i ? first : second, i ? second : first, ACT_LOCK, 0);
		add_step(world, coro, ACT_UNLOCK, gate, 0);
		add_step(world, coro, ACT_SLEEP, 0, 400 * MS);
	}
}

void build_phases(struct world *world)
{
	uint32_t first = add_lock(world), second = add_lock(world), one = begin(world),
		 other = prepare(world);

	take_two(world, one, first, second, ACT_LOCK, 0);
	add_step(world, one, ACT_SPAWN, other, 0);
	take_two(world, other, second, first, ACT_LOCK, 0);
}

void build_left_alone(struct world *world)
{
	uint32_t parent = begin(world), count = 2 + below(world, 6), i;

	for (i = 0; i < count; i++) {
		uint32_t child = prepare(world), file = add_file(world, 400 * MS, i % 2);

		world->coros.at[child].lives_on = true;
		add_step(world, parent, ACT_SPAWN, child, 0);
		add_step(world, child, ACT_OPEN, file, 0);
		add_step(world, child, ACT_READ, file, 0);
		add_step(world, child, ACT_CLOSE, file, 0);
	}
}

void build_coalesced(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);
	int64_t items = between(world, 110, 150);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	repeat_from(world, waiter, 0, items - 1);
	add_step(world, sender, ACT_SEND, channel, 0);
	add_step(world, sender, ACT_WAKE, waiter, 0);
	add_step(world, sender, ACT_SLEEP, 0, between(world, 100 * US, MS));
	repeat_from(world, sender, 0, items - 1);
}

void build_woken_each_time(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);
	int64_t items = between(world, 3, 20);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	repeat_from(world, waiter, 0, items - 1);
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_SEND, channel, 0);
	repeat_from(world, sender, 0, items - 1);
}

void build_old_handle(struct world *world)
{
	uint32_t channel = add_channel(world), waiter = begin(world), sender = begin(world);
	bool is_thread = once_in(world, 2);
	uint32_t waker = is_thread ? add_stranger(world, false) : begin(world);

	add_step(world, waiter, ACT_RECEIVE, channel, 0);
	repeat_from(world, waiter, 0, 1);
	await_waiting(world, waker, waiter);
	add_step(world, waker, ACT_WAKE, waiter, 0)->mistake = MISTAKE_MISSES;
	await_waiting(world, sender, waiter);
	add_step(world, sender, ACT_SLEEP, 0, between(world, MS, 6 * SECOND));
	add_step(world, sender, ACT_SEND, channel, 0);
	repeat_from(world, sender, 0, 1);
}

void build_reads_and_closes(struct world *world)
{
	serve(world, 12 + below(world, 10), 1);
}

void build_told_late(struct world *world)
{
	uint32_t lock = add_lock(world), count = 2 + below(world, 3), first = begin(world), i;

	for (i = 0; i < count; i++) {
		uint32_t coro = i ? add_coro(world, world->coros.at[first].start) : first;

		add_step(world, coro, ACT_LOCK, lock, 0);
		compute(world, coro);
		if (once_in(world, 2))
			add_step(world, coro, ACT_SLEEP, 0, between(world, US, MS));
		add_step(world, coro, ACT_UNLOCK, lock, 0)->mistake = MISTAKE_LATE;
		repeat_from(world, coro, 0, between(world, 1, 20));
	}
}

void build_broadcast(struct world *world)
{
	uint32_t count = 10 + below(world, 10);

	wake_many(world, count, count);
}

void build_saw_tooth(struct world *world)
{
	uint32_t coro = begin(world), i;

	for (i = 0; i < 10; i++) {
		add_step(world, coro, ACT_COUNT, 0, i == 9 ? -90 : 10);
		add_step(world, coro, ACT_SLEEP, 0, between(world, 10 * MS, 20 * MS));
	}
	repeat_from(world, coro, 0, between(world, 6, 9));
}

void build_backlog(struct world *world)
{
	uint32_t channel = add_channel(world), sender = begin(world), receiver = begin(world), i;
	uint32_t count = 20 + below(world, 30);

	for (i = 0; i < count; i++)
		add_step(world, sender, ACT_SEND, channel, 0);
	add_step(world, sender, ACT_SLEEP, 0, between(world, 200 * MS, 300 * MS));
	repeat_from(world, sender, 0, 1000);
	add_step(world, receiver, ACT_RECEIVE, channel, 0);
	add_step(world, receiver, ACT_SLEEP, 0, between(world, MS, 3 * MS));
	repeat_from(world, receiver, 0, 100000);
}

void build_yields(struct world *world)
{
	uint32_t coro = begin(world);

	add_step(world, coro, ACT_COMPUTE, 0, between(world, 50 * US, 800 * US));
	add_step(world, coro, ACT_YIELD, 0, 0);
	repeat_from(world, coro, 0, between(world, 900, 1200));
}

void build_looks_with_work(struct world *world)
{
	uint32_t coro = begin(world), channel = add_channel(world), lock = add_lock(world);

	add_step(world, coro, ACT_LOOK, channel, 0);
	add_step(world, coro, ACT_COMPUTE, 0, between(world, 50 * US, 500 * US));
	add_step(world, coro, ACT_LOCK, lock, 0);
	add_step(world, coro, ACT_UNLOCK, lock, 0);
	repeat_from(world, coro, 0, between(world, 1000, 1200));
}

void build_pool(struct world *world)
{
	uint32_t channel = add_channel(world), file = add_file(world, 0, 0), filler = begin(world);
	uint32_t feeder = begin(world), count = 20 + below(world, 30), i, start;

	add_step(world, feeder, ACT_OPEN, file, 0);
	start = next_step(world, feeder);
	add_step(world, feeder, ACT_READ, file, 0);
	for (i = 0; i < 4; i++)
		add_step(world, feeder, ACT_SEND, channel, 0);
	repeat_from(world, feeder, start, 1000);
	for (i = 0; i < count; i++) {
		uint32_t member = prepare(world);

		add_step(world, filler, ACT_SPAWN, member, 0);
		add_step(world, filler, ACT_SLEEP, 0, between(world, 10 * MS, 20 * MS));
		add_step(world, member, ACT_RECEIVE, channel, 0);
	}
	for (i = 1; i <= count; i++)
		add_step(world, filler, ACT_JOIN, feeder + i, 0);
}

void build_connections(struct world *world)
{
	uint32_t acceptor = begin(world), listener = add_file(world, 0, 0),
		 count = 40 + below(world, 50), i;

	add_step(world, acceptor, ACT_OPEN, listener, 0);
	for (i = 0; i < count; i++) {
		uint32_t connection = prepare(world), file = add_file(world, 0, 0);

		add_step(world, acceptor, ACT_SPAWN, connection, 0);
		add_step(world, acceptor, ACT_SLEEP, 0, 20 * MS);
		add_step(world, connection, ACT_OPEN, file, 0);
		add_step(world, connection, ACT_READ, file, 0);
		add_step(world, connection, ACT_CLOSE, file, 0);
	}
	add_step(world, acceptor, ACT_READ, listener, 0);
}

/* Some of what it sends comes long after the observation. */
void build_untraced_thread(struct world *world)
{
	uint32_t channel = add_channel(world), coro = begin(world),
		 thread = add_stranger(world, true);

	add_step(world, thread, ACT_SLEEP, 0, between(world, MS, 4 * SECOND));
	add_step(world, thread, ACT_SEND, channel, 0);
	repeat_from(world, thread, 0, 3);
	add_step(world, coro, ACT_RECEIVE, channel, 0);
	repeat_from(world, coro, 0, 3);
}

void build_permit_replaced(struct world *world)
{
	uint32_t first, loser, channel = end_with_permit(world, &first, &loser);

	add_step(world, first, ACT_JOIN, loser, 0);
	add_step(world, first, ACT_SLEEP, 0, between(world, 100 * US, 10 * SECOND));
	add_step(world, first, ACT_SEND, channel, 0);
}

static void fed_afterwards(struct world *world)
{
	uint32_t channel = add_channel(world), coro = begin(world);

	if (!vec_push(&world->afterwards, channel))
		return;
	compute(world, coro);
	add_step(world, coro, ACT_RECEIVE, channel, 0);
}

void build_unseen_threads(struct world *world)
{
	world->manner.hides_threads = true;
	fed_afterwards(world);
}

/* Handlers run on any thread, so no coroutine stays in the queue forever. */
void build_signal_handler(struct world *world)
{
	world->manner.has_handler = true;
	fed_afterwards(world);
}

void build_long_work(struct world *world)
{
	uint32_t coro = begin(world);

	add_step(world, coro, ACT_MARK, 0, CTP_MARK_EXPECT_IDLE);
	add_step(world, coro, ACT_COMPUTE, 0, between(world, 2 * SECOND, 10 * SECOND));
}

void build_long_call(struct world *world)
{
	uint32_t coro = begin(world);

	add_step(world, coro, ACT_CALL, 0,
		once_in(world, 2) ? NEVER : between(world, 20 * MS, 10 * SECOND));
}
