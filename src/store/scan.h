/* SPDX-License-Identifier: MIT */
/*
 * The pass over a file while it goes on, for index.c (blocks) and sum_up.c (what they come to). Private to
 * src/store.
 */
#ifndef STORE_SCAN_H
#define STORE_SCAN_H

#include "store/index.h"

/*
 * From before the first place at which something is missing to behind the last one. A heartbeat says that all of before
 * it is in the file; what is written before a heartbeat was there when the next one was made.
 */
struct torn {
	uint64_t nr_places;
	uint32_t block_before;   /* of events, before the first place; or STORE_NO_BLOCK */
	uint64_t beat_before_ns; /* the last one before it; STORE_NOT_KNOWN */
	uint64_t beat_after_ns;  /* the second one behind the last place; STORE_NOT_KNOWN */
	unsigned nr_beats_after; /* 2 where there are more */
	ct_time latest_before;   /* of the stream that was the furthest behind; known at the end */
};

struct scan {
	struct store_index *index;
	struct input *input;
	struct store_tables *all;
	uint64_t offset;
	uint64_t examined;   /* bytes, in search of a whole block */
	uint64_t nr_damaged; /* stretches */
	uint64_t damaged_bytes;
	uint64_t damaged_offset; /* of the first */
	struct torn torn;
	uint64_t last_beat_ns; /* STORE_NOT_KNOWN: none yet that came after events */
	uint64_t nr_skipped;   /* blocks of a type that is not known */
	uint64_t skipped_offset;
	uint64_t nr_twice; /* blocks */
	uint64_t twice_offset;
	bool is_torn_here; /* something is missing before the next block */
	bool is_thorough;
	uint64_t nr_torn;             /* stretches of damage, and gaps in the numbers of blocks */
	uint64_t nr_missing;          /* of these, and parts that are not there */
	uint64_t next_number;         /* of a block */
	uint64_t nr_missing_restored; /* of these that were followed by all that is repeated */
	bool is_in_repeated;          /* the last block was of that */
	uint64_t nr_torn_before;      /* before the row of such blocks that it belongs to */
	uint64_t nr_torn_at_last;     /* when the last block was read */
	uint64_t nr_missing_at_last;  /* likewise */
};

/* store_scan_generation: the one of the last block; there was one. */
static inline struct store_generation *store_scan_generation(const struct scan *scan)
{
	return &scan->index->generations.at[scan->index->generations.count - 1];
}

/*
 * store_scan_header: the file's header; the next block is looked for behind it. store_scan_blocks: all whole
 * blocks from there to the end of the input; may be called again when that has grown.
 */
enum ct_status store_scan_header(struct scan *scan, struct ct_error *reterr);
enum ct_status store_scan_blocks(struct scan *scan, struct ct_error *reterr);

/* store_missing_note: something is missing before the block that comes next. */
void store_missing_note(struct scan *scan);
/* store_missing_beat: a heartbeat was read, or an END. */
void store_missing_beat(struct scan *scan, uint64_t monotonic_ns, bool is_end);

/*
 * store_missing_sum_up: after the last block: how much is missing, and when it would have been, as losses and notes.
 * `nr_events` were read.
 */
enum ct_status store_missing_sum_up(struct scan *scan, uint64_t nr_events, struct ct_error *reterr);

/*
 * store_scan_find: the next whole block at or behind `from`; CT_END: there is none, or looking on would take too long.
 */
enum ct_status store_scan_find(
	struct scan *scan, uint64_t from, uint64_t *ret_offset, struct ct_error *reterr);

/*
 * store_scan_skip: behind the header: goes on to the first generation that begins behind a whole block within the
 * last `nr_bytes` of the input; 0: stays. CT_ERR_UNSUPPORTED: none does.
 */
enum ct_status store_scan_skip(struct scan *scan, uint64_t nr_bytes, struct ct_error *reterr);

/* store_open_from: what a file without END lacks begins here, behind the last heartbeat; CT_NO_TIME: there was none. */
ct_time store_open_from(const struct store_tables *all);

/* store_scan_sum_up: after the last block: finishes and publishes the tables. */
enum ct_status store_scan_sum_up(struct scan *scan, struct ct_error *reterr);

#endif
