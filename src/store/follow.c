/* SPDX-License-Identifier: MIT */
/*
 * The source over a file that grows.
 *
 * Each look reads the blocks that came since the last look. Their events wait, in order, until a heartbeat says that no
 * earlier event can come any more, so that events are handed out in the order of the finished file. Nothing is read
 * twice.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/order.h"
#include "store/store.h"
#include "store/cursor.h"
#include "store/scan.h"

/* A stream, and how far it has been read. */
struct lane {
	struct store_cursor cursor;
	uint32_t last_block; /* STORE_NO_BLOCK: no block was read yet */
};

/* An event that waits. */
struct waiting {
	struct ct_event event;
	ct_time place;
	uint64_t arrival; /* keeps the order within a stream */
	bool is_carried;
};

struct follow {
	struct ct_source source;
	struct store_reader reader;
	struct scan scan;
	bool has_header;
	VEC(struct lane) lanes; /* in the order of index.streams */
	VEC(struct waiting) waiting;
	size_t next;
	uint64_t nr_arrived;
	uint64_t sequence;
	ct_time until; /* events before this time can be handed out */
	bool is_over;
};

/* ---------------------------------------------------------------- new blocks */

static bool take_events(struct follow *follow, struct store_cursor *cursor, ct_time limit)
{
	size_t i;

	for (i = 0; i < cursor->count; i++) {
		struct waiting waiting = {
			.event = cursor->run->events[i],
			.arrival = follow->nr_arrived++,
			.is_carried = cursor->is_carried,
		};

		cursor->place = order_place(cursor->place, waiting.event.time, limit);
		waiting.place = cursor->place;
		if (!vec_push(&follow->waiting, waiting))
			return false;
	}
	return true;
}

static enum ct_status take_block(
	struct follow *follow, struct store_cursor *cursor, ct_time limit, struct ct_error *reterr)
{
	enum ct_status status;

	do {
		status = store_cursor_load(&follow->reader, cursor, reterr);
		if (status)
			return status;
		if (!take_events(follow, cursor, limit))
			return ct_fail_memory(reterr);
	} while (store_cursor_is_in_block(cursor));
	return CT_OK;
}

/* Reads the stream's blocks since the last look; blocks of a stream that is not defined yet wait. */
static enum ct_status read_lane(
	struct follow *follow, size_t at, ct_time limit, struct ct_error *reterr)
{
	const struct store_stream *stream = &follow->reader.index.streams.at[at];
	struct lane *lane = &follow->lanes.at[at];
	enum ct_status status;
	uint32_t segment = store_tables_segment(&follow->reader.all, stream->number);

	if (!segment)
		return CT_OK;
	lane->cursor.segment = &follow->reader.all.segments.at[segment];
	for (;;) {
		uint32_t next = lane->last_block == STORE_NO_BLOCK
					? stream->first_block
					: follow->reader.index.blocks.at[lane->last_block].next;

		if (next == STORE_NO_BLOCK)
			return CT_OK;
		lane->cursor.next_block = next;
		/* Later readings of the clock change its timeline. */
		lane->cursor.line = (struct timeline_line){0};
		memset(lane->cursor.sites, 0, sizeof(lane->cursor.sites));
		status = take_block(follow, &lane->cursor, limit, reterr);
		if (status)
			return status;
		lane->last_block = next;
	}
	return CT_OK;
}

static enum ct_status read_lanes(struct follow *follow, struct ct_error *reterr)
{
	ct_time limit = order_limit(&follow->reader.all.tables);
	struct lane fresh = {.cursor = {.place = ORDER_FIRST}, .last_block = STORE_NO_BLOCK};
	enum ct_status status = CT_OK;
	size_t i;

	while (follow->lanes.count < follow->reader.index.streams.count) {
		if (!vec_push(&follow->lanes, fresh))
			return ct_fail_memory(reterr);
	}
	for (i = 0; i < follow->lanes.count && status == CT_OK; i++)
		status = read_lane(follow, i, limit, reterr);
	return status;
}

static int compare(const void *left, const void *right)
{
	const struct waiting *a = left, *b = right;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->event.process != b->event.process)
		return a->event.process < b->event.process ? -1 : 1;
	if (a->event.thread != b->event.thread)
		return a->event.thread < b->event.thread ? -1 : 1;
	return (a->arrival > b->arrival) - (a->arrival < b->arrival);
}

