/* SPDX-License-Identifier: MIT */
/*
 * The sink that writes a trace file.
 *
 * Records go straight into the open block of their stream. A full block, and at a flush every open block, gets its head
 * and checksum and is written by one call. Definitions are gathered separately and always written first, so that each
 * name in a block is defined before the block. The sink must never leave a torn block if the output can be cut back,
 * and never drop a record without counting it.
 */
#include <stdlib.h>

#include "base/count.h"
#include "stream/definition.h"
#include "store/store.h"
#include "store/definitions.h"
#include "store/writer.h"

#define DEFINITIONS_BYTES (64u << 10) /* gathered definitions that are written at once */
#define DEFINITIONS_AFTER_FAILURE (STORE_ROOM_FOR_END / 2) /* definitions kept for close */

/* ---------------------------------------------------------------- definitions */

enum ct_status store_write_definitions(struct store_sink *store, struct ct_error *reterr)
{
	enum ct_status status = store_output_text(
		store->output, STORE_BLOCK_DEFINITIONS, &store->definitions, reterr);

	if (status == CT_OK)
		store_block_start(&store->definitions);
	return status;
}

/* ---------------------------------------------------------------- open blocks */

struct store_open_block *store_take_spare(struct store_sink *store)
{
	struct store_open_block *block = store->spares;

	if (!block)
		return calloc(1, sizeof(*block));
	store->spares = block->next_spare;
	return block;
}

void store_give_spare(struct store_sink *store, struct store_open_block *block)
{
	block->next_spare = store->spares;
	store->spares = block;
}

static void give_back(struct store_sink *store, struct stream *stream)
{
	if (stream->block)
		store_give_spare(store, stream->block);
	stream->block = NULL;
}

/* Writes the stream's open block, if it has one, and closes the block. Definitions must have been written before. */
static enum ct_status finish_block(
	struct store_sink *store, struct stream *stream, struct ct_error *reterr)
{
	enum ct_status status;
	uint8_t *block;
	size_t nr_bytes;

	if (!stream->block)
		return CT_OK;
	block = store_open_block_finish(
		stream->block, (uint32_t)(stream - store->streams.at), &nr_bytes);
	status = store_output_block(store->output,
		stream->block->content.is_carried ? STORE_BLOCK_CARRIED : STORE_BLOCK_EVENTS, block,
		nr_bytes, reterr);
	if (status == CT_OK)
		give_back(store, stream);
	return status;
}

/* -------------------------------------------------------------------- failure */

static const struct directory_segment *segment_of(
	const struct store_sink *store, const struct stream *stream)
{
	return directory_segment(&store->directory, (uint32_t)(stream - store->streams.at));
}

static void note_loss(struct store_sink *store, const struct directory_segment *segment,
	struct ct_define_loss loss, uint64_t first, uint64_t last)
{
	loss.process = segment->process;
	loss.first_monotonic_ns = directory_ns(&store->directory, segment->clock, first);
	loss.last_monotonic_ns = directory_ns(&store->directory, segment->clock, last);
	store_refused_add(&store->refused, &loss);
}

/* Counts the events of these records, and the missing events that some of the records report. */
static void note_lost(struct store_sink *store, const struct directory_segment *segment,
	const struct store_content *content)
{
	struct ct_define_loss lost = {.thread = content->thread,
		.reason = CTP_LOSS_OUTPUT,
		.count = content->nr_records - content->nr_telling};
	struct ct_define_loss told = {.thread = content->thread,
		.reason = content->told_reason,
		.count = content->nr_told};

	if (lost.count)
		note_loss(store, segment, lost, content->first, content->latest);
	if (told.count)
		note_loss(store, segment, told, content->told_from, content->told_until);
}

