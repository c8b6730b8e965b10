/* SPDX-License-Identifier: MIT */
/*
 * Marks of the latest rows of each coroutine of a run: the rows that the slots held when the run ended, which the next
 * run's engine may read again. The marks are built when they are first needed, and kept up to date from then on.
 */
#ifndef JSONL_MARKS_H
#define JSONL_MARKS_H

#include "base/map.h"
#include "base/vec.h"
#include "jsonl/seen.h"

#define JSONL_MARKS_ENDED_MAX (1u << 19) /* of lives that have ended; marks beyond are dropped */

/* A zeroed struct is empty. */
struct jsonl_marks {
	struct map at;
	VEC(uint64_t) ended;
	bool is_built;
};

void jsonl_marks_fini(struct jsonl_marks *marks);

/* jsonl_marks_build: builds the marks of these coroutines and of the lives that have ended. False: out of memory. */
bool jsonl_marks_build(struct jsonl_marks *marks, const struct jsonl_seen *coros, size_t nr_coros);

/* jsonl_marks_end: the coroutine's life has ended; its slots stay as they are. False: out of memory. */
bool jsonl_marks_end(struct jsonl_marks *marks, const struct jsonl_seen *coro);

/* jsonl_marks_take: updates the marks before the coroutine takes the row (jsonl_seen_take). False: out of memory. */
bool jsonl_marks_take(
	struct jsonl_marks *marks, const struct jsonl_seen *coro, const struct jsonl_row *row);

/* jsonl_marks_have: did a slot hold this row? The marks must have been built. */
bool jsonl_marks_have(const struct jsonl_marks *marks, const struct jsonl_row *row);

#endif
