/* SPDX-License-Identifier: MIT */
/*
 * One life of one probe_id, as far as its rows have been read: which rows can belong to it, and how many are missing.
 *
 * Rows are numbered in one of two ways. By count: 1, 2, 3, ... By blocks, as a sequence lock in each of eight slots
 * counts: 2 eight times, then 4 eight times, and so on. Rows of a block have the same seq and differ by their times;
 * they come in the order of the slots, not of time.
 */
#ifndef JSONL_SEEN_H
#define JSONL_SEEN_H

#include "jsonl/row.h"

#define JSONL_BLOCK_ROWS 8u /* slots of a station of version 1 */

struct jsonl_seen {
	uint64_t probe_id;
	uint64_t id; /* the coroutine's id, unique in its run */
	uint64_t first_seq;
	uint64_t last_seq;
	uint64_t first_ts; /* the least time of rows with first_seq */
	uint64_t last_ts;  /* the greatest time of rows with last_seq */
	uint64_t nr_rows;
	uint64_t nr_left_out;              /* its rows that cannot be true, */
	uint64_t nr_waiting;               /* and such rows since the last row that was taken */
	uint64_t spread;                   /* the numbers in its slots differ by at most this */
	uint64_t frame;                    /* the address in the latest row that had one; 0: none */
	uint64_t recent[JSONL_BLOCK_ROWS]; /* marks of its latest rows */
	uint32_t life;                     /* from 0 */
	uint32_t last_look;                /* the number of the last look ahead that met it */
	/* how often the state stayed the same from one row to the next, */
	uint32_t nr_kept;
	uint32_t nr_changed; /* and how often it changed */
	uint8_t nr_at_last;  /* rows with last_seq */
	bool was_active;     /* the state in the first row with last_seq, */
	bool is_running;     /* and in the latest row by time */
	bool has_odd;        /* it has an odd seq: it counts by ones */
	bool has_equal;      /* it has rows of one seq at several times: it counts by blocks */
	bool shares_block;   /* rows of its first block may count as the previous life's */
	bool goes_on_from;   /* its slots already held numbers when it began */
	bool begins_late; /* its first row's number is not the first one, so its slots may have held numbers */
};

/* jsonl_seen_mark: identifies the row, whatever probe_id it is read under; never 0. */
uint64_t jsonl_seen_mark(const struct jsonl_row *row);

/* jsonl_seen_is_same: is this a row that was already taken: the first row or one of the latest? */
bool jsonl_seen_is_same(const struct jsonl_seen *coro, const struct jsonl_row *row);

/*
 * jsonl_seen_fits: do seq and time of the row both rise with respect to the rows that were taken? `spread`: the run may
 * count by blocks, and numbers that slots held at its beginning differ by at most this; 0: the run does not count by
 * blocks.
 */
bool jsonl_seen_fits(const struct jsonl_seen *coro, const struct jsonl_row *row, uint64_t spread);

/*
 * jsonl_seen_is_too_fast: does the row imply more than one event in a nanosecond? A coroutine cannot have more; its seq
 * grows by at most two with each.
 */
bool jsonl_seen_is_too_fast(const struct jsonl_seen *coro, const struct jsonl_row *row);

/* jsonl_seen_take: takes one more row; the first row of a new coroutine, too. */
void jsonl_seen_take(struct jsonl_seen *coro, const struct jsonl_row *row);

/* How rows are numbered. */
enum jsonl_numbering {
	JSONL_BY_UNKNOWN,
	JSONL_BY_ONES,
	JSONL_BY_TWOS,
	JSONL_BY_BLOCKS,
	NR_JSONL_NUMBERINGS,
};

/* jsonl_seen_numbering: the numbering that its own rows show; UNKNOWN if there are too few rows. */
enum jsonl_numbering jsonl_seen_numbering(const struct jsonl_seen *coro);

/* jsonl_seen_missing: the least number of its rows that are missing under this numbering. */
uint64_t jsonl_seen_missing(const struct jsonl_seen *coro, enum jsonl_numbering numbering);

#endif
