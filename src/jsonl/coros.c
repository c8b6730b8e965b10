/* SPDX-License-Identifier: MIT */
/*
 * The live coroutines, by process and id.
 */
#include "jsonl/coros.h"

#define NUMBERED_BY_LOCK 2u /* details.def */
#define BLOCK_ROWS 8u       /* slots of a station of version 1 */

uint64_t jsonl_coro_number(struct jsonl_coro *coro, enum ct_row_numbers numbers)
{
	uint64_t number = coro->nr_events++;

	coro->nr_rows++;
	if (numbers == CT_ROW_NUMBERS_AS_PROBE)
		numbers = coro->numbering == NUMBERED_BY_LOCK ? CT_ROW_NUMBERS_LOCK
							      : CT_ROW_NUMBERS_COUNT;
	switch (numbers) {
	case CT_ROW_NUMBERS_LOCK:
		return 2 * (number / BLOCK_ROWS + 1);
	case CT_ROW_NUMBERS_OWN:
		return coro->nr_rows;
	default:
		return number + 1;
	}
}

void jsonl_coro_note(struct jsonl_coro *coro, unsigned detail, uint64_t number)
{
	if (detail == CTP_DETAIL_ADDRESS)
		coro->frame = number;
	else if (detail == CTP_DETAIL_NUMBERING)
		coro->numbering = (uint8_t)number;
	else if (detail == CTP_DETAIL_MISSING && coro->nr_events < number)
		coro->nr_events = number;
}

static struct map *map_of(struct jsonl_coros *coros, uint32_t process)
{
	return vec_reach(&coros->of_process, process) ? &coros->of_process.at[process] : NULL;
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
	struct map *map = map_of(coros, process);
	uint32_t index;

	if (!map)
		return NULL;
	if (map_get(map, id, &index))
		return &coros->coros.at[index];
	if (!new_coro(coros, &index) || !map_put(map, id, index))
		return NULL;
	return &coros->coros.at[index];
}

bool jsonl_coros_forget(struct jsonl_coros *coros, uint32_t process, uint64_t id)
{
	struct map *map = map_of(coros, process);
	uint32_t index;

	if (!map)
		return false;
	if (!map_get(map, id, &index))
		return true;
	map_remove(map, id);
	return vec_push(&coros->unused, index);
}

void jsonl_coros_fini(struct jsonl_coros *coros)
{
	size_t i;

	for (i = 0; i < coros->of_process.count; i++)
		map_fini(&coros->of_process.at[i]);
	vec_fini(&coros->of_process);
	vec_fini(&coros->coros);
	vec_fini(&coros->unused);
}
