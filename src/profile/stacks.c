/* SPDX-License-Identifier: MIT */
/*
 * Stacks share their outer parts in memory: each stack is a place and the number of the stack below it.
 */
#include "profile/stacks.h"

bool profile_stacks_init(struct profile_stacks *stacks)
{
	return vec_push(&stacks->all, ((struct profile_stack){0}));
}

void profile_stacks_fini(struct profile_stacks *stacks)
{
	vec_fini(&stacks->all);
	map_fini(&stacks->at);
}

static uint32_t find(struct profile_stacks *stacks, struct profile_stack stack)
{
	uint32_t number = (uint32_t)stacks->all.count;
	uint64_t key = (uint64_t)stack.parent << 32 | stack.place;

	if (map_get(&stacks->at, key, &number))
		return number;
	if (!vec_push(&stacks->all, stack))
		return 0;
	if (map_put(&stacks->at, key, number))
		return number;
	stacks->all.count--;
	return 0;
}

uint32_t profile_stacks_find(struct profile_stacks *stacks, uint32_t parent, uint32_t place)
{
	uint32_t depth = stacks->all.at[parent].depth;
	struct profile_stack stack = {.place = place, .depth = 1};

	if (depth < PROFILE_DEPTH) {
		stack.parent = parent;
		stack.depth = depth + 1;
	}
	return find(stacks, stack);
}

uint32_t profile_stacks_call(struct profile_stacks *stacks, uint32_t parent, uint32_t place)
{
	return find(stacks,
		(struct profile_stack){
			.parent = parent, .place = place, .depth = stacks->all.at[parent].depth});
}
