/* SPDX-License-Identifier: MIT */
/*
 * Chooses the parts of a simulated program.
 */
#include "groups.h"

#include <stdlib.h>

#include "corotracer/report.h"

struct kind {
	void (*build)(struct world *world);
	const char *name;
	enum ct_rule rule;
	uint32_t weight;
};

static const struct kind kinds[] = {
#define X(name, rule, weight, text) {build_##name, #name, CT_RULE_##rule, weight},
#include "groups.def"
#undef X
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

uint32_t begin(struct world *world)
{
	return add_coro(world, between(world, 2 * MS, 300 * MS));
}

uint32_t prepare(struct world *world)
{
	return add_coro(world, NEVER);
}

void compute(struct world *world, uint32_t coro)
{
	add_step(world, coro, ACT_COMPUTE, 0, between(world, US, 300 * US));
}

void await_waiting(struct world *world, uint32_t coro, uint32_t other)
{
	add_step(world, coro, ACT_SLEEP, 0, between(world, MS, 4 * MS));
	add_step(world, coro, ACT_STAND_BY, other, 0);
}

uint32_t next_step(const struct world *world, uint32_t coro)
{
	return (uint32_t)world->coros.at[coro].steps.count;
}

void wake_many(struct world *world, uint32_t count, int64_t items)
{
	uint32_t channel = add_channel(world), sender = begin(world), i;
	int64_t rounds = between(world, 15, 30);

	add_step(world, sender, ACT_SLEEP, 0, between(world, 2 * MS, 10 * MS));
	add_step(world, sender, ACT_SEND_MANY, channel, items);
	repeat_from(world, sender, 0, rounds - 1);
	for (i = 0; i < count; i++) {
		uint32_t waiter = add_coro(world, world->coros.at[sender].start);

		add_step(world, waiter, ACT_RECEIVE, channel, 0);
		repeat_from(world, waiter, 0, rounds);
	}
}

void serve(struct world *world, uint32_t count, uint32_t every)
{
	uint32_t server = begin(world), i;

	for (i = 0; i < count; i++) {
		uint32_t file = add_file(world, MS, 1);

		add_step(world, server, ACT_OPEN, file, 0);
		add_step(world, server, ACT_SLEEP, 0, between(world, 2 * MS, 5 * MS));
		if (i % every == 0)
			add_step(world, server, ACT_READ, file, 0);
		add_step(world, server, ACT_CLOSE, file, 0);
	}
}

void repeat_from(struct world *world, uint32_t coro, uint32_t step, int64_t times)
{
	add_step(world, coro, ACT_AGAIN, next_step(world, coro) - step, times);
}

/* Chooses one of the faults, or one of the others. */
static const struct kind *choose(struct world *world, bool is_fault)
{
	uint32_t total = 0, chosen;
	size_t i;

	for (i = 0; i < NR_KINDS; i++)
		if ((kinds[i].rule != CT_RULE_NONE) == is_fault)
			total += kinds[i].weight;
	chosen = below(world, total);
	for (i = 0; i < NR_KINDS; i++) {
		if ((kinds[i].rule != CT_RULE_NONE) != is_fault)
			continue;
		if (chosen < kinds[i].weight)
			return &kinds[i];
		chosen -= kinds[i].weight;
	}
	return NULL;
}

static void add_group(struct world *world, const struct kind *kind)
{
	struct group group = {
		.name = kind->name,
		.rule = kind->rule,
		.first = (uint32_t)world->coros.count,
	};

	if (!vec_push(&world->groups, group))
		abort();
	kind->build(world);
}

void make_program(struct world *world, uint32_t most_parts)
{
	uint32_t nr_healthy = below(world, 7), nr_faults = below(world, 4), i;

	for (i = 0; i < nr_healthy + nr_faults && i < most_parts; i++)
		add_group(world, choose(world, i < nr_faults));
}
