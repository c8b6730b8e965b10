/* SPDX-License-Identifier: MIT */
/*
 * Coroutines by process and id, as long as they live.
 */
#include "jsonl_coros.h"

#define PROCESS_SHIFT 56

static uint64_t key_of(uint32_t process, uint64_t id)
{
	return (uint64_t)process << PROCESS_SHIFT ^ id;
}

static bool new_coro(struct jsonl_coros *coros, uint32_t *ret_index)
{
	struct jsonl_coro coro = {0};

	if (coros->unused.count) {
		*ret_index = coros->unused.at[--coros->unused.count];
		coros->coros.at[*ret_index] = coro;
		return true;
	}
	*ret_index = (uint32_t)coros->coros.count;
	return vec_push(&coros->coros, coro);
}

struct jsonl_coro *jsonl_coros_find(struct jsonl_coros *coros, uint32_t process, uint64_t id)
{
	uint64_t key = key_of(process, id);
	uint32_t index;

	if (map_get(&coros->index_of, key, &index))
		return &coros->coros.at[index];
	if (!new_coro(coros, &index) || !map_put(&coros->index_of, key, index))
		return NULL;
	return &coros->coros.at[index];
}

bool jsonl_coros_forget(struct jsonl_coros *coros, uint32_t process, uint64_t id)
{
	uint64_t key = key_of(process, id);
	uint32_t index;

	if (!map_get(&coros->index_of, key, &index))
		return true;
	map_remove(&coros->index_of, key);
	return vec_push(&coros->unused, index);
}

void jsonl_coros_fini(struct jsonl_coros *coros)
{
	map_fini(&coros->index_of);
	vec_fini(&coros->coros);
	vec_fini(&coros->unused);
}
