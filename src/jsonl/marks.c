/* SPDX-License-Identifier: MIT */
/*
 * The latest rows of all coroutines, by their marks.
 */
#include "jsonl/marks.h"

void jsonl_marks_fini(struct jsonl_marks *marks)
{
	map_fini(&marks->at);
	vec_fini(&marks->ended);
	marks->is_built = false;
}

static bool add(struct jsonl_marks *marks, uint64_t mark)
{
	return !mark || map_put(&marks->at, mark, 1);
}

bool jsonl_marks_build(struct jsonl_marks *marks, const struct jsonl_seen *coros, size_t nr_coros)
{
	size_t i, slot;

	if (marks->is_built)
		return true;
	for (i = 0; i < marks->ended.count; i++)
		if (!add(marks, marks->ended.at[i]))
			return false;
	for (i = 0; i < nr_coros; i++)
		for (slot = 0; slot < JSONL_BLOCK_ROWS; slot++)
			if (!add(marks, coros[i].recent[slot]))
				return false;
	marks->is_built = true;
	return true;
}

bool jsonl_marks_end(struct jsonl_marks *marks, const struct jsonl_seen *coro)
{
	size_t slot;

	for (slot = 0; slot < JSONL_BLOCK_ROWS; slot++) {
		if (!coro->recent[slot])
			continue;
		if (marks->ended.count < JSONL_MARKS_ENDED_MAX) {
			if (!vec_push(&marks->ended, coro->recent[slot]))
				return false;
		} else if (marks->is_built) {
			map_remove(&marks->at, coro->recent[slot]);
		}
	}
	return true;
}

bool jsonl_marks_take(
	struct jsonl_marks *marks, const struct jsonl_seen *coro, const struct jsonl_row *row)
{
	uint64_t before = coro->recent[coro->nr_rows % JSONL_BLOCK_ROWS];

	if (!marks->is_built)
		return true;
	if (before)
		map_remove(&marks->at, before);
	return add(marks, jsonl_seen_mark(row));
}

bool jsonl_marks_have(const struct jsonl_marks *marks, const struct jsonl_row *row)
{
	uint32_t ignored;

	return map_get(&marks->at, jsonl_seen_mark(row), &ignored);
}
