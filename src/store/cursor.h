/* SPDX-License-Identifier: MIT */
/*
 * Reads the blocks of a stream, and decodes one run of events at a time, so that the runs of many streams fit into the
 * processor's caches. For read.c, which merges the streams of a whole file, and follow.c, which reads a file that
 * grows. Private to src/store.
 */
#ifndef STORE_CURSOR_H
#define STORE_CURSOR_H

#include "store/events.h"
#include "store/index.h"

#define STORE_SITES_REMEMBERED 64
#define STORE_RUN 256u /* events */

/* A trace file that is open, shared by all of its cursors. Zeroed: no file is open. */
struct store_reader {
	struct input *input;
	struct store_tables all;
	struct store_index index;
	struct ctp_record records[STORE_RUN]; /* the records decoded last */
};

/* The state of a cursor while it stands in a block. */
struct store_run {
	struct store_decoder decoder;
	struct ct_event events[STORE_RUN];
	uint8_t *block; /* the block's bytes, from its header on */
	size_t capacity;
	uint32_t nr_left; /* records of the block that are still to be decoded */
};

struct store_cursor {
	const struct store_stream *stream;
	const struct store_segment *segment;
	uint32_t block; /* the present block */
	uint32_t next_block;
	uint32_t thread;       /* index of the present block's thread */
	bool is_carried;       /* of the present block */
	struct store_run *run; /* NULL: in no block */
	size_t count;          /* number of run->events */
	/* place of the event handed out last, see order.h */
	ct_time place;
	/* piece of the clock's timeline that was used last */
	struct timeline_line line;
	uint64_t sites[STORE_SITES_REMEMBERED]; /* id << 32 | index of sites looked up recently */
};

/*
 * store_reader_scan: fills the reader's index and tables: see store_index_scan. store_reader_close: closes the reader
 * and its input; call it after a failed scan, too.
 */
enum ct_status store_reader_scan(
	struct store_reader *reader, const struct store_scan_wish *wish, struct ct_error *reterr);
void store_reader_close(struct store_reader *reader);

/*
 * store_cursor_load: loads the cursor's next run of events, from the next block if the present block is used up. The
 * run is empty if the records make no sense: the rest of the block is then given up. CT_END after the last run;
 * CT_ERR_CORRUPT if the file was changed since it was opened.
 */
enum ct_status store_cursor_load(
	struct store_reader *reader, struct store_cursor *cursor, struct ct_error *reterr);

/* store_reader_tell_senseless: adds the events that were missing in given-up blocks to the tables; each block once. */
enum ct_status store_reader_tell_senseless(struct store_reader *reader, struct ct_error *reterr);

/* store_cursor_is_in_block: returns whether the next run is in the same block as this run. */
static inline bool store_cursor_is_in_block(const struct store_cursor *cursor)
{
	return cursor->run && cursor->run->nr_left;
}

/* store_cursor_leave: frees what the cursor holds of its block. */
void store_cursor_leave(struct store_cursor *cursor);

#endif
