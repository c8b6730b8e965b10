/* SPDX-License-Identifier: MIT */
/*
 * Makes a simulated program: its threads, its manner, and the parts that groups consist of.
 */
#include "world.h"

#include <stdlib.h>

uint32_t below(struct world *world, uint32_t limit)
{
	world->chance =
		world->chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(world->chance >> 33) % limit;
}

bool once_in(struct world *world, uint32_t times)
{
	return below(world, times) == 0;
}

int64_t between(struct world *world, int64_t least, int64_t most)
{
	int64_t range = most - least + 1;

	if (range <= INT32_MAX)
		return least + below(world, (uint32_t)range);
	return least + (int64_t)below(world, 1u << 30) * (range >> 30);
}

/* A test has enough memory. */
#define PUSH(vec, value)                   \
	do {                               \
		if (!vec_push(vec, value)) \
			abort();           \
	} while (0)

static uint32_t add_thread(struct world *world, enum role role, ct_time at)
{
	struct thread thread = {.role = role, .at = at};

	PUSH(&world->threads, thread);
	return (uint32_t)world->threads.count - 1;
}

static void choose_manner(struct world *world)
{
	world->manner = (struct manner){
		.tells_queues = !once_in(world, 3),
		.tells_awaits = once_in(world, 2),
		.tells_notifies = once_in(world, 2),
		.tells_takings = once_in(world, 3),
		.tells_deadlines = !once_in(world, 8),
		.names_frames = once_in(world, 3),
		.hands_over = once_in(world, 2),
		.cancels = once_in(world, 2),
		.returns = once_in(world, 2),
		.has_accounts = !once_in(world, 5),
		.is_looked_at = !once_in(world, 4),
		.is_crowded = once_in(world, 8),
		.exits = once_in(world, 2),
		.is_skewed = once_in(world, 4),
		.is_hasty = once_in(world, 2),
		.is_fenced = once_in(world, 2),
		.loses = once_in(world, 3),
		.is_attached_late = once_in(world, 12),
	};
}

/* Index 0 means none, in everything to which coroutines, threads and sites refer. */
static void begin_tables(struct world *world)
{
	PUSH(&world->coros, (struct coro){.life = LIFE_UNBORN});
	PUSH(&world->locks, (struct lock){0});
	PUSH(&world->channels, (struct channel){0});
	PUSH(&world->files, (struct file){.arrival = NEVER});
	add_thread(world, ROLE_STRANGER, NEVER);
}

void world_init(struct world *world, uint64_t seed)
{
	uint32_t i;

	*world = (struct world){
		.seed = seed,
		.chance = seed * UINT64_C(0x9e3779b97f4a7c15) + 1,
		.now = MS,
		.ended = NEVER,
		.next_id = 1,
		.next_address = 0x10010,
		.next_look = NEVER,
		.next_account = 100 * MS,
	};
	below(world, 2);
	choose_manner(world);
	begin_tables(world);
	world->end = between(world, 2 * SECOND, 4 * SECOND);
	if (once_in(world, 3))
		world->next_look = between(world, MS, world->end);
	world->nr_workers = 1 + below(world, 4);
	for (i = 0; i < world->nr_workers; i++)
		add_thread(world, ROLE_WORKER, MS);
	world->poller = add_thread(world, ROLE_POLLER, MS);
	world->starter = add_thread(world, ROLE_STARTER, MS);
}

void world_fini(struct world *world)
{
	size_t i;

	for (i = 0; i < world->coros.count; i++)
		vec_fini(&world->coros.at[i].steps);
	vec_fini(&world->coros);
	vec_fini(&world->threads);
	vec_fini(&world->locks);
	vec_fini(&world->channels);
	vec_fini(&world->files);
	vec_fini(&world->queue);
	vec_fini(&world->groups);
	vec_fini(&world->nestings);
	vec_fini(&world->afterwards);
	vec_fini(&world->free_addresses);
	vec_fini(&world->events);
}

uint32_t add_coro(struct world *world, ct_time start)
{
	struct coro coro = {
		.group = (uint32_t)world->groups.count - 1,
		.life = LIFE_UNBORN,
		.start = start,
		.deadline = NEVER,
	};

	PUSH(&world->coros, coro);
	world->groups.at[coro.group].count++;
	return (uint32_t)world->coros.count - 1;
}

uint32_t add_lock(struct world *world)
{
	PUSH(&world->locks, (struct lock){0});
	return (uint32_t)world->locks.count - 1;
}

uint32_t add_channel(struct world *world)
{
	PUSH(&world->channels, (struct channel){0});
	return (uint32_t)world->channels.count - 1;
}

uint32_t add_file(struct world *world, int64_t every, uint32_t nr_arrivals)
{
	struct file file = {.arrival = NEVER, .every = every, .nr_arrivals = nr_arrivals};

	PUSH(&world->files, file);
	return (uint32_t)world->files.count - 1;
}

uint32_t add_stranger(struct world *world, bool is_untold)
{
	uint32_t script = add_coro(world, NEVER);
	uint32_t thread = add_thread(world, ROLE_STRANGER, between(world, MS, 20 * MS));

	world->threads.at[thread].is_untold = is_untold;
	world->threads.at[thread].script = script;
	return script;
}

struct step *add_step(
	struct world *world, uint32_t coro, enum act act, uint32_t what, int64_t value)
{
	struct step step = {.act = act, .what = what, .value = value};

	PUSH(&world->coros.at[coro].steps, step);
	return &world->coros.at[coro].steps.at[world->coros.at[coro].steps.count - 1];
}
