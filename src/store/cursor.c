/* SPDX-License-Identifier: MIT */
/*
 * From the records of a block to events.
 */
#include <stdlib.h>
#include <string.h>

#include "event/kind_words.h"
#include "store/cursor.h"

/* ------------------------------------------------------- from records to events */

static uint32_t site_index(
	const struct store_reader *reader, struct store_cursor *cursor, uint32_t id)
{
	uint64_t *memory = &cursor->sites[id % STORE_SITES_REMEMBERED];

	/* The entry of a site that was never looked up is 0, "none". */
	if (*memory >> 32 != id)
		*memory = (uint64_t)id << 32 |
			  store_tables_site(&reader->all, cursor->segment->number, id);
	return (uint32_t)*memory;
}

/* Gives coroutines of a process's further segments ids of their own. */
static void tell_apart(struct ct_event *event, uint64_t prefix)
{
	enum kind_object object = kind_object_of(event->kind, event->argument);

	if (event->coro && kind_has_coro(event->kind))
		event->coro |= prefix;
	if ((object == KIND_OBJECT_CORO && event->object) ||
		(object == KIND_OBJECT_RESOURCE &&
			CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_COROUTINE))
		event->object |= CTP_HANDLE_IDENTITY(prefix);
}

static inline ct_time event_time(const struct store_reader *reader,
	const struct store_cursor *cursor, struct timeline_line *line, uint64_t raw)
{
	uint32_t clock = cursor->segment->clock;
	size_t hint = 0;
	int64_t ns;

	if (timeline_line_ns(line, raw, &ns))
		return store_since_epoch(&reader->all, (uint64_t)ns);
	if (clock != CTP_CLOCK_MONOTONIC)
		*line = timeline_line(&reader->all.timelines[clock], raw);
	return store_tables_time(&reader->all, clock, raw, &hint);
}

static void to_events(const struct store_reader *reader, struct store_cursor *cursor, size_t count)
{
	/* The compiler must assume that writing an event changes the cursor: work on copies. */
	struct timeline_line line = cursor->line;
	uint32_t process = cursor->segment->process, thread = cursor->thread;
	struct ct_event *event = cursor->run->events;
	const struct ctp_record *record = reader->records, *end = record + count;

	for (; record < end; record++, event++) {
		uint64_t tail = record->tail;

		*event = (struct ct_event){
			.time = event_time(reader, cursor, &line, record->time),
			.coro = record->coro,
			.object = record->object,
			.site = site_index(reader, cursor, CTP_TAIL_SITE(tail)),
			.kind = CTP_TAIL_KIND(tail),
			.argument = CTP_TAIL_ARGUMENT(tail),
			.flags = CTP_TAIL_FLAGS(tail),
			.process = process,
			.thread = thread,
		};
		if (event->kind == CTP_KIND_LOST)
			event->coro = (uint64_t)event_time(reader, cursor, &line, record->coro);
	}
	cursor->line = line;
}

/*
 * Marks an event that may not follow the event before it. The last state of a coroutine that moved while the rings were
 * drained is carried, and an earlier state may follow later in the file: the steps in between are in the part before.
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

/* A thread of another process than the stream's is not believed. */
static uint32_t thread_index(
	const struct store_reader *reader, const struct store_cursor *cursor, uint32_t number)
{
	uint32_t index = 0;

	if (!map_get(&reader->all.thread_of, number, &index))
		return 0;
	return reader->all.lists.threads.at[index].process == cursor->segment->process ? index : 0;
}

/* --------------------------------------------------------------------- blocks */

void store_cursor_leave(struct store_cursor *cursor)
{
	if (cursor->run)
		free(cursor->run->block);
	free(cursor->run);
	cursor->run = NULL;
	cursor->count = 0;
}

static bool reserve_block(struct store_run *run, size_t payload_bytes)
{
	return vec_grow(
		&run->block, &run->capacity, sizeof(struct store_block_header) + payload_bytes, 1);
}

/*
 * Reads a block straight from the file to where it is decoded, and checks it again: the file may have changed since it
 * was opened.
 */
static enum ct_status read_block(struct store_reader *reader, struct store_run *run,
	const struct store_block *block, struct ct_error *reterr)
{
	size_t nr_bytes = sizeof(struct store_block_header) + block->payload_bytes, nr_read;
	struct store_block_header header;
	const uint8_t *payload;
	enum ct_status status;

	if (!reserve_block(run, block->payload_bytes))
		return ct_fail_memory(reterr);
	payload = run->block + sizeof(header);
	status = input_read(reader->input, block->offset, run->block, nr_bytes, &nr_read, reterr);
	if (status)
		return status;
	memcpy(&header, run->block, sizeof(header));
	if (nr_read < nr_bytes || header.payload_bytes != block->payload_bytes ||
		header.raw_bytes != block->raw_bytes || !store_block_is_whole(&header, payload))
		return ct_fail_at(reterr, CT_ERR_CORRUPT, block->offset,
			"the file was changed while it was read");
	status = store_block_unpack(&reader->index, &header, &payload, reterr);
	if (status)
		return ct_fail_at(reterr, status, block->offset,
			"the block at offset %llu cannot be unpacked",
			(unsigned long long)block->offset);
	if (payload == run->block + sizeof(header))
		return CT_OK;
	if (!reserve_block(run, block->raw_bytes))
		return ct_fail_memory(reterr);
	memcpy(run->block + sizeof(header), payload, block->raw_bytes);
	return CT_OK;
}

