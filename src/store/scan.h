/* SPDX-License-Identifier: MIT */
/* The state of the pass over a file, for index.c (blocks) and sum_up.c (totals). Private to src/store. */
#ifndef STORE_SCAN_H
#define STORE_SCAN_H

#include "store/index.h"

/*
 * The stretch of a file from before the first missing piece to after the last missing piece. A heartbeat says that all
 * events before it are in the file; events that are written before a heartbeat existed when the heartbeat was made.
 */
struct torn {
	uint64_t nr_places;
	uint32_t block_before;   /* block of events before the first place; or STORE_NO_BLOCK */
	uint64_t beat_before_ns; /* last heartbeat before the first place; STORE_NOT_KNOWN */
	uint64_t beat_after_ns;  /* second heartbeat after the last place; STORE_NOT_KNOWN */
	unsigned nr_beats_after; /* at most 2 are counted */
	/* latest time before the stretch of the stream that was furthest behind; known at the end */
	ct_time latest_before;
};

struct scan {
	struct store_index *index;
	struct input *input;
	struct store_tables *all;
	uint64_t offset;
	uint64_t examined;   /* bytes examined in search of a whole block */
	uint64_t nr_damaged; /* damaged stretches */
	uint64_t damaged_bytes;
	uint64_t damaged_offset; /* offset of the first damaged stretch */
	struct torn torn;
	uint64_t last_beat_ns; /* STORE_NOT_KNOWN: no heartbeat came after events yet */
	uint64_t nr_skipped;   /* blocks of unknown types */
	uint64_t skipped_offset;
	uint64_t nr_twice; /* blocks that were there before */
	uint64_t twice_offset;
	bool is_torn_here; /* something is missing before the next block */
	bool is_thorough;
	uint64_t nr_torn;     /* damaged stretches and gaps in the numbers of blocks */
	uint64_t nr_missing;  /* nr_torn, and missing generations */
	uint64_t next_number; /* the number that the next block should have */
	/* of nr_missing: those after which all repeated definitions followed */
	uint64_t nr_missing_restored;
	bool is_in_repeated;         /* the last block contained repeated definitions */
	uint64_t nr_torn_before;     /* nr_torn before the present sequence of such blocks */
	uint64_t nr_torn_at_last;    /* nr_torn when the last block was read */
	uint64_t nr_missing_at_last; /* nr_missing when the last block was read */
};

/* store_scan_generation: returns the generation of the last block; there must have been a block. */
static inline struct store_generation *store_scan_generation(const struct scan *scan)
{
	return &scan->index->generations.at[scan->index->generations.count - 1];
}

/*
 * store_scan_header: reads the file's header; the next block is searched for after it. store_scan_blocks: reads all
 * whole blocks from there to the end of the input; may be called again when the input has grown.
 */
enum ct_status store_scan_header(struct scan *scan, struct ct_error *reterr);
enum ct_status store_scan_blocks(struct scan *scan, struct ct_error *reterr);

/* store_missing_note: notes that something is missing before the next block. */
void store_missing_note(struct scan *scan);
/* store_missing_beat: notes that a heartbeat, or an END, was read. */
void store_missing_beat(struct scan *scan, uint64_t monotonic_ns, bool is_end);

/*
 * store_missing_sum_up: after the last block: adds losses and notes that say how much is missing, and when it would
 * have been. `nr_events` is the number of events read.
 */
enum ct_status store_missing_sum_up(struct scan *scan, uint64_t nr_events, struct ct_error *reterr);

/*
 * store_scan_find: finds the next whole block at or after `from`. CT_END: there is none, or searching further would
 * take too long.
 */
enum ct_status store_scan_find(
	struct scan *scan, uint64_t from, uint64_t *ret_offset, struct ct_error *reterr);

/*
 * store_scan_skip: from the header goes on to the first generation that begins after a whole block within the last
 * `nr_bytes` of the input; 0: stays. CT_ERR_UNSUPPORTED: no generation begins there.
 */
enum ct_status store_scan_skip(struct scan *scan, uint64_t nr_bytes, struct ct_error *reterr);

/*
 * store_open_from: returns the time from which a file without END lacks events: after the last heartbeat. CT_NO_TIME:
 * there was no heartbeat.
 */
ct_time store_open_from(const struct store_tables *all);

/* store_scan_sum_up: after the last block: finishes and publishes the tables. */
enum ct_status store_scan_sum_up(struct scan *scan, struct ct_error *reterr);

#endif
