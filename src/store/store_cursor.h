/* SPDX-License-Identifier: MIT */
/*
 * A stream's blocks, decoded one at a time into events. For read.c, which merges streams of a whole file, and
 * follow.c, which reads one that grows. Private to src/store.
 */
#ifndef STORE_STORE_CURSOR_H
#define STORE_STORE_CURSOR_H

#include "store_events.h"
#include "store_index.h"

#define STORE_SITES_REMEMBERED 16

/* What all cursors of a file share. */
struct store_reader {
	struct store_input input;
	struct store_tables all;
	struct store_index index;
	struct store_decoder decoder;
};

struct store_cursor {
	const struct store_stream *stream;
	const struct store_segment *segment;
	uint32_t next_block;
	uint32_t thread; /* index, of the block at hand */
	bool is_carried; /* the block at hand */
	struct ct_event *events;
	size_t capacity;
	size_t count;
	size_t at;
	ct_time place;                          /* of events[at], see order.h */
	struct timeline_line line;              /* of the clock, where it was last */
	uint64_t sites[STORE_SITES_REMEMBERED]; /* id << 32 | index, looked up lately */
};

/*
 * store_cursor_load: the cursor's next block, from its first event on. CT_END after the last one; CT_ERR_CORRUPT
 * where its records make no sense, or the file was changed since it was opened.
 */
enum ct_status store_cursor_load(
	struct store_reader *reader, struct store_cursor *cursor, struct ct_error *reterr);

#endif
