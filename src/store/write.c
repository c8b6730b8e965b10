/* SPDX-License-Identifier: MIT */
/*
 * The sink that writes a trace file.
 *
 * Records go straight into the open block of their stream; a full block, and at flush every open one,
 * gets its head and checksum and is written by one call. Definitions gather beside them and are
 * always written first, so that no block names what is not defined before it. It must never leave a
 * torn block behind where the output can be cut back, and never drop a record without counting it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crc32c.h"
#include "io.h"
#include "store.h"
#include "store_definitions.h"
#include "store_events.h"
#include "store_format.h"
#include "timeline.h"
#include "vec.h"

#define HEAD_ROOM (sizeof(struct store_block_header) + 5 * STORE_VARINT_MAX)
#define BLOCK_BYTES (48u << 10)
#define DEFINITIONS_BYTES (64u << 10)        /* gathered definitions that are written at once */
#define DEFINITIONS_AFTER_FAILURE (1u << 20) /* kept for a last try at close */
#define NR_CLOCKS 4

/* What a block holds: also what is lost when it can not be written. */
struct content {
	uint32_t thread;
	uint32_t nr_records;
	uint64_t first; /* raw times */
	uint64_t latest;
};

/* A block in the making. Its payload begins behind HEAD_ROOM; the head is put before it at the end. */
struct open_block {
	struct content content;
	uint8_t *at; /* where the next record goes, in bytes */
	struct store_encoder encoder;
	uint8_t bytes[BLOCK_BYTES];
	struct open_block *next_spare;
};

struct stream {
	struct open_block *block; /* NULL: none open */
	uint32_t process;
	uint32_t clock;
};

struct segment {
	uint32_t process;
	uint32_t clock;
};

struct extent {
	uint64_t nr_bytes;
	uint64_t nr_blocks;
};

struct store_sink {
	struct ct_sink sink;
	struct io_output output;
	bool can_cut_back; /* the output is a file of our own */
	bool has_failed;
	struct ct_error failure;
	struct extent written; /* whole blocks */
	uint64_t nr_lost;
	struct text definitions;      /* bytes that wait to be written */
	VEC(struct segment) segments; /* by number */
	VEC(struct stream) streams;   /* by number */
	struct timeline timelines[NR_CLOCKS];
	struct open_block *spares;
};

/* ------------------------------------------------------------------ the output */

static void cut_back(struct store_sink *store, struct extent extent)
{
	if (!store->can_cut_back)
		return;
	if (ftruncate(store->output.descriptor, (off_t)extent.nr_bytes) == 0 &&
		lseek(store->output.descriptor, (off_t)extent.nr_bytes, SEEK_SET) >= 0)
		store->written = extent;
}

static enum ct_status write_whole(
	struct store_sink *store, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	enum ct_status status = io_write(store->output.descriptor, bytes, nr_bytes, reterr);

	if (status) {
		cut_back(store, store->written);
		return ct_context(reterr, status, "writing the trace '%s'",
			store->output.path ? store->output.path : "-");
	}
	store->written.nr_bytes += nr_bytes;
	return CT_OK;
}

/* `block` has room for the header before its payload. */
static enum ct_status write_block(struct store_sink *store, enum store_block_type type,
	uint8_t *block, size_t payload_bytes, struct ct_error *reterr)
{
	struct store_block_header header = {
		.marker = STORE_MARKER,
		.type = (uint16_t)type,
		.payload_bytes = (uint32_t)payload_bytes,
		.raw_bytes = (uint32_t)payload_bytes,
		.number = store->written.nr_blocks,
	};
	enum ct_status status;

	header.crc =
		crc32c(crc32c(0, &header, sizeof(header)), block + sizeof(header), payload_bytes);
	memcpy(block, &header, sizeof(header));
	status = write_whole(store, block, sizeof(header) + payload_bytes, reterr);
	if (status == CT_OK)
		store->written.nr_blocks++;
	return status;
}

static enum ct_status write_file_header(struct store_sink *store, struct ct_error *reterr)
{
	struct store_file_header header = {
		.header_bytes = sizeof(header),
		.version = STORE_VERSION,
	};

	memcpy(header.magic, STORE_MAGIC, STORE_MAGIC_BYTES);
	header.crc = crc32c(0, &header, sizeof(header));
	return write_whole(store, &header, sizeof(header), reterr);
}

/* The text begins with room for the block's header. */
static enum ct_status start_definitions(struct store_sink *store, struct ct_error *reterr)
{
	static const struct store_block_header room;

	text_clear(&store->definitions);
	text_append(&store->definitions, (const char *)&room, sizeof(room));
	return text_status(&store->definitions, reterr);
}

