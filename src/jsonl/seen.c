/* SPDX-License-Identifier: MIT */
/*
 * What the rows of one coroutine have in common.
 */
#include "jsonl/seen.h"

#include "jsonl/runs.h"

/* This many rows with an even seq are not a coincidence. */
#define SURE_ROWS 4u

uint64_t jsonl_seen_mark(const struct jsonl_row *row)
{
	uint64_t mark = row->ts ^ row->seq << 48 ^ row->seq << 20 ^ row->tid << 32;

	return mark ? mark : 1;
}

bool jsonl_seen_is_same(const struct jsonl_seen *coro, const struct jsonl_row *row)
{
	uint64_t mark = jsonl_seen_mark(row);
	unsigned i;

	if (row->seq > coro->last_seq)
		return false;
	if (row->seq == coro->first_seq && row->ts == coro->first_ts)
		return true;
	for (i = 0; i < JSONL_BLOCK_ROWS; i++) {
		if (coro->recent[i] == mark)
			return true;
	}
	return false;
}

static bool rises_together(uint64_t seq, uint64_t ts, uint64_t other_seq, uint64_t other_ts)
{
	return seq < other_seq ? ts <= other_ts : ts >= other_ts;
}

/* Are all its rows before the last number here? Then a further such row is not its own. */
static bool is_full(const struct jsonl_seen *coro)
{
	if (coro->has_odd)
		return coro->nr_rows >= coro->last_seq;
	return coro->has_equal && !coro->goes_on_from &&
	       coro->nr_rows - coro->nr_at_last >= (coro->last_seq / 2 - 1) * JSONL_BLOCK_ROWS;
}

bool jsonl_seen_fits(const struct jsonl_seen *coro, const struct jsonl_row *row, uint64_t spread)
{
	bool is_block = spread && !coro->has_odd && row->seq % 2 == 0;

	/* Some of its slots may be ahead of the others. */
	if (is_block && (coro->goes_on_from || coro->begins_late) &&
		row->seq + spread >= coro->last_seq && row->seq <= coro->last_seq + spread)
		return true;
	if (row->seq == coro->last_seq && is_block)
		return coro->nr_at_last < JSONL_BLOCK_ROWS;
	if (row->seq == coro->last_seq)
		return row->ts == coro->last_ts;
	if (!rises_together(row->seq, row->ts, coro->last_seq, coro->last_ts) ||
		(row->seq < coro->last_seq && is_full(coro)))
		return false;
	if (row->seq == coro->first_seq)
		return is_block || row->ts == coro->first_ts;
	return rises_together(row->seq, row->ts, coro->first_seq, coro->first_ts);
}

bool jsonl_seen_is_too_fast(const struct jsonl_seen *coro, const struct jsonl_row *row)
{
	return row->seq > coro->last_seq && row->ts >= coro->last_ts &&
	       (row->seq - coro->last_seq) / 2 > row->ts - coro->last_ts + JSONL_AHEAD;
}

static void take_latest(struct jsonl_seen *coro, const struct jsonl_row *row)
{
	coro->nr_kept += coro->nr_rows && row->is_active == coro->was_active;
	coro->nr_changed += coro->nr_rows && row->is_active != coro->was_active;
	coro->was_active = row->is_active;
	coro->nr_left_out += coro->nr_waiting;
	coro->nr_waiting = 0;
	coro->nr_at_last = 1;
	coro->last_seq = row->seq;
	coro->last_ts = row->ts;
}

/*
 * Were the slots uneven when it began? The row then has a lower number at a later time, or a higher number at an
 * earlier time.
 */
static bool is_uneven(const struct jsonl_seen *coro, const struct jsonl_row *row)
{
	if (coro->nr_rows == 0 || coro->has_odd || row->seq % 2)
		return false;
	return row->seq < coro->last_seq ? row->ts > coro->last_ts
					 : row->seq > coro->last_seq && row->ts < coro->last_ts;
}

static void note_spread(struct jsonl_seen *coro, uint64_t seq)
{
	uint64_t spread = seq < coro->last_seq ? coro->last_seq - seq : seq - coro->last_seq;

	if (spread > coro->spread)
		coro->spread = spread;
}

void jsonl_seen_take(struct jsonl_seen *coro, const struct jsonl_row *row)
{
	coro->has_odd |= row->seq & 1;
	if (coro->nr_rows == 0 || row->ts >= coro->last_ts)
		coro->is_running = row->is_active;
	if (is_uneven(coro, row)) {
		coro->goes_on_from = true;
		note_spread(coro, row->seq);
	}
	coro->begins_late |= coro->nr_rows == 0 && row->seq > 2;
	if (coro->nr_rows == 0 || row->seq > coro->last_seq) {
		take_latest(coro, row);
	} else if (row->seq == coro->last_seq) {
		coro->has_equal = true;
		coro->nr_at_last++;
		coro->last_ts = row->ts > coro->last_ts ? row->ts : coro->last_ts;
	}
	if (coro->nr_rows == 0 || row->seq < coro->first_seq ||
		(row->seq == coro->first_seq && row->ts < coro->first_ts)) {
		coro->first_seq = row->seq;
		coro->first_ts = row->ts;
	}
	coro->recent[coro->nr_rows++ % JSONL_BLOCK_ROWS] = jsonl_seen_mark(row);
}

/*
 * Even numbers with mostly the same state come from a counter that rises by one, if only its suspends or only its
 * resumes were read.
 */
enum jsonl_numbering jsonl_seen_numbering(const struct jsonl_seen *coro)
{
	if (coro->has_odd)
		return JSONL_BY_ONES;
	if (coro->has_equal)
		return JSONL_BY_BLOCKS;
	if (coro->nr_rows < SURE_ROWS)
		return JSONL_BY_UNKNOWN;
	return coro->nr_kept > coro->nr_changed ? JSONL_BY_ONES : JSONL_BY_TWOS;
}

static uint64_t less(uint64_t nr_written, uint64_t nr_read)
{
	return nr_written > nr_read ? nr_written - nr_read : 0;
}

/* The number of rows in the last block is unknown; the blocks before it are either complete, or rows are missing. */
static uint64_t missing_in_blocks(const struct jsonl_seen *coro)
{
	uint64_t nr_before = coro->last_seq / 2, nr_read = coro->nr_rows + coro->nr_left_out;
	uint64_t missing;

	if (nr_before == 0)
		return 0;
	if (coro->goes_on_from)
		return less(less((coro->last_seq - coro->first_seq) / 2,
				    coro->spread > 2 ? coro->spread / 2 : 1) *
				    JSONL_BLOCK_ROWS,
			nr_read);
	missing = less((nr_before - 1) * JSONL_BLOCK_ROWS, less(nr_read, coro->nr_at_last));
	return coro->shares_block ? less(missing, JSONL_BLOCK_ROWS) : missing;
}

uint64_t jsonl_seen_missing(const struct jsonl_seen *coro, enum jsonl_numbering numbering)
{
	uint64_t nr_read = coro->nr_rows + coro->nr_left_out;

	switch (numbering) {
	case JSONL_BY_ONES:
		return less(coro->last_seq, nr_read);
	case JSONL_BY_TWOS:
		return less(coro->last_seq / 2, nr_read);
	case JSONL_BY_BLOCKS:
		return missing_in_blocks(coro);
	default:
		return 0;
	}
}