static void tell(struct store_content *content, const struct ctp_record *record)
{
	uint64_t before = content->nr_told;

	content->told_from =
		before && content->told_from < record->coro ? content->told_from : record->coro;
	content->told_until =
		before && content->told_until > record->time ? content->told_until : record->time;
	content->told_reason = CTP_TAIL_ARGUMENT(record->tail);
	content->nr_telling++;
	count_add(&content->nr_told, record->object);
}

/* Counts records that were taken but are not in the file: the file says so at its end. */
static void lose(
	struct store_sink *store, const struct stream *stream, const struct store_content *content)
{
	if (content->nr_records == 0 || content->is_carried)
		return;
	note_lost(store, segment_of(store, stream), content);
	store->nr_lost += content->nr_records - content->nr_telling;
	store->nr_taken -= content->nr_telling;
}

static enum ct_status repeat_failure(const struct store_sink *store, struct ct_error *reterr)
{
	if (reterr)
		*reterr = store->failure;
	return store->failure.status;
}

/* From here on nothing is written until close tries once more. `failure` must be filled in. */
static enum ct_status fail(struct store_sink *store, struct ct_error *reterr)
{
	struct stream *stream;
	size_t i;

	store->has_failed = store->output->is_ending = true;
	for (i = 1; i < store->streams.count; i++) {
		stream = &store->streams.at[i];
		if (stream->block)
			lose(store, stream, &stream->block->content);
		give_back(store, stream);
	}
	return repeat_failure(store, reterr);
}

/* Refuses a batch: the caller counts it, and the file will report it as lost. */
static void refuse(struct store_sink *store, const struct ct_batch *batch)
{
	struct store_content content = {.thread = batch->thread, .first = UINT64_MAX};
	const struct directory_segment *segment;
	size_t i;

	if (batch->is_carried || !directory_has(&store->directory, batch->stream))
		return;
	segment = directory_segment(&store->directory, batch->stream);
	for (i = 0; i < batch->nr_records; i++) {
		struct ctp_record record = stream_record(&batch->records[i]);

		content.nr_records++;
		if (CTP_TAIL_KIND(record.tail) == CTP_KIND_LOST) {
			tell(&content, &record);
			continue;
		}
		content.first = record.time < content.first ? record.time : content.first;
		content.latest = record.time > content.latest ? record.time : content.latest;
	}
	store->nr_refused += content.nr_records - content.nr_telling;
	note_lost(store, segment, &content);
}

static enum ct_status store_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	struct store_sink *store = (struct store_sink *)sink;
	size_t i;

	if (store->has_failed)
		return repeat_failure(store, reterr);
	if (store_write_definitions(store, &store->failure))
		return fail(store, reterr);
	for (i = 1; i < store->streams.count; i++) {
		if (finish_block(store, &store->streams.at[i], &store->failure))
			return fail(store, reterr);
	}
	return CT_OK;
}

/* ------------------------------------------------------------------------ put */

/* Losses in the middle of a stream count for later generations, too. */
static bool keep_lost(struct store_sink *store, const struct stream *stream, uint32_t thread,
	const struct ctp_record *record)
{
	const struct directory_segment *segment = segment_of(store, stream);
	struct ct_definition loss = {.type = CT_DEFINE_LOSS};

	store->nr_lost_within += record->object;
	loss.loss = (struct ct_define_loss){
		.process = segment->process,
		.thread = thread,
		.reason = CTP_TAIL_ARGUMENT(record->tail),
		.count = record->object,
		.first_monotonic_ns = directory_ns(&store->directory, segment->clock, record->coro),
		.last_monotonic_ns = directory_ns(&store->directory, segment->clock, record->time),
	};
	return store_repeated_keep(&store->repeated, &loss);
}

/*
 * Folds records into the snapshot. Records that the snapshot cannot keep are missing in later generations, and counted;
 * the present generation has all of them.
 */