static enum ct_status write_definitions(struct store_sink *store, struct ct_error *reterr)
{
	size_t room = sizeof(struct store_block_header);
	enum ct_status status = text_status(&store->definitions, reterr);

	if (status || store->definitions.length == room)
		return status;
	status = write_block(store, STORE_BLOCK_DEFINITIONS, (uint8_t *)store->definitions.at,
		store->definitions.length - room, reterr);
	return status ? status : start_definitions(store, reterr);
}

/* ---------------------------------------------------------------- open blocks */

static void start_block(struct open_block *block, uint32_t thread, uint64_t first)
{
	block->content = (struct content){.thread = thread, .first = first, .latest = first};
	block->at = block->bytes + HEAD_ROOM;
	store_encoder_start(&block->encoder, first);
}

static struct open_block *take_spare(struct store_sink *store)
{
	struct open_block *block = store->spares;

	if (!block)
		return calloc(1, sizeof(*block));
	store->spares = block->next_spare;
	return block;
}

static void give_back(struct store_sink *store, struct stream *stream)
{
	if (!stream->block)
		return;
	stream->block->next_spare = store->spares;
	store->spares = stream->block;
	stream->block = NULL;
}

/* The head goes right before the records: its length is known only now. */
static uint8_t *put_head(const struct store_sink *store, const struct stream *stream)
{
	struct open_block *block = stream->block;
	const struct content *content = &block->content;
	uint8_t head[HEAD_ROOM], *at = head, *payload;

	at = store_varint_put(at, (uint64_t)(stream - store->streams.at));
	at = store_varint_put(at, content->thread);
	at = store_varint_put(at, content->nr_records);
	at = store_varint_put(at, content->first);
	at = store_varint_put(at, content->latest - content->first);
	payload = block->bytes + HEAD_ROOM - (at - head);
	memcpy(payload, head, (size_t)(at - head));
	return payload;
}

/* Writes the stream's open block, if it has one, and closes it. Definitions were written before. */
static enum ct_status finish_block(
	struct store_sink *store, struct stream *stream, struct ct_error *reterr)
{
	enum ct_status status;
	uint8_t *payload;

	if (!stream->block)
		return CT_OK;
	payload = put_head(store, stream);
	status = write_block(store, STORE_BLOCK_EVENTS, payload - sizeof(struct store_block_header),
		(size_t)(stream->block->at - payload), reterr);
	if (status == CT_OK)
		give_back(store, stream);
	return status;
}

/* -------------------------------------------------------------------- failing */

static uint64_t to_monotonic(const struct store_sink *store, uint32_t clock, uint64_t raw)
{
	size_t hint = 0;

	return (uint64_t)timeline_ns(&store->timelines[clock], raw, &hint);
}

/* Taken, and not in the file: the file itself says so, if it can still take that much. */
static void lose(
	struct store_sink *store, const struct stream *stream, const struct content *content)
{
	struct ct_definition loss = {.type = CT_DEFINE_LOSS};

	if (content->nr_records == 0)
		return;
	loss.loss = (struct ct_define_loss){
		.process = stream->process,
		.thread = content->thread,
		.reason = CTP_LOSS_OUTPUT,
		.count = content->nr_records,
		.first_monotonic_ns = to_monotonic(store, stream->clock, content->first),
		.last_monotonic_ns = to_monotonic(store, stream->clock, content->latest),
	};
	store_definition_add(&store->definitions, &loss);
	store->nr_lost += content->nr_records;
}

static enum ct_status repeat_failure(const struct store_sink *store, struct ct_error *reterr)
{
	if (reterr)
		*reterr = store->failure;
	return store->failure.status;
}

/* From here on nothing is written until close tries once more. `failure` is filled in. */
static enum ct_status fail(struct store_sink *store, struct ct_error *reterr)
{
	struct stream *stream;
	size_t i;

	store->has_failed = true;
	for (i = 1; i < store->streams.count; i++) {
		stream = &store->streams.at[i];
		if (stream->block)
			lose(store, stream, &stream->block->content);
		give_back(store, stream);
	}
	return repeat_failure(store, reterr);
}

/* ------------------------------------------------------------------------ put */

static bool is_full(const struct open_block *block)
{
	return block->content.nr_records == STORE_BLOCK_RECORDS ||
	       block->at + STORE_RECORD_BYTES_MAX > block->bytes + BLOCK_BYTES;
}

/* Each word is read once: it may lie in memory that somebody else writes. */
static inline struct ctp_record read_record(const struct ctp_record *from)
{
	struct ctp_record record;

	record.time = ctp_load_relaxed(&from->time);
	record.coro = ctp_load_relaxed(&from->coro);
	record.object = ctp_load_relaxed(&from->object);
	record.tail = ctp_load_relaxed(&from->tail);
	return record;
}

