/* SPDX-License-Identifier: MIT */
/*
 * The facts about live coroutines from which rows are made: how many rows each has had, the address of its frame, and
 * whether it runs. Every format with the six keys of a row uses this.
 */
#ifndef JSONL_COROS_H
#define JSONL_COROS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"
#include "base/map.h"
#include "base/vec.h"

struct jsonl_coro {
	uint64_t frame; /* 0: unknown */
	/* for formats that write each frame once: the last frame that was written */
	uint64_t written_frame;
	uint64_t nr_rows;   /* rows that were written */
	uint64_t nr_events; /* rows that would have been written if no event were missing */
	uint8_t numbering;  /* CTP_DETAIL_NUMBERING of its station of version 1; 0: none */
	bool is_active;
};

/* jsonl_coro_number: counts one more row of the coroutine, and returns the row's seq. */
uint64_t jsonl_coro_number(struct jsonl_coro *coro, enum ct_row_numbers numbers);

/*
 * jsonl_coro_note: notes a detail of version 1: the value of addr, how rows are numbered, or how many rows there were.
 */
void jsonl_coro_note(struct jsonl_coro *coro, unsigned detail, uint64_t number);

/* A zeroed struct is empty. */
struct jsonl_coros {
	VEC(struct map) of_process; /* indexed by the process's number: maps ids to indexes */
	VEC(struct jsonl_coro) coros;
	VEC(uint32_t) unused;
};

void jsonl_coros_fini(struct jsonl_coros *coros);

/*
 * jsonl_coros_find: finds a coroutine, or adds it if it is new; the pointer is valid until the next call. NULL: out of
 * memory.
 */
struct jsonl_coro *jsonl_coros_find(struct jsonl_coros *coros, uint32_t process, uint64_t id);

/* jsonl_coros_forget: forgets a coroutine that was destroyed; its id is never used again. False: out of memory. */
bool jsonl_coros_forget(struct jsonl_coros *coros, uint32_t process, uint64_t id);

#endif
