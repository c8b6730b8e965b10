/* SPDX-License-Identifier: MIT */
/*
 * The source that reads a trace file: one cursor for each stream, a heap that merges them.
 *
 * A cursor holds some decoded events. The heap's top has the event handed out last; asking for the next one moves that
 * cursor on and lets it sink to its place, unless it stays ahead of all others.
 */
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "store.h"
#include "store_cursor.h"

struct store_source {
	struct ct_source source;
	struct store_reader reader;
	struct store_cursor *cursors;
	struct store_cursor **heap;
	size_t nr_heap;
	struct store_cursor *top; /* of the heap; `none` where it is empty, or not begun */
	struct store_cursor none;
	ct_time limit; /* see order.h */
	ct_time bound; /* before this place the heap's top is ahead of all others */
	uint64_t sequence;
	bool is_started;
};

/* --------------------------------------------------------------------- cursors */

/* Moves on by one event; CT_END after the last one. */
static enum ct_status advance(
	struct store_source *store, struct store_cursor *cursor, struct ct_error *reterr)
{
	enum ct_status status;

	if (++cursor->at >= cursor->count) {
		status = store_cursor_load(&store->reader, cursor, reterr);
		if (status)
			return status;
	}
	cursor->place =
		order_place(cursor->place, cursor->run->events[cursor->at].time, store->limit);
	return CT_OK;
}

/* ------------------------------------------------------------------------ heap */

static bool is_before_at_once(const struct store_cursor *a, const struct store_cursor *b)
{
	if (a->segment->process != b->segment->process)
		return a->segment->process < b->segment->process;
	if (a->thread != b->thread)
		return a->thread < b->thread;
	return a->stream->number < b->stream->number;
}

static inline bool is_before(const struct store_cursor *a, const struct store_cursor *b)
{
	return a->place != b->place ? a->place < b->place : is_before_at_once(a, b);
}