static void fold(struct store_sink *store, const struct stream *stream,
	const struct ctp_record *records, size_t count)
{
	const struct store_open_block *block = stream->block;
	bool may_have_lost = block->encoder.kinds >> CTP_KIND_LOST & 1;
	size_t i;

	for (i = 0; may_have_lost && i < count; i++) {
		if (CTP_TAIL_KIND(records[i].tail) != CTP_KIND_LOST)
			continue;
		tell(&stream->block->content, &records[i]);
		store->nr_not_folded +=
			!keep_lost(store, stream, block->content.thread, &records[i]);
	}
	if (stream->origin)
		snapshot_fold_many(store->snapshot, stream->origin, records, count);
	else
		store->nr_not_folded += count;
}

/* A batch is encoded and folded piece by piece: the second reading of a piece then hits the nearest cache. */
#define PIECE 256u

static void add_piece(struct store_sink *store, struct stream *stream,
	const struct ctp_record *records, size_t count)
{
	store_open_block_add(stream->block, records, count);
	fold(store, stream, records, count);
}

static void add_copy(struct store_sink *store, struct stream *stream,
	const struct ctp_record *records, size_t count)
{
	struct ctp_record piece[PIECE];
	size_t i;

	if (count == 0)
		return;
	for (i = 0; i < count; i++)
		piece[i] = stream_record(&records[i]);
	add_piece(store, stream, piece, count);
}

/* Encodes as many records as fit into the block for certain; returns how many. */
static size_t fill_block(
	struct store_sink *store, struct stream *stream, const struct ct_batch *batch, size_t next)
{
	size_t room = store_open_block_room(stream->block), count = batch->nr_records - next;

	if (count > room)
		count = room;
	if (count > PIECE)
		count = PIECE;
	if (batch->is_copy)
		add_piece(store, stream, batch->records + next, count);
	else
		add_copy(store, stream, batch->records + next, count);
	return count;
}

static bool is_for(const struct store_open_block *block, const struct ct_batch *batch)
{
	return block->content.thread == batch->thread &&
	       block->content.is_carried == batch->is_carried;
}

static bool has_room(const struct stream *stream, const struct ct_batch *batch)
{
	return stream->block && is_for(stream->block, batch) &&
	       store_open_block_room(stream->block);
}

/* Finds the snapshot's origin of the batch's records. 0: there is none. */
static void find_origin(
	struct store_sink *store, struct stream *stream, const struct ct_batch *batch)
{
	struct snapshot_origin origin = {
		store->directory.segment_of.at[batch->stream], batch->stream, batch->thread};

	if (stream->origin && stream->origin_thread == batch->thread)
		return;
	stream->origin = snapshot_origin(store->snapshot, origin);
	stream->origin_thread = batch->thread;
}

static enum ct_status take_records(struct store_sink *store, struct stream *stream,
	const struct ct_batch *batch, struct ct_error *reterr)
{
	size_t next = 0;
	enum ct_status status;

	while (next < batch->nr_records) {
		if (!has_room(stream, batch)) {
			status = finish_block(store, stream, reterr);
			if (status)
				return status;
			stream->block = store_take_spare(store);
			if (!stream->block)
				return ct_fail_memory(reterr);
			store_open_block_start(stream->block, batch->thread,
				ctp_load_relaxed(&batch->records[next].time));
			stream->block->content.is_carried = batch->is_carried;
		}
		next += fill_block(store, stream, batch, next);
	}
	return CT_OK;
}

/* Returns whether this batch certainly fills no block and causes no write. */
static bool fits_surely(const struct stream *stream, const struct ct_batch *batch)
{
	const struct store_open_block *block = stream->block;

	if (block && !is_for(block, batch))
		return false;
	return batch->nr_records <= store_open_block_room(block);
}

/*
 * The caller counts the whole of a failed batch, so everything of the batch that is in the file already is cut off. The
 * records that the stream's block held before the batch are cut off with it; the sink has to count those.
 */