/* Removes the events that were handed out, and sorts the remaining and the new ones. */
static void order_waiting(struct follow *follow)
{
	size_t left = follow->waiting.count - follow->next;

	if (left)
		memmove(follow->waiting.at, follow->waiting.at + follow->next,
			left * sizeof(*follow->waiting.at));
	follow->waiting.count = left;
	follow->next = 0;
}

/* ---------------------------------------------------------------- looks at the file */

static enum ct_status scan_header(struct follow *follow, struct ct_error *reterr)
{
	enum ct_status status;

	if (follow->has_header || follow->reader.input->nr_bytes < sizeof(struct store_file_header))
		return CT_OK;
	status = store_scan_header(&follow->scan, reterr);
	follow->has_header = status == CT_OK;
	return status;
}

static enum ct_status scan_more(struct follow *follow, struct ct_error *reterr)
{
	enum ct_status status = input_look(follow->reader.input, reterr);

	if (status == CT_OK)
		status = scan_header(follow, reterr);
	if (status || !follow->has_header)
		return status;
	status = store_scan_blocks(&follow->scan, reterr);
	if (status)
		return status;
	store_tables_refresh(&follow->reader.all);
	order_waiting(follow);
	status = read_lanes(follow, reterr);
	if (status == CT_OK)
		status = store_reader_tell_senseless(&follow->reader, reterr);
	if (follow->waiting.count)
		qsort(follow->waiting.at, follow->waiting.count, sizeof(*follow->waiting.at),
			compare);
	return status;
}

/* Reads what came. CT_OK: events may be handed out; CT_AGAIN: none at present; CT_END: none any more. */
static enum ct_status look(struct follow *follow, struct ct_error *reterr)
{
	/* This is asked before reading: if the writer is gone by now, everything that it wrote is there. */
	bool is_written = input_is_written(follow->reader.input);
	enum ct_status status = scan_more(follow, reterr);

	if (status)
		return status;
	follow->is_over = follow->reader.all.has_end || !is_written;
	follow->until = follow->is_over ? INT64_MAX : follow->reader.all.tables.observed_until;
	if (follow->waiting.count && follow->waiting.at[0].place <= follow->until)
		return CT_OK;
	return follow->is_over ? CT_END : CT_AGAIN;
}

/* ---------------------------------------------------------------- the source */

static enum ct_status follow_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct follow *follow = (struct follow *)source;
	struct waiting *waiting;
	enum ct_status status;

	if (follow->next == follow->waiting.count ||
		follow->waiting.at[follow->next].place > follow->until) {
		status = look(follow, reterr);
		if (status)
			return status < 0 ? input_fail(follow->reader.input, status, reterr)
					  : status;
	}
	waiting = &follow->waiting.at[follow->next++];
	waiting->event.sequence = follow->sequence++;
	*events = (struct ct_events){
		.at = &waiting->event, .count = 1, .are_carried = waiting->is_carried};
	return CT_OK;
}

static enum ct_status follow_reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)source;
	return ct_fail(reterr, CT_ERR_USAGE, "a trace that is followed cannot be read again");
}

static void follow_close(struct ct_source *source)
{
	struct follow *follow = (struct follow *)source;
	size_t i;

	for (i = 0; i < follow->lanes.count; i++)
		store_cursor_leave(&follow->lanes.at[i].cursor);
	vec_fini(&follow->lanes);
	vec_fini(&follow->waiting);
	store_reader_close(&follow->reader);
	free(follow);
}

static const struct ct_source_ops follow_ops = {
	.next = follow_next,
	.reset = follow_reset,
	.close = follow_close,
};

static enum ct_status start(struct follow *follow, struct ct_error *reterr)
{
	enum ct_status status = store_tables_init(&follow->reader.all, reterr);

	follow->until = INT64_MIN;
	follow->scan = (struct scan){
		.index = &follow->reader.index,
		.input = follow->reader.input,
		.all = &follow->reader.all,
		.last_beat_ns = STORE_NOT_KNOWN,
	};
	if (status)
		return status;
	store_tables_refresh(&follow->reader.all);
	return scan_header(follow, reterr);
}

enum ct_status store_follow_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct follow *follow = calloc(1, sizeof(*follow));
	enum ct_status status;

	if (!follow) {
		input_close(input);
		return ct_fail_memory(reterr);
	}
	follow->source.ops = &follow_ops;
	follow->source.tables = &follow->reader.all.tables;
	follow->reader.input = input;
	status = start(follow, reterr);
	if (status) {
		input_fail(input, status, reterr);
		follow_close(&follow->source);
		return status;
	}
	*ret_source = &follow->source;
	return CT_OK;
}
