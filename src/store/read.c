/* SPDX-License-Identifier: MIT */
/*
 * The source that reads a trace file: one cursor for each stream, a heap that merges them.
 *
 * A cursor holds one decoded block. The heap's top is the event handed out last; asking for the next
 * one moves that cursor on and lets it sink to its place, which costs two comparisons while a
 * stream stays ahead of the others.
 */
#include <stdlib.h>
#include <string.h>

#include "kind_words.h"
#include "order.h"
#include "store.h"
#include "store_events.h"
#include "store_index.h"

#define SITES_REMEMBERED 16

struct cursor {
	const struct store_stream *stream;
	const struct store_segment *segment;
	uint32_t next_block;
	uint32_t thread; /* index, of the block at hand */
	struct ct_event *events;
	size_t capacity;
	size_t count;
	size_t at;
	ct_time place;                    /* of events[at], see order.h */
	struct timeline_line line;        /* of the clock, where it was last */
	uint64_t sites[SITES_REMEMBERED]; /* id << 32 | index, looked up lately */
};

struct store_source {
	struct ct_source source;
	struct store_input input;
	struct store_tables all;
	struct store_index index;
	struct cursor *cursors;
	struct cursor **heap;
	size_t nr_heap;
	ct_time limit; /* see order.h */
	uint64_t sequence;
	bool is_started;
	struct store_decoder decoder;
};

/* ------------------------------------------------------- from records to events */

static uint32_t site_index(const struct store_source *store, struct cursor *cursor, uint32_t id)
{
	uint64_t *memory = &cursor->sites[id % SITES_REMEMBERED];

	if (id == 0)
		return 0;
	if (*memory >> 32 != id)
		*memory = (uint64_t)id << 32 |
			  store_tables_site(&store->all, cursor->segment->number, id);
	return (uint32_t)*memory;
}

/* Coroutines of a process' further segments get ids of their own. */
static void tell_apart(struct ct_event *event, uint64_t prefix)
{
	enum kind_object object = kind_object(event->kind);

	if (event->coro && kind_has_coro(event->kind))
		event->coro |= prefix;
	if ((object == KIND_OBJECT_CORO && event->object) ||
		(object == KIND_OBJECT_RESOURCE &&
			CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_COROUTINE))
		event->object |= CTP_HANDLE_IDENTITY(prefix);
}

static ct_time event_time(const struct store_source *store, struct cursor *cursor, uint64_t raw)
{
	uint32_t clock = cursor->segment->clock;
	size_t hint = 0;
	int64_t ns;

	if (timeline_line_ns(&cursor->line, raw, &ns))
		return store_since_epoch(&store->all, (uint64_t)ns);
	if (clock != CTP_CLOCK_MONOTONIC)
		cursor->line = timeline_line(&store->all.timelines[clock], raw);
	return store_tables_time(&store->all, clock, raw, &hint);
}

static void to_event(const struct store_source *store, struct cursor *cursor,
	const struct ctp_record *record, struct ct_event *ret_event)
{
	*ret_event = (struct ct_event){
		.time = event_time(store, cursor, record->time),
		.coro = record->coro,
		.object = record->object,
		.site = site_index(store, cursor, CTP_TAIL_SITE(record->tail)),
		.kind = CTP_TAIL_KIND(record->tail),
		.argument = CTP_TAIL_ARGUMENT(record->tail),
		.flags = CTP_TAIL_FLAGS(record->tail),
		.process = cursor->segment->process,
		.thread = cursor->thread,
	};
	if (ret_event->kind == CTP_KIND_LOST)
		ret_event->coro = (uint64_t)event_time(store, cursor, record->coro);
	if (cursor->segment->coro_prefix)
		tell_apart(ret_event, cursor->segment->coro_prefix);
}

/*
 * Of a coroutine that moved while the rings were emptied, the last state is carried, and an earlier one may
 * follow behind it in the file: what led from that to this is told in the part before.
 */
static void mark_carried(struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_RESUME:
	case CTP_KIND_SUSPEND:
	case CTP_KIND_RETURN:
	case CTP_KIND_SWITCH:
	case CTP_KIND_DESTROY:
		event->flags |= CT_FLAG_AFTER_GAP;
		break;
	default:
		break;
	}
}

/* A thread of another process than the stream's can not be true. */
static uint32_t thread_index(
	const struct store_source *store, const struct cursor *cursor, uint32_t number)
{
	uint32_t index = 0;

	if (!map_get(&store->all.thread_of, number, &index))
		return 0;
	return store->all.threads.at[index].process == cursor->segment->process ? index : 0;
}

/* --------------------------------------------------------------------- cursors */

static bool reserve_events(struct cursor *cursor, size_t count)
{
	return vec_grow(
		(void **)&cursor->events, &cursor->capacity, count, sizeof(*cursor->events));
}

static enum ct_status decode_block(struct store_source *store, struct cursor *cursor,
	const struct store_block *block, const uint8_t *payload, struct ct_error *reterr)
{
	struct ctp_record record;
	size_t i;

	store_decoder_start(&store->decoder, block->first, payload + block->head_bytes,
		payload + block->raw_bytes);
	cursor->thread = thread_index(store, cursor, block->thread);
	for (i = 0; i < block->nr_records; i++) {
		if (!store_decode(&store->decoder, &record))
			return ct_fail_at(reterr, CT_ERR_CORRUPT, block->offset,
				"the block at offset %llu holds records that make no sense",
				(unsigned long long)block->offset);
		to_event(store, cursor, &record, &cursor->events[i]);
		if (block->is_carried)
			mark_carried(&cursor->events[i]);
	}
	cursor->count = block->nr_records;
	cursor->at = 0;
	return CT_OK;
}