static enum ct_status put(struct store_sink *store, struct stream *stream,
	const struct ct_batch *batch, struct ct_error *reterr)
{
	struct store_content before = {0};
	struct store_extent start;

	/* Each name in a block must be defined before the block. */
	if (!fits_surely(stream, batch) && store_write_definitions(store, &store->failure)) {
		refuse(store, batch);
		return fail(store, reterr);
	}
	if (stream->block)
		before = stream->block->content;
	start = store->output->written;
	if (take_records(store, stream, batch, &store->failure) == CT_OK)
		return CT_OK;
	store_output_cut_back(store->output, start);
	give_back(store, stream);
	lose(store, stream, &before);
	refuse(store, batch);
	return fail(store, reterr);
}

static enum ct_status store_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	struct store_sink *store = (struct store_sink *)sink;
	struct stream *stream;
	enum ct_status status;

	if (store->has_failed) {
		refuse(store, batch);
		return repeat_failure(store, reterr);
	}
	if (!directory_has(&store->directory, batch->stream))
		return ct_fail(reterr, CT_ERR_USAGE, "stream %u was not defined", batch->stream);
	stream = &store->streams.at[batch->stream];
	find_origin(store, stream, batch);
	status = put(store, stream, batch, reterr);
	if (status == CT_OK && !batch->is_carried)
		store->nr_taken += batch->nr_records;
	return status;
}

/* ----------------------------------------------------------- flush and define */

static bool note_stream(struct store_sink *store, uint32_t number)
{
	return !directory_has(&store->directory, number) || vec_reach(&store->streams, number);
}

static bool note_definition(struct store_sink *store, const struct ct_definition *definition)
{
	if (!store_repeated_keep(&store->repeated, definition))
		return false;
	if (!directory_note(&store->directory, definition))
		return false;
	switch (definition->type) {
	case CT_DEFINE_STREAM:
		return note_stream(store, definition->stream.stream);
	case CT_DEFINE_SITE:
		return snapshot_name(store->snapshot, definition->site.segment, definition->site.id,
			definition->site.reason ? definition->site.reason : "");
	case CT_DEFINE_LOSS:
		store->nr_lost_within += definition->loss.count;
		return true;
	default:
		return true;
	}
}

/* Records are flushed first: otherwise a heartbeat or END would vouch for events that a cut file does not have. */
static enum ct_status flush_before(
	struct store_sink *store, const struct ct_definition *definition, struct ct_error *reterr)
{
	enum ct_status status = store_flush(&store->sink, reterr);

	if (status)
		return status;
	if (definition->type == CT_DEFINE_END)
		store_generation_end(store, definition->end.monotonic_ns);
	if (definition->type == CT_DEFINE_HEARTBEAT &&
		store_generation_beat(store, definition->heartbeat.monotonic_ns, &store->failure))
		return fail(store, reterr);
	return CT_OK;
}

/*
 * An engine does not count the records of losses among its events, although they are in the file like others. Nor does
 * an engine count refused records, which losses report.
 */
static void add_counted(struct store_sink *store, const struct ct_definition *definition)
{
	struct ct_definition counted = *definition;
	uint64_t nr_events = store->nr_taken + store->nr_refused;

	if (definition->type == CT_DEFINE_END && definition->end.nr_events < nr_events)
		counted.end.nr_events = nr_events;
	store_definition_add(&store->definitions, &counted);
}

/*
 * After a failure only definitions that say how the run went are kept, up to a bound. Returns false if out of memory.
 */
static bool define_after_failure(struct store_sink *store, const struct ct_definition *definition)
{
	switch (definition->type) {
	case CT_DEFINE_SEGMENT:
	case CT_DEFINE_CLOCK:
		return directory_note(&store->directory, definition);
	case CT_DEFINE_STREAM:
		return directory_note(&store->directory, definition) &&
		       note_stream(store, definition->stream.stream);
	case CT_DEFINE_LOSS:
		store_refused_add(&store->refused, &definition->loss);
		return true;
	case CT_DEFINE_END:
		store_refused_write(&store->refused, &store->definitions);
		add_counted(store, definition);
		return true;
	case CT_DEFINE_PROCESS:
	case CT_DEFINE_ENDING:
		if (store->definitions.length < DEFINITIONS_AFTER_FAILURE)
			store_definition_add(&store->definitions, definition);
		return true;
	default:
		return true;
	}
}

