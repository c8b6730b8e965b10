/* SPDX-License-Identifier: MIT */
/*
 * One life of one probe_id, as far as its rows have come: which rows can be its own, and how many
 * are missing.
 *
 * There are two ways to number rows. By count: 1, 2, 3, ... By blocks, as a sequence lock in each of eight
 * slots has it: 2 eight times, then 4 eight times, and so on. By blocks, rows of the same seq are told
 * apart by their times, and come in the order of the slots, not in that of time.
 */
#ifndef JSONL_SEEN_H
#define JSONL_SEEN_H

#include "jsonl/row.h"

#define JSONL_BLOCK_ROWS 8u /* slots of a station of version 1 */

struct jsonl_seen {
	uint64_t probe_id;
	uint64_t id; /* that it goes by: unique in its run */
	uint64_t first_seq;
	uint64_t last_seq;
	uint64_t first_ts; /* of the first rows with first_seq, the least */
	uint64_t last_ts;  /* of those with last_seq, the greatest */
	uint64_t nr_rows;
	uint64_t nr_left_out;              /* rows of it that cannot be true, */
	uint64_t nr_waiting;               /* and such rows behind the last one */
	uint64_t spread;                   /* its slots held numbers that differ by so much */
	uint64_t frame;                    /* the last address that a row told; 0: none */
	uint64_t recent[JSONL_BLOCK_ROWS]; /* what tells its latest rows from each other */
	uint32_t life;                     /* from 0 */
	uint32_t last_look;                /* the number of the look ahead that met it last */
	uint32_t nr_kept;                  /* states that stayed from a row to the next one, */
	uint32_t nr_changed;               /* and that did not */
	uint8_t nr_at_last;                /* rows with last_seq */
	bool was_active;                   /* what the first row with last_seq says, */
	bool is_running;                   /* and the latest one in time */
	bool has_odd;                      /* an odd seq: it counts by ones */
	bool has_equal;    /* rows of one seq and several times: it counts by blocks */
	bool shares_block; /* rows of its first block may be with the life before it */
	bool goes_on_from; /* its slots held numbers already, which it goes on from */
	bool begins_late; /* its first row has a greater number than the first one: so they may have */
};

/* jsonl_seen_mark: tells the row from all others, under whatever probe_id it is read; never 0. */
uint64_t jsonl_seen_mark(const struct jsonl_row *row);

/* jsonl_seen_is_same: it is a row that was taken before, the first one or one of the latest. */
bool jsonl_seen_is_same(const struct jsonl_seen *coro, const struct jsonl_row *row);

/*
 * jsonl_seen_fits: seq and time rise together with the rows that were taken. `spread`: the run may count by blocks, and
 * slots that held numbers when it began differ by so much at most; 0: it does not count by blocks.
 */
bool jsonl_seen_fits(const struct jsonl_seen *coro, const struct jsonl_row *row, uint64_t spread);

/* jsonl_seen_is_too_fast: no coroutine has more than one event in a nanosecond, and counts by two at most. */
bool jsonl_seen_is_too_fast(const struct jsonl_seen *coro, const struct jsonl_row *row);

/* jsonl_seen_take: one more row. For a new one, its first. */
void jsonl_seen_take(struct jsonl_seen *coro, const struct jsonl_row *row);

/* How rows are numbered. */
enum jsonl_numbering {
	JSONL_BY_UNKNOWN,
	JSONL_BY_ONES,
	JSONL_BY_TWOS,
	JSONL_BY_BLOCKS,
	NR_JSONL_NUMBERINGS,
};

/* jsonl_seen_numbering: what its own rows show; UNKNOWN where they are too few. */
enum jsonl_numbering jsonl_seen_numbering(const struct jsonl_seen *coro);

/* jsonl_seen_missing: how many rows of it are missing at least, if they are numbered so. */
uint64_t jsonl_seen_missing(const struct jsonl_seen *coro, enum jsonl_numbering numbering);

#endif