/* Encodes until the block is full; returns how many records it took. */
static size_t fill_block(struct open_block *block, const struct ctp_record *records, size_t count)
{
	struct content *content = &block->content;
	uint64_t span = content->latest - content->first;
	size_t i;

	for (i = 0; i < count && !is_full(block); i++) {
		struct ctp_record record = read_record(&records[i]);
		int64_t since = (int64_t)(record.time - content->first);

		if (since > 0 && (uint64_t)since > span)
			span = (uint64_t)since;
		block->at = store_encode(&block->encoder, block->at, &record);
		content->nr_records++;
	}
	content->latest = content->first + span;
	return i;
}

static bool has_room(const struct stream *stream, uint32_t thread)
{
	return stream->block && stream->block->content.thread == thread && !is_full(stream->block);
}

static enum ct_status take_records(struct store_sink *store, struct stream *stream,
	const struct ct_batch *batch, struct ct_error *reterr)
{
	size_t next = 0;
	enum ct_status status;

	while (next < batch->nr_records) {
		if (!has_room(stream, batch->thread)) {
			status = finish_block(store, stream, reterr);
			if (status)
				return status;
			stream->block = take_spare(store);
			if (!stream->block)
				return ct_fail_memory(reterr);
			start_block(stream->block, batch->thread,
				ctp_load_relaxed(&batch->records[next].time));
		}
		next += fill_block(stream->block, batch->records + next, batch->nr_records - next);
	}
	return CT_OK;
}

/* Certainly no block gets full and none is written while this batch is taken. */
static bool fits_surely(const struct stream *stream, const struct ct_batch *batch)
{
	const struct open_block *block = stream->block;
	size_t room = BLOCK_BYTES - HEAD_ROOM, used = 0;

	if (block && block->content.thread != batch->thread)
		return false;
	if (block)
		used = (size_t)(block->at - block->bytes) - HEAD_ROOM;
	return batch->nr_records < (room - used) / STORE_RECORD_BYTES_MAX;
}

/*
 * The caller counts all of a batch that fails, so whatever of it is in the file already is cut off
 * again; with it go the records that the stream's block held before, which are ours to count.
 */
static enum ct_status put_writing(struct store_sink *store, struct stream *stream,
	const struct ct_batch *batch, struct ct_error *reterr)
{
	struct content before = {0};
	struct extent start;
	enum ct_status status = write_definitions(store, &store->failure);

	if (status)
		return fail(store, reterr);
	if (stream->block)
		before = stream->block->content;
	start = store->written;
	status = take_records(store, stream, batch, &store->failure);
	if (status == CT_OK)
		return CT_OK;
	cut_back(store, start);
	give_back(store, stream);
	lose(store, stream, &before);
	return fail(store, reterr);
}

static enum ct_status store_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	struct store_sink *store = (struct store_sink *)sink;
	struct stream *stream;

	if (store->has_failed)
		return repeat_failure(store, reterr);
	if (batch->stream == 0 || batch->stream >= store->streams.count)
		return ct_fail(reterr, CT_ERR_USAGE, "stream %u was not defined", batch->stream);
	stream = &store->streams.at[batch->stream];
	if (!fits_surely(stream, batch))
		return put_writing(store, stream, batch, reterr);
	return take_records(store, stream, batch, reterr);
}

/* ----------------------------------------------------------- flush and define */

static enum ct_status store_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	struct store_sink *store = (struct store_sink *)sink;
	size_t i;

	if (store->has_failed)
		return repeat_failure(store, reterr);
	if (write_definitions(store, &store->failure))
		return fail(store, reterr);
	for (i = 1; i < store->streams.count; i++) {
		if (finish_block(store, &store->streams.at[i], &store->failure))
			return fail(store, reterr);
	}
	return CT_OK;
}

static bool note_segment(struct store_sink *store, const struct ct_define_segment *segment)
{
	struct segment none = {0};

	while (store->segments.count <= segment->segment) {
		if (!vec_push(&store->segments, none))
			return false;
	}
	store->segments.at[segment->segment] = (struct segment){
		.process = segment->process,
		.clock = segment->clock < NR_CLOCKS ? segment->clock : CTP_CLOCK_NONE,
	};
	return true;
}

