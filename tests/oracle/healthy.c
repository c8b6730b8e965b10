/* SPDX-License-Identifier: MIT */
/*
 * Parts of a program without a fault.
 */
#include "groups.h"

void build_pipeline(struct world *world)
{
	uint32_t channel = add_channel(world), producer = begin(world), consumer = begin(world),
		 start;
	int64_t items = between(world, 2, 20);

	start = next_step(world, producer);
	compute(world, producer);
	if (once_in(world, 2))
		add_step(world, producer, ACT_SLEEP, 0, between(world, 10 * US, 10 * MS));
	add_step(world, producer, ACT_SEND, channel, 0)->mistake =
		once_in(world, 3) ? MISTAKE_OWN_SLOT : MISTAKE_NONE;
	repeat_from(world, producer, start, items - 1);
	start = next_step(world, consumer);
	add_step(world, consumer, ACT_RECEIVE, channel, 0);
	compute(world, consumer);
	if (once_in(world, 3))
		add_step(world, consumer, ACT_YIELD, 0, 0);
	repeat_from(world, consumer, start, items - 1);
}

void build_locking(struct world *world)
{
	uint32_t first = add_lock(world), second = add_lock(world), count = 2 + below(world, 4), i,
		 start;

	for (i = 0; i < count; i++) {
		uint32_t coro = begin(world);
		bool takes_both = once_in(world, 2);

		start = next_step(world, coro);
		add_step(world, coro, ACT_LOCK, first, 0);
		if (takes_both)
			add_step(world, coro, ACT_LOCK, second, 0);
		compute(world, coro);
		add_step(world, coro, ACT_SLEEP, 0, between(world, 10 * US, 5 * MS));
		if (takes_both)
			add_step(world, coro, ACT_UNLOCK, second, 0);
		add_step(world, coro, ACT_UNLOCK, first, 0);
		repeat_from(world, coro, start, between(world, 1, 10));
	}
}

void build_family(struct world *world)
{
	uint32_t parent = begin(world), count = 1 + below(world, 5), first = 0, i;

	for (i = 0; i < count; i++) {
		uint32_t child = prepare(world);

		first = i ? first : child;
		world->coros.at[child].stays = true;
		compute(world, child);
		if (once_in(world, 2))
			add_step(world, child, ACT_SLEEP, 0, between(world, 10 * US, 20 * MS));
		add_step(world, parent, ACT_SPAWN, child, 0);
	}
	for (i = 0; i < count; i++) {
		add_step(world, parent, ACT_JOIN, first + i, 0);
		add_step(world, parent, ACT_DESTROY, first + i, 0);
	}
}

void build_server(struct world *world)
{
	uint32_t count = 1 + below(world, 4), i, start;

	for (i = 0; i < count; i++) {
		uint32_t reader = begin(world), file;

		file = add_file(world, between(world, MS, 50 * MS), below(world, 20));
		add_step(world, reader, ACT_OPEN, file, 0);
		start = next_step(world, reader);
		add_step(world, reader, ACT_READ, file, 0);
		compute(world, reader);
		repeat_from(world, reader, start, between(world, 1, 30));
		add_step(world, reader, ACT_CLOSE, file, 0);
	}
}

void build_generator(struct world *world)
{
	uint32_t caller = begin(world), generator = prepare(world), start;
	int64_t values = between(world, 1, 8);

	world->coros.at[generator].is_generator = true;
	add_step(world, caller, ACT_SPAWN, generator, 0);
	start = next_step(world, caller);
	compute(world, caller);
	add_step(world, caller, ACT_RUN, generator, 0);
	repeat_from(world, caller, start, values - 1);
	if (once_in(world, 2))
		add_step(world, caller, ACT_DESTROY, generator, 0);
	add_step(world, generator, ACT_GIVE_WAY, 0, 0);
	repeat_from(world, generator, 0, 100);
}

void build_timers(struct world *world)
{
	uint32_t count = 1 + below(world, 4), i, start;

	for (i = 0; i < count; i++) {
		uint32_t coro = begin(world);

		start = next_step(world, coro);
		add_step(world, coro, ACT_SLEEP, 0, between(world, 100 * US, 200 * MS));
		compute(world, coro);
		repeat_from(world, coro, start, between(world, 1, 10));
		if (once_in(world, 4))
			add_step(
				world, coro, ACT_SLEEP, 0, between(world, 5 * SECOND, 60 * SECOND));
	}
}

/* The thread ends when it has sent everything. */
void build_fed_by_thread(struct world *world)
{
	uint32_t channel = add_channel(world), coro = begin(world),
		 thread = add_stranger(world, false);
	int64_t items = between(world, 1, 20);

	add_step(world, thread, ACT_SLEEP, 0, between(world, MS, 60 * MS));
	add_step(world, thread, ACT_SEND, channel, 0);
	repeat_from(world, thread, 0, items - 1);
	add_step(world, coro, ACT_RECEIVE, channel, 0);
	compute(world, coro);
	repeat_from(world, coro, 0, items - 1);
}

uint32_t pass_permit(struct world *world, uint32_t count, uint32_t *ret_first)
{
	uint32_t channel = add_channel(world), first = begin(world), i;

	for (i = 0; i < count; i++) {
		uint32_t coro = add_coro(world, world->coros.at[first].start);

		add_step(world, coro, ACT_RECEIVE, channel, 0);
		add_step(world, coro, ACT_SLEEP, 0, between(world, 50 * US, 500 * US));
		add_step(world, coro, ACT_SEND, channel, 0);
		if (!once_in(world, 4))
			add_step(world, coro, ACT_SLEEP, 0, between(world, 50 * US, 200 * US));
		repeat_from(world, coro, 0, between(world, 20, 60));
	}
	add_step(world, first, ACT_SEND, channel, 0);
	*ret_first = first;
	return channel;
}

void build_permits(struct world *world)
{
	uint32_t first;

	pass_permit(world, 2 + below(world, 3), &first);
}