/* The cursor's next block; CT_END after the last one. */
static enum ct_status load_block(
	struct store_source *store, struct cursor *cursor, struct ct_error *reterr)
{
	const struct store_block *block;
	struct store_block_header header;
	const uint8_t *payload;
	enum ct_status status;

	if (cursor->next_block == STORE_NO_BLOCK)
		return CT_END;
	block = &store->index.blocks.at[cursor->next_block];
	status = store_block_check(&store->input, block->offset, &header, &payload, reterr);
	if (status == CT_END || status == CT_ERR_CORRUPT ||
		(status == CT_OK && header.payload_bytes != block->payload_bytes))
		return ct_fail_at(reterr, CT_ERR_CORRUPT, block->offset,
			"the file was changed while it was read");
	if (status)
		return status;
	status = store_block_unpack(&store->index, &header, &payload, reterr);
	if (status)
		return ct_fail_at(reterr, status, block->offset,
			"the block at offset %llu can not be unpacked",
			(unsigned long long)block->offset);
	if (!reserve_events(cursor, block->nr_records))
		return ct_fail_memory(reterr);
	cursor->next_block = block->next;
	return decode_block(store, cursor, block, payload, reterr);
}

/* Moves on by one event; CT_END after the last one. */
static enum ct_status advance(
	struct store_source *store, struct cursor *cursor, struct ct_error *reterr)
{
	enum ct_status status;

	if (++cursor->at >= cursor->count) {
		status = load_block(store, cursor, reterr);
		if (status)
			return status;
	}
	cursor->place = order_place(cursor->place, cursor->events[cursor->at].time, store->limit);
	return CT_OK;
}

/* ------------------------------------------------------------------------ heap */

static bool is_before_at_once(const struct cursor *a, const struct cursor *b)
{
	if (a->segment->process != b->segment->process)
		return a->segment->process < b->segment->process;
	if (a->thread != b->thread)
		return a->thread < b->thread;
	return a->stream->number < b->stream->number;
}

static inline bool is_before(const struct cursor *a, const struct cursor *b)
{
	return a->place != b->place ? a->place < b->place : is_before_at_once(a, b);
}

static void sink_down(struct store_source *store, size_t at)
{
	struct cursor **heap = store->heap, *moved = heap[at];
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

static enum ct_status start(struct store_source *store, struct ct_error *reterr)
{
	enum ct_status status;
	size_t i;

	store->nr_heap = 0;
	store->sequence = 0;
	for (i = 0; i < store->index.streams.count; i++) {
		struct cursor *cursor = &store->cursors[i];

		cursor->next_block = cursor->stream->first_block;
		cursor->count = cursor->at = 0;
		cursor->place = ORDER_FIRST;
		if (!cursor->stream->segment)
			continue;
		status = advance(store, cursor, reterr);
		if (status < 0)
			return status;
		if (status == CT_OK)
			store->heap[store->nr_heap++] = cursor;
	}
	for (i = store->nr_heap / 2; i-- > 0;)
		sink_down(store, i);
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
	if (store->nr_heap)
		sink_down(store, 0);
	return CT_OK;
}

static enum ct_status store_next(
	struct ct_source *source, const struct ct_event **ret_event, struct ct_error *reterr)
{
	struct store_source *store = (struct store_source *)source;
	enum ct_status status = store->is_started ? move_on(store, reterr) : start(store, reterr);
	struct ct_event *event;

	if (status)
		return status;
	if (store->nr_heap == 0)
		return CT_END;
	event = &store->heap[0]->events[store->heap[0]->at];
	event->sequence = store->sequence++;
	*ret_event = event;
	return CT_OK;
}

static enum ct_status store_reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)reterr;
	((struct store_source *)source)->is_started = false;
	return CT_OK;
}

static void store_close(struct ct_source *source)
{
	struct store_source *store = (struct store_source *)source;
	size_t i;

	for (i = 0; store->cursors && i < store->index.streams.count; i++)
		free(store->cursors[i].events);
	free(store->cursors);
	free(store->heap);
	store_index_fini(&store->index);
	store_tables_fini(&store->all);
	store_input_close(&store->input);
	free(store);
}

static const struct ct_source_ops store_source_ops = {
	.next = store_next,
	.reset = store_reset,
	.close = store_close,
};

static enum ct_status make_cursors(struct store_source *store, struct ct_error *reterr)
{
	size_t count = store->index.streams.count, i;

	store->cursors = calloc(count + 1, sizeof(*store->cursors));
	store->heap = calloc(count + 1, sizeof(*store->heap));
	if (!store->cursors || !store->heap)
		return ct_fail_memory(reterr);
	for (i = 0; i < count; i++) {
		store->cursors[i].stream = &store->index.streams.at[i];
		store->cursors[i].segment =
			&store->all.segments.at[store->index.streams.at[i].segment];
	}
	return CT_OK;
}

static enum ct_status open_source(
	struct store_source *store, const char *path, struct ct_error *reterr)
{
	enum ct_status status = store_tables_init(&store->all, reterr);

	if (status == CT_OK)
		status = store_input_open(&store->input, path, reterr);
	if (status)
		return status;
	status = store_index_scan(&store->index, &store->input, &store->all, reterr);
	if (status == CT_OK)
		status = make_cursors(store, reterr);
	store->limit = order_limit(&store->all.tables);
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
	store->source.tables = &store->all.tables;
	store->input.descriptor = -1;
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