static bool note_stream(struct store_sink *store, const struct ct_define_stream *stream)
{
	struct stream none = {0};
	const struct segment *segment;

	if (stream->segment >= store->segments.count)
		return true;
	while (store->streams.count <= stream->stream) {
		if (!vec_push(&store->streams, none))
			return false;
	}
	segment = &store->segments.at[stream->segment];
	store->streams.at[stream->stream].process = segment->process;
	store->streams.at[stream->stream].clock = segment->clock;
	return true;
}

/* Counters are converted only when something is lost, but then the readings must be there. */
static bool note_clock(struct store_sink *store, const struct ct_define_clock *clock)
{
	if (clock->clock != CTP_CLOCK_COUNTER && clock->clock != CTP_CLOCK_COARSE)
		return true;
	return timeline_add(&store->timelines[clock->clock], clock->raw, clock->monotonic_ns,
		clock->uncertainty_ns);
}

static bool note_definition(struct store_sink *store, const struct ct_definition *definition)
{
	switch (definition->type) {
	case CT_DEFINE_SEGMENT:
		return note_segment(store, &definition->segment);
	case CT_DEFINE_STREAM:
		return note_stream(store, &definition->stream);
	case CT_DEFINE_CLOCK:
		return note_clock(store, &definition->clock);
	default:
		return true;
	}
}

/*
 * What says that nothing is missing up to a time, or up to the end, goes behind the events it speaks of:
 * before them it would vouch for what a cut file no longer has.
 */
static bool speaks_of_events(const struct ct_definition *definition)
{
	return definition->type == CT_DEFINE_HEARTBEAT || definition->type == CT_DEFINE_ENDING ||
	       definition->type == CT_DEFINE_END;
}

/* After a failure only what tells how the run went is kept, and not without bound. */
static bool is_wanted_after_failure(
	const struct store_sink *store, const struct ct_definition *definition)
{
	switch (definition->type) {
	case CT_DEFINE_PROCESS:
	case CT_DEFINE_LOSS:
	case CT_DEFINE_ENDING:
	case CT_DEFINE_END:
		return store->definitions.length < DEFINITIONS_AFTER_FAILURE;
	default:
		return false;
	}
}

static enum ct_status store_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	struct store_sink *store = (struct store_sink *)sink;
	enum ct_status flushed = CT_OK;

	if (speaks_of_events(definition) && !store->has_failed)
		flushed = store_flush(sink, reterr);
	if (store->has_failed && !is_wanted_after_failure(store, definition))
		return flushed;
	if (!note_definition(store, definition))
		return ct_fail_memory(reterr);
	store_definition_add(&store->definitions, definition);
	if (store->has_failed || store->definitions.length < DEFINITIONS_BYTES)
		return flushed ? flushed : text_status(&store->definitions, reterr);
	if (write_definitions(store, &store->failure))
		return fail(store, reterr);
	return CT_OK;
}

/* ----------------------------------------------------------------------- close */

static void release(struct store_sink *store)
{
	struct open_block *block;
	size_t i;

	for (i = 1; i < store->streams.count; i++)
		give_back(store, &store->streams.at[i]);
	while (store->spares) {
		block = take_spare(store);
		free(block);
	}
	for (i = 0; i < NR_CLOCKS; i++)
		timeline_fini(&store->timelines[i]);
	text_fini(&store->definitions);
	vec_fini(&store->segments);
	vec_fini(&store->streams);
	free(store);
}

static enum ct_status store_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	struct store_sink *store = (struct store_sink *)sink;
	enum ct_status status = CT_OK, closed;

	if (is_wanted) {
		status = store_flush(sink, reterr);
		if (status)
			write_definitions(store, NULL);
	}
	closed = io_output_close(&store->output, is_wanted, status ? NULL : reterr);
	release(store);
	return status ? status : closed;
}

uint64_t store_sink_lost(const struct ct_sink *sink)
{
	return ((const struct store_sink *)sink)->nr_lost;
}

static const struct ct_sink_ops store_sink_ops = {
	.put = store_put,
	.define = store_define,
	.flush = store_flush,
	.close = store_close,
};

enum ct_status store_sink_open(const char *path, struct ct_sink **ret_sink, struct ct_error *reterr)
{
	struct store_sink *store = calloc(1, sizeof(*store));
	enum ct_status status;

	if (!store)
		return ct_fail_memory(reterr);
	store->sink.ops = &store_sink_ops;
	status = io_output_open(&store->output, path, reterr);
	if (status) {
		free(store);
		return status;
	}
	store->can_cut_back = store->output.partial_path != NULL;
	status = start_definitions(store, reterr);
	if (status == CT_OK)
		status = write_file_header(store, reterr);
	if (status) {
		io_output_close(&store->output, false, NULL);
		release(store);
		return status;
	}
	*ret_sink = &store->sink;
	return CT_OK;
}
