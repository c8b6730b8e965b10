/* SPDX-License-Identifier: MIT */
/*
 * The parts of a simulated program (groups.def), and the programs that consist of them.
 */
#ifndef ORACLE_GROUPS_H
#define ORACLE_GROUPS_H

#include "world.h"

/* make_program: some healthy parts, and none, one or several faults and decoys among them, by chance. */
void make_program(struct world *world, uint32_t most_parts);

/* ---------------------------------------------------------------- words that scripts are written in */

/* A coroutine that is started within the first part of the run. */
uint32_t begin(struct world *world);
/* One that another one starts. */
uint32_t prepare(struct world *world);
void compute(struct world *world, uint32_t coro);
/* Waits until the other one waits. */
void await_waiting(struct world *world, uint32_t coro, uint32_t other);
/* What follows is done again, `times` times, from `step` on. */
void repeat_from(struct world *world, uint32_t coro, uint32_t step, int64_t times);
/* `count` of them at one channel, where somebody sends so many items at once, again and again. */
void wake_many(struct world *world, uint32_t count, int64_t items);
/* A permit, which so many take and give back in turn, again and again: the channel in which one puts it at first. */
uint32_t pass_permit(struct world *world, uint32_t count, uint32_t *ret_first);
/* The same; when they have done so for a while, that one starts another one, which takes the permit and ends. */
uint32_t end_with_permit(struct world *world, uint32_t *ret_first, uint32_t *ret_loser);
/* Opens so many connections, one after the other, in each of which something comes; reads from one in `every`. */
void serve(struct world *world, uint32_t count, uint32_t every);
uint32_t next_step(const struct world *world, uint32_t coro);

#define X(name, rule, weight, text) void build_##name(struct world *world);
#include "groups.def"
#undef X

#endif
