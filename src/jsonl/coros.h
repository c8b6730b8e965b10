/* SPDX-License-Identifier: MIT */
/*
 * Facts that rows need of the coroutines that are alive: how many rows each has had, where its frame
 * lies, whether it runs. Every form that has the six keys of a row counts with this.
 */
#ifndef JSONL_COROS_H
#define JSONL_COROS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"
#include "base/map.h"
#include "base/vec.h"

struct jsonl_coro {
	uint64_t frame;         /* 0: not known */
	uint64_t written_frame; /* of those that keep such once: the last one that they wrote */
	uint64_t nr_rows;       /* that were written */
	uint64_t nr_events;     /* and that would have been, had none been missing */
	uint8_t numbering; /* of its station of version 1: what CTP_DETAIL_NUMBERING says; 0: it has none */
	bool is_active;
};

/* jsonl_coro_number: counts one more row, and returns its seq. */
uint64_t jsonl_coro_number(struct jsonl_coro *coro, enum ct_row_numbers numbers);

/* jsonl_coro_note: a detail of version 1: what stands in addr, how rows are numbered, how many there were. */
void jsonl_coro_note(struct jsonl_coro *coro, unsigned detail, uint64_t number);

/* Zeroed is empty. */
struct jsonl_coros {
	VEC(struct map) of_process; /* by its number: ids to indexes */
	VEC(struct jsonl_coro) coros;
	VEC(uint32_t) unused;
};

void jsonl_coros_fini(struct jsonl_coros *coros);

/*
 * jsonl_coros_find: the coroutine, a new one where it was not seen yet; valid until the next call. NULL:
 * out of memory.
 */
struct jsonl_coro *jsonl_coros_find(struct jsonl_coros *coros, uint32_t process, uint64_t id);

/* jsonl_coros_forget: it was destroyed; ids are never used twice. False: out of memory. */
bool jsonl_coros_forget(struct jsonl_coros *coros, uint32_t process, uint64_t id);

#endif
