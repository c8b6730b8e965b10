/* SPDX-License-Identifier: MIT */
/*
 * From the records of a block to events.
 */
#include <string.h>

#include "kind_words.h"
#include "store_cursor.h"

/* ------------------------------------------------------- from records to events */

static uint32_t site_index(
	const struct store_reader *reader, struct store_cursor *cursor, uint32_t id)
{
	uint64_t *memory = &cursor->sites[id % STORE_SITES_REMEMBERED];

	if (id == 0)
		return 0;
	if (*memory >> 32 != id)
		*memory = (uint64_t)id << 32 |
			  store_tables_site(&reader->all, cursor->segment->number, id);
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

static ct_time event_time(
	const struct store_reader *reader, struct store_cursor *cursor, uint64_t raw)
{
	uint32_t clock = cursor->segment->clock;
	size_t hint = 0;
	int64_t ns;

	if (timeline_line_ns(&cursor->line, raw, &ns))
		return store_since_epoch(&reader->all, (uint64_t)ns);
	if (clock != CTP_CLOCK_MONOTONIC)
		cursor->line = timeline_line(&reader->all.timelines[clock], raw);
	return store_tables_time(&reader->all, clock, raw, &hint);
}

static void to_event(const struct store_reader *reader, struct store_cursor *cursor,
	const struct ctp_record *record, struct ct_event *ret_event)
{
	*ret_event = (struct ct_event){
		.time = event_time(reader, cursor, record->time),
		.coro = record->coro,
		.object = record->object,
		.site = site_index(reader, cursor, CTP_TAIL_SITE(record->tail)),
		.kind = CTP_TAIL_KIND(record->tail),
		.argument = CTP_TAIL_ARGUMENT(record->tail),
		.flags = CTP_TAIL_FLAGS(record->tail),
		.process = cursor->segment->process,
		.thread = cursor->thread,
	};
	if (ret_event->kind == CTP_KIND_LOST)
		ret_event->coro = (uint64_t)event_time(reader, cursor, record->coro);
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
	const struct store_reader *reader, const struct store_cursor *cursor, uint32_t number)
{
	uint32_t index = 0;

	if (!map_get(&reader->all.thread_of, number, &index))
		return 0;
	return reader->all.threads.at[index].process == cursor->segment->process ? index : 0;
}

/* --------------------------------------------------------------------- blocks */

static bool reserve_events(struct store_cursor *cursor, size_t count)
{
	return vec_grow(
		(void **)&cursor->events, &cursor->capacity, count, sizeof(*cursor->events));
}

static enum ct_status decode_block(struct store_reader *reader, struct store_cursor *cursor,
	const struct store_block *block, const uint8_t *payload, struct ct_error *reterr)
{
	struct ctp_record record;
	size_t i;

	store_decoder_start(&reader->decoder, block->first, payload + block->head_bytes,
		payload + block->raw_bytes);
	cursor->thread = thread_index(reader, cursor, block->thread);
	cursor->is_carried = block->is_carried;
	for (i = 0; i < block->nr_records; i++) {
		if (!store_decode(&reader->decoder, &record))
			return ct_fail_at(reterr, CT_ERR_CORRUPT, block->offset,
				"the block at offset %llu holds records that make no sense",
				(unsigned long long)block->offset);
		to_event(reader, cursor, &record, &cursor->events[i]);
		if (block->is_carried)
			mark_carried(&cursor->events[i]);
	}
	cursor->count = block->nr_records;
	cursor->at = 0;
	return CT_OK;
}

enum ct_status store_cursor_load(
	struct store_reader *reader, struct store_cursor *cursor, struct ct_error *reterr)
{
	const struct store_block *block;
	struct store_block_header header;
	const uint8_t *payload;
	enum ct_status status;

	if (cursor->next_block == STORE_NO_BLOCK)
		return CT_END;
	block = &reader->index.blocks.at[cursor->next_block];
	status = store_block_check(&reader->input, block->offset, &header, &payload, reterr);
	if (status == CT_END || status == CT_ERR_CORRUPT ||
		(status == CT_OK && header.payload_bytes != block->payload_bytes))
		return ct_fail_at(reterr, CT_ERR_CORRUPT, block->offset,
			"the file was changed while it was read");
	if (status)
		return status;
	status = store_block_unpack(&reader->index, &header, &payload, reterr);
	if (status)
		return ct_fail_at(reterr, status, block->offset,
			"the block at offset %llu can not be unpacked",
			(unsigned long long)block->offset);
	if (!reserve_events(cursor, block->nr_records))
		return ct_fail_memory(reterr);
	cursor->next_block = block->next;
	return decode_block(reader, cursor, block, payload, reterr);
}
