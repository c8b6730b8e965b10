/* SPDX-License-Identifier: MIT */
/*
 * The parts of a simulated program (groups.def), and the programs that consist of them.
 */
#ifndef ORACLE_GROUPS_H
#define ORACLE_GROUPS_H

#include "world.h"

/* make_program: makes a program at random: some healthy parts, and none, one or several faults and decoys. */
void make_program(struct world *world, uint32_t most_parts);

/* ---------------------------------------------------------------- the words of scripts */

/* Makes a coroutine that is started within the first part of the run. */
uint32_t begin(struct world *world);
/* Makes a coroutine that another coroutine starts. */
uint32_t prepare(struct world *world);
void compute(struct world *world, uint32_t coro);
/* Waits until the other coroutine waits. */
void await_waiting(struct world *world, uint32_t coro, uint32_t other);
/* Repeats the steps from `step` on, `times` times. */
void repeat_from(struct world *world, uint32_t coro, uint32_t step, int64_t times);
/*
 * Makes `count` coroutines that receive from one channel, into which `items` items are sent at once, again and again.
 */
void wake_many(struct world *world, uint32_t count, int64_t items);
/*
 * A permit that `count` coroutines take and give back in turn, again and again. Returns the channel that holds the
 * permit; *ret_first: the coroutine that puts it there first.
 */
uint32_t pass_permit(struct world *world, uint32_t count, uint32_t *ret_first);
/* The same; after a while, that coroutine starts another coroutine, which takes the permit and ends. */
uint32_t end_with_permit(struct world *world, uint32_t *ret_first, uint32_t *ret_loser);
/* Opens `count` connections, one after the other; data comes in each; reads from one in `every`. */
void serve(struct world *world, uint32_t count, uint32_t every);
uint32_t next_step(const struct world *world, uint32_t coro);

#define X(name, rule, weight, text) void build_##name(struct world *world);
#include "groups.def"
#undef X

#endif
