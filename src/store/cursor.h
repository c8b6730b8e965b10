/* SPDX-License-Identifier: MIT */
/*
 * A stream's blocks, decoded a run of events at a time, so that the runs of many streams lie in the processor's
 * caches. For read.c, which merges streams of a whole file, and follow.c, which reads one that grows. Private to
 * src/store.
 */
#ifndef STORE_CURSOR_H
#define STORE_CURSOR_H

#include "store/events.h"
#include "store/index.h"

#define STORE_SITES_REMEMBERED 64
#define STORE_RUN 256u /* events */

/* A trace file that is open: shared by all of its cursors. Zeroed it is none. */
struct store_reader {
	struct input *input;
	struct store_tables all;
	struct store_index index;
	struct ctp_record records[STORE_RUN]; /* just decoded */
};

/* A cursor's state while it stands in a block. */
struct store_run {
	struct store_decoder decoder;
	struct ct_event events[STORE_RUN];
	uint8_t *block; /* its bytes, from its header on */
	size_t capacity;
	uint32_t nr_left; /* of its records */
};

struct store_cursor {
	const struct store_stream *stream;
	const struct store_segment *segment;
	uint32_t block; /* the one at hand */
	uint32_t next_block;
	uint32_t thread;                        /* index, of the block at hand */
	bool is_carried;                        /* the block at hand */
	struct store_run *run;                  /* NULL: in no block */
	size_t count;                           /* of run->events */
	ct_time place;                          /* of the event handed out last, see order.h */
	struct timeline_line line;              /* of the clock, where it was last */
	uint64_t sites[STORE_SITES_REMEMBERED]; /* id << 32 | index, looked up lately */
};

/* store_reader_scan: see store_index_scan. store_reader_close: with the input, also after a failure. */
enum ct_status store_reader_scan(
	struct store_reader *reader, const struct store_scan_wish *wish, struct ct_error *reterr);
void store_reader_close(struct store_reader *reader);

/*
 * store_cursor_load: the cursor's next run of events, of its next block where it has handed out all of one. None at all
 * where they make no sense: the rest of the block is given up. CT_END after the last one; CT_ERR_CORRUPT where the file
 * was changed since it was opened.
 */
enum ct_status store_cursor_load(
	struct store_reader *reader, struct store_cursor *cursor, struct ct_error *reterr);

/* store_reader_tell_senseless: adds what was missing in blocks that were given up to the tables; each block once. */
enum ct_status store_reader_tell_senseless(struct store_reader *reader, struct ct_error *reterr);

/* store_cursor_is_in_block: the next run is of the same block as this one. */
static inline bool store_cursor_is_in_block(const struct store_cursor *cursor)
{
	return cursor->run && cursor->run->nr_left;
}

/* store_cursor_leave: gives back what it holds of its block. */
void store_cursor_leave(struct store_cursor *cursor);

#endif