static enum ct_status enter_block(
	struct store_reader *reader, struct store_cursor *cursor, struct ct_error *reterr)
{
	const struct store_block *block = &reader->index.blocks.at[cursor->next_block];
	const uint8_t *payload;
	struct store_run *run;
	enum ct_status status;

	if (!cursor->run)
		cursor->run = calloc(1, sizeof(*cursor->run));
	run = cursor->run;
	if (!run)
		return ct_fail_memory(reterr);
	run->nr_left = 0;
	status = read_block(reader, run, block, reterr);
	if (status)
		return status;
	payload = run->block + sizeof(struct store_block_header);
	store_decoder_start(&run->decoder, block->first, payload + block->head_bytes,
		payload + block->raw_bytes);
	run->nr_left = block->nr_records;
	cursor->thread = thread_index(reader, cursor, block->thread);
	cursor->is_carried = block->is_carried;
	cursor->block = cursor->next_block;
	cursor->next_block = block->next;
	return CT_OK;
}

/*
 * Gives up a block whose checksum is right but whose records make no sense: the writer was wrong, or malicious. The
 * rest of the block is missing; that is reported after the last event, since the part that was read may have been
 * handed out already.
 */
static void give_up_block(struct store_reader *reader, const struct store_cursor *cursor)
{
	struct store_block *block = &reader->index.blocks.at[cursor->block];
	struct ct_loss *loss = &reader->index.senseless;
	size_t hint = 0;
	ct_time first =
		store_tables_time(&reader->all, cursor->segment->clock, block->first, &hint);

	if (reader->index.nr_senseless++ == 0)
		reader->index.senseless_offset = block->offset;
	*loss = (struct ct_loss){
		.reason = CTP_LOSS_CORRUPT,
		.count = loss->count + cursor->run->nr_left,
		.first = loss->count && loss->first < first ? loss->first : first,
		.last = CT_NO_TIME,
	};
	if (block->is_carried)
		reader->index.nr_senseless_carried += cursor->run->nr_left;
	block->is_senseless = true;
}

static void decode_run(struct store_reader *reader, struct store_cursor *cursor)
{
	struct store_run *run = cursor->run;
	size_t count = run->nr_left < STORE_RUN ? run->nr_left : STORE_RUN, i;

	if (store_decode(&run->decoder, reader->records, count) != count) {
		if (!reader->index.blocks.at[cursor->block].is_senseless)
			give_up_block(reader, cursor);
		cursor->count = run->nr_left = 0;
		return;
	}
	to_events(reader, cursor, count);
	for (i = 0; cursor->segment->coro_prefix && i < count; i++)
		tell_apart(&run->events[i], cursor->segment->coro_prefix);
	for (i = 0; cursor->is_carried && i < count; i++)
		mark_carried(&run->events[i]);
	run->nr_left -= (uint32_t)count;
	cursor->count = count;
}

enum ct_status store_cursor_load(
	struct store_reader *reader, struct store_cursor *cursor, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (!store_cursor_is_in_block(cursor)) {
		if (cursor->next_block == STORE_NO_BLOCK) {
			store_cursor_leave(cursor);
			return CT_END;
		}
		status = enter_block(reader, cursor, reterr);
	}
	if (status == CT_OK)
		decode_run(reader, cursor);
	return status;
}

enum ct_status store_reader_tell_senseless(struct store_reader *reader, struct ct_error *reterr)
{
	struct ct_loss *loss = &reader->index.senseless;
	enum ct_status status;

	if (loss->count == 0)
		return CT_OK;
	status = store_tables_note(&reader->all, reader->index.nr_senseless,
		reader->index.senseless_offset, reterr,
		"the file is damaged: it has blocks of records that make no sense");
	if (status == CT_OK && !vec_push(&reader->all.lists.losses, *loss))
		status = ct_fail_memory(reterr);
	reader->all.tables.nr_carried -= reader->index.nr_senseless_carried;
	reader->all.tables.nr_events -= loss->count - reader->index.nr_senseless_carried;
	reader->index.nr_senseless = reader->index.nr_senseless_carried = 0;
	loss->count = 0;
	store_tables_publish(&reader->all);
	return status;
}

enum ct_status store_reader_scan(
	struct store_reader *reader, const struct store_scan_wish *wish, struct ct_error *reterr)
{
	enum ct_status status = store_tables_init(&reader->all, reterr);

	return status ? status
		      : store_index_scan(&reader->index, reader->input, &reader->all, wish, reterr);
}

void store_reader_close(struct store_reader *reader)
{
	store_index_fini(&reader->index);
	store_tables_fini(&reader->all);
	input_close(reader->input);
}
