/* SPDX-License-Identifier: MIT */
/*
 * Marks of the latest rows of each coroutine of a run: what its slots held when it ended, and what the engine of the
 * next run may read again. All of them are put together when somebody asks first, and kept up from then on.
 */
#ifndef JSONL_MARKS_H
#define JSONL_MARKS_H

#include "base/map.h"
#include "base/vec.h"
#include "jsonl/seen.h"

#define JSONL_MARKS_ENDED_MAX (1u << 19) /* of lives that are over; later ones are forgotten */

/* Zeroed is empty. */
struct jsonl_marks {
	struct map at;
	VEC(uint64_t) ended;
	bool is_built;
};

void jsonl_marks_fini(struct jsonl_marks *marks);

/* jsonl_marks_build: of these coroutines, and of the lives that are over. False: out of memory. */
bool jsonl_marks_build(struct jsonl_marks *marks, const struct jsonl_seen *coros, size_t nr_coros);

/* jsonl_marks_end: the coroutine is over, its slots stay as they are. False: out of memory. */
bool jsonl_marks_end(struct jsonl_marks *marks, const struct jsonl_seen *coro);

/* jsonl_marks_take: the coroutine is about to take the row (jsonl_seen_take). False: out of memory. */
bool jsonl_marks_take(
	struct jsonl_marks *marks, const struct jsonl_seen *coro, const struct jsonl_row *row);

/* jsonl_marks_have: is it a row that a slot held? The marks must be built. */
bool jsonl_marks_have(const struct jsonl_marks *marks, const struct jsonl_row *row);

#endif