static void sink_down(struct store_source *store, size_t at)
{
	struct store_cursor **heap = store->heap, *moved = heap[at];
	size_t child;

	while ((child = 2 * at + 1) < store->nr_heap) {
		if (child + 1 < store->nr_heap && is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* The two below the top are those that may come next. */
static void sink_top(struct store_source *store)
{
	struct store_cursor **heap = store->heap;

	if (store->nr_heap)
		sink_down(store, 0);
	store->bound = store->nr_heap > 1 ? heap[1]->place : INT64_MAX;
	if (store->nr_heap > 2 && heap[2]->place < store->bound)
		store->bound = heap[2]->place;
}

static enum ct_status start(struct store_source *store, struct ct_error *reterr)
{
	enum ct_status status;
	size_t i;

	store->nr_heap = 0;
	store->sequence = 0;
	for (i = 0; i < store->reader.index.streams.count; i++) {
		struct store_cursor *cursor = &store->cursors[i];

		cursor->next_block = cursor->stream->first_block;
		store_cursor_leave(cursor);
		cursor->place = ORDER_FIRST;
		if (!cursor->stream->segment)
			continue;
		status = advance(store, cursor, reterr);
		if (status < 0)
			return status;
		if (status == CT_OK)
			store->heap[store->nr_heap++] = cursor;
	}
	for (i = store->nr_heap / 2; i-- > 1;)
		sink_down(store, i);
	sink_top(store);
	store->is_started = true;
	return CT_OK;
}

/* ---------------------------------------------------------------------- source */

static enum ct_status move_on(struct store_source *store, struct ct_error *reterr)
{
	enum ct_status status;

	if (store->nr_heap == 0)
		return CT_OK;
	status = advance(store, store->heap[0], reterr);
	if (status < 0)
		return status;
	if (status == CT_END)
		store->heap[0] = store->heap[--store->nr_heap];
	sink_top(store);
	return CT_OK;
}

static void hand_out(
	struct store_source *store, struct store_cursor *cursor, const struct ct_event **ret_event)
{
	struct ct_event *event = &cursor->run->events[cursor->at];

	event->sequence = store->sequence++;
	store->source.is_carried = cursor->is_carried;
	*ret_event = event;
}

static __attribute__((noinline)) enum ct_status next_of_any(
	struct store_source *store, const struct ct_event **ret_event, struct ct_error *reterr)
{
	enum ct_status status = store->is_started ? move_on(store, reterr) : start(store, reterr);

	if (status)
		return status;
	store->top = store->nr_heap ? store->heap[0] : &store->none;
	if (store->nr_heap == 0)
		return CT_END;
	hand_out(store, store->top, ret_event);
	return CT_OK;
}

/* Mostly the next event is of the same stream, and decoded. */
static enum ct_status store_next(
	struct ct_source *source, const struct ct_event **ret_event, struct ct_error *reterr)
{
	struct store_source *store = (struct store_source *)source;
	struct store_cursor *top = store->top;
	ct_time place;

	if (top->at + 1 >= top->count)
		return next_of_any(store, ret_event, reterr);
	place = order_place(top->place, top->run->events[top->at + 1].time, store->limit);
	if (place >= store->bound)
		return next_of_any(store, ret_event, reterr);
	top->at++;
	top->place = place;
	hand_out(store, top, ret_event);
	return CT_OK;
}

static enum ct_status store_reset(struct ct_source *source, struct ct_error *reterr)
{
	struct store_source *store = (struct store_source *)source;

	(void)reterr;
	store->is_started = false;
	store->top = &store->none;
	return CT_OK;
}

static void store_close(struct ct_source *source)
{
	struct store_source *store = (struct store_source *)source;
	size_t i;

	for (i = 0; store->cursors && i < store->reader.index.streams.count; i++)
		store_cursor_leave(&store->cursors[i]);
	free(store->cursors);
	free(store->heap);
	store_index_fini(&store->reader.index);
	store_tables_fini(&store->reader.all);
	store_input_close(&store->reader.input);
	free(store);
}

static const struct ct_source_ops store_source_ops = {
	.next = store_next,
	.reset = store_reset,
	.close = store_close,
};

static enum ct_status make_cursors(struct store_source *store, struct ct_error *reterr)
{
	size_t count = store->reader.index.streams.count, i;

	store->cursors = calloc(count + 1, sizeof(*store->cursors));
	store->heap = calloc(count + 1, sizeof(*store->heap));
	if (!store->cursors || !store->heap)
		return ct_fail_memory(reterr);
	for (i = 0; i < count; i++) {
		store->cursors[i].stream = &store->reader.index.streams.at[i];
		store->cursors[i].segment =
			&store->reader.all.segments.at[store->reader.index.streams.at[i].segment];
	}
	return CT_OK;
}

static enum ct_status open_source(
	struct store_source *store, const char *path, struct ct_error *reterr)
{
	enum ct_status status = store_tables_init(&store->reader.all, reterr);

	if (status == CT_OK)
		status = store_input_open(&store->reader.input, path, reterr);
	if (status)
		return status;
	status = store_index_scan(
		&store->reader.index, &store->reader.input, &store->reader.all, reterr);
	if (status == CT_OK)
		status = make_cursors(store, reterr);
	store->limit = order_limit(&store->reader.all.tables);
	return status;
}

enum ct_status store_source_open(
	const char *path, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct store_source *store = calloc(1, sizeof(*store));
	enum ct_status status;

	if (!store)
		return ct_fail_memory(reterr);
	store->source.ops = &store_source_ops;
	store->top = &store->none;
	store->source.tables = &store->reader.all.tables;
	store->reader.input.descriptor = -1;
	status = open_source(store, path, reterr);
	if (status) {
		store_close(&store->source);
		return status;
	}
	*ret_source = &store->source;
	return CT_OK;
}

bool store_is_ours(const void *first_bytes, size_t nr_bytes)
{
	return nr_bytes >= 4 && memcmp(first_bytes, STORE_MAGIC, 4) == 0;
}