static enum ct_status store_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	struct store_sink *store = (struct store_sink *)sink;
	enum ct_status flushed = CT_OK;

	if (definition_speaks_of_events(definition) && !store->has_failed)
		flushed = flush_before(store, definition, reterr);
	if (store->has_failed) {
		if (!define_after_failure(store, definition))
			return ct_fail_memory(reterr);
		return flushed ? flushed : text_status(&store->definitions, reterr);
	}
	if (definition->type == CT_DEFINE_GENERATION &&
		store_generation_continue(store, &definition->generation, &store->failure))
		return fail(store, reterr);
	if (!note_definition(store, definition))
		return ct_fail_memory(reterr);
	add_counted(store, definition);
	if (store->definitions.length < DEFINITIONS_BYTES)
		return flushed ? flushed : text_status(&store->definitions, reterr);
	if (store_write_definitions(store, &store->failure))
		return fail(store, reterr);
	return CT_OK;
}

/* ----------------------------------------------------------------------- close */

static void release(struct store_sink *store)
{
	size_t i;

	for (i = 1; i < store->streams.count; i++)
		give_back(store, &store->streams.at[i]);
	while (store->spares)
		free(store_take_spare(store));
	directory_fini(&store->directory);
	text_fini(&store->definitions);
	vec_fini(&store->streams);
	store_repeated_fini(&store->repeated);
	store_refused_fini(&store->refused);
	snapshot_free(store->snapshot);
	free(store);
}

static enum ct_status store_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	struct store_sink *store = (struct store_sink *)sink;
	enum ct_status status = CT_OK, closed;

	if (is_wanted) {
		status = store_flush(sink, reterr);
		if (status)
			store_write_definitions(store, NULL);
	}
	/* A failure to name the file comes before other failures: the user must know that the file is missing. */
	closed = store_output_close(store->output, is_wanted, reterr);
	release(store);
	return closed ? closed : status;
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

static enum ct_status start(struct store_sink *store, struct ct_error *reterr)
{
	enum ct_status status;

	store_block_start(&store->definitions);
	status = text_status(&store->definitions, reterr);
	store->snapshot = snapshot_new();
	if (!store->snapshot)
		return ct_fail_memory(reterr);
	if (status == CT_OK && store->options.pack_level)
		status =
			store_packer_new(store->options.pack_level, &store->output->packer, reterr);
	if (status == CT_OK)
		status = store_output_start(store->output, reterr);
	return status ? status : store_output_begin(store->output, 1, 0, reterr);
}

enum ct_status store_sink_open_output(struct store_output *output,
	const struct store_options *options, struct ct_sink **ret_sink, struct ct_error *reterr)
{
	struct store_sink *store = calloc(1, sizeof(*store));
	enum ct_status status = store ? CT_OK : ct_fail_memory(reterr);

	if (store) {
		store->sink.ops = &store_sink_ops;
		store->output = output;
		if (options)
			store->options = *options;
		status = start(store, reterr);
	}
	if (status == CT_OK) {
		*ret_sink = &store->sink;
		return CT_OK;
	}
	store_output_close(output, false, NULL);
	if (store)
		release(store);
	return status;
}

enum ct_status store_sink_open(const char *path, const struct store_options *options,
	struct ct_sink **ret_sink, struct ct_error *reterr)
{
	struct store_output *output;
	enum ct_status status = store_file_open(path, true, &output, reterr);

	return status ? status : store_sink_open_output(output, options, ret_sink, reterr);
}
