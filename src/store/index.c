/* SPDX-License-Identifier: MIT */
/*
 * The pass over a trace file when the file is opened.
 *
 * The search for the next whole block after damage checks candidates, and a hostile file can contain very many large
 * candidates; so the number of bytes examined is bounded by a multiple of the file's size.
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "store/store.h"
#include "store/definitions.h"
#include "store/events.h"
#include "store/scan.h"

#define SEARCH_BYTES 65536
#define EXAMINED_PER_BYTE 4
#define EXAMINED_FREE (64u << 20)
#define RECORD_BYTES_MIN 2 /* a code and a time */
#define RECORDS_AT_ONCE 256u

/* --------------------------------------------------------------------- blocks */

bool store_block_is_whole(const struct store_block_header *header, const uint8_t *payload)
{
	struct store_block_header without = *header;
	uint32_t crc;

	without.crc = 0;
	crc = crc32c(0, &without, sizeof(without));
	return crc32c(crc, payload, header->payload_bytes) == header->crc;
}

enum ct_status store_block_check(struct input *input, uint64_t offset,
	struct store_block_header *ret_header, const uint8_t **ret_payload, struct ct_error *reterr)
{
	const uint8_t *bytes;
	enum ct_status status = input_peek(input, offset, sizeof(*ret_header), &bytes, reterr);

	if (status)
		return status;
	memcpy(ret_header, bytes, sizeof(*ret_header));
	if (ret_header->marker != STORE_MARKER || ret_header->payload_bytes > STORE_PAYLOAD_MAX)
		return CT_ERR_CORRUPT;
	status = input_peek(input, offset, sizeof(*ret_header) + (size_t)ret_header->payload_bytes,
		&bytes, reterr);
	if (status)
		return status;
	/* The header is a copy, because bytes that are read twice could differ. */
	*ret_payload = bytes + sizeof(*ret_header);
	return store_block_is_whole(ret_header, *ret_payload) ? CT_OK : CT_ERR_CORRUPT;
}

enum ct_status store_block_unpack(struct store_index *index,
	const struct store_block_header *header, const uint8_t **payload, struct ct_error *reterr)
{
	if (!(header->flags & STORE_BLOCK_PACKED))
		return header->raw_bytes == header->payload_bytes ? CT_OK : CT_ERR_CORRUPT;
	index->has_packed = true;
	if (!index->unpacker)
		index->unpacker = store_unpacker_new();
	if (!index->unpacker)
		return ct_fail_memory(reterr);
	return store_unpack(index->unpacker, *payload, header->payload_bytes, header->raw_bytes,
		payload, reterr);
}

static bool is_failure_to_read(enum ct_status status)
{
	return status < 0 && status != CT_ERR_CORRUPT;
}

/* ------------------------------------------------------------------- contents */

static enum ct_status note_damage(struct scan *scan, uint64_t offset, uint64_t nr_bytes)
{
	if (scan->nr_damaged++ == 0)
		scan->damaged_offset = offset;
	scan->damaged_bytes += nr_bytes;
	store_missing_note(scan);
	return CT_OK;
}

/* Missing generations are reported in other ways: see missing.c. */
static bool is_jump(const struct scan *scan, uint32_t generation)
{
	return scan->index->generations.count &&
	       generation > store_scan_generation(scan)->number + 1;
}

/*
 * Missing blocks leave a gap in the numbers. A part may begin with any number but 1; a copy begins with 1 if something
 * was missing before it.
 */
static void note_number(struct scan *scan, const struct store_block_header *header)
{
	bool is_first = scan->index->generations.count == 0;
	bool may_begin = is_first && header->generation > 1 && header->number != 1;
	bool is_gap = header->number != scan->next_number && !may_begin;

	scan->next_number = header->number + 1;
	if (!is_gap)
		return;
	if (!is_jump(scan, header->generation)) {
		store_missing_note(scan);
		scan->is_torn_here = true;
		return;
	}
	scan->nr_torn++;
	scan->nr_missing++;
}

/* A block that the file has twice adds nothing. */
static enum ct_status step_over_twice(
	struct scan *scan, const struct store_block_header *header, struct ct_error *reterr)
{
	struct store_hole hole = {scan->offset, sizeof(*header) + header->payload_bytes, true};

	if (scan->nr_twice++ == 0)
		scan->twice_offset = scan->offset;
	return vec_push(&scan->index->holes, hole) ? CT_OK : ct_fail_memory(reterr);
}

/* A generation is a sequence of blocks with the same generation number. */
static bool note_generation(struct scan *scan, uint32_t number)
{
	struct store_generation generation = {
		.number = number,
		.offset = scan->offset,
		.began_ns = STORE_NOT_KNOWN,
		.ended_ns = STORE_NOT_KNOWN,
		.nr_told = STORE_NOT_KNOWN,
		.begins_torn = scan->is_torn_here,
	};

	struct store_generation *last =
		scan->index->generations.count ? store_scan_generation(scan) : NULL;

	if (last && last->number == number)
		return true;
	if (last) {
		last->end = scan->offset;
		scan->nr_missing += number != last->number + 1;
	}
	return vec_push(&scan->index->generations, generation);
}

static bool is_in_first_generation(const struct scan *scan)
{
	return scan->index->generations.count == 1;
}

static void note_part(struct scan *scan, const struct ct_definition *definition)
{
	struct store_generation *generation = store_scan_generation(scan);

	if (definition->type == CT_DEFINE_GENERATION &&
		definition->generation.generation == generation->number) {
		generation->began_ns = definition->generation.monotonic_ns;
		generation->nr_before = definition->generation.nr_events_before;
		generation->nr_lost_before = definition->generation.nr_lost_before;
	}
	if (definition->type == CT_DEFINE_GENERATION_END &&
		definition->generation_end.generation == generation->number) {
		generation->ended_ns = definition->generation_end.monotonic_ns;
		generation->nr_told = definition->generation_end.nr_events;
		generation->nr_lost = definition->generation_end.nr_lost;
	}
	if (definition->type == CT_DEFINE_HEARTBEAT)
		store_missing_beat(scan, definition->heartbeat.monotonic_ns, false);
	if (definition->type == CT_DEFINE_END)
		store_missing_beat(scan, definition->end.monotonic_ns, true);
}

/* If only names are wanted again, definitions that would count twice are left out. */
static bool is_wanted(struct scan *scan, const struct ct_definition *definition, bool is_for_names)
{
	if (!is_for_names)
		return true;
	switch (definition->type) {
	case CT_DEFINE_CLOCK:
		return store_tables_restore_epoch(scan->all, &definition->clock);
	case CT_DEFINE_LOSS:
	case CT_DEFINE_MAPPING:
	case CT_DEFINE_NOTE:
		return false;
	default:
		return true;
	}
}

static enum ct_status scan_definitions(struct scan *scan, const uint8_t *payload, uint32_t nr_bytes,
	bool is_for_names, struct ct_error *reterr)
{
	struct store_bytes bytes = {payload, payload + nr_bytes, false};
	struct ct_definition definition;
	enum ct_status status;

	for (;;) {
		status = store_definition_take(&bytes, &scan->all->arena, &definition);
		if (status == CT_END)
			return CT_OK;
		if (status == CT_ERR_CORRUPT)
			return note_damage(scan, scan->offset, store_bytes_left(&bytes));
		if (status == CT_ERR_NO_MEMORY)
			return ct_fail_memory(reterr);
		if (status == CT_AGAIN) {
			scan->all->nr_unknown_types++;
			continue;
		}
		note_part(scan, &definition);
		status = is_wanted(scan, &definition, is_for_names)
				 ? store_tables_apply(scan->all, &definition, reterr)
				 : CT_OK;
		if (status)
			return status;
	}
}

/* Repeated definitions are read where they are needed: before the first generation, and after damage and gaps. */
static enum ct_status scan_repeated(
	struct scan *scan, const uint8_t *payload, uint32_t nr_bytes, struct ct_error *reterr)
{
	if (is_in_first_generation(scan))
		return scan_definitions(scan, payload, nr_bytes, false, reterr);
	if (scan->nr_missing_restored == scan->nr_missing)
		return CT_OK;
	return scan_definitions(scan, payload, nr_bytes, true, reterr);
}

/*
 * A sequence of such blocks repeats all earlier definitions, if none of its blocks is damaged or missing, including the
 * first and the last.
 */
static void note_repeated(struct scan *scan, const struct store_block_header *header)
{
	bool is_repeated = header->type == STORE_BLOCK_REPEATED;

	if (is_repeated && !scan->is_in_repeated)
		scan->nr_torn_before = scan->nr_torn_at_last;
	else if (!is_repeated && scan->is_in_repeated && scan->nr_torn == scan->nr_torn_before)
		scan->nr_missing_restored = scan->nr_missing_at_last;
	scan->is_in_repeated = is_repeated;
	scan->nr_torn_at_last = scan->nr_torn;
	scan->nr_missing_at_last = scan->nr_missing;
}

static uint32_t take_number(struct store_bytes *bytes)
{
	uint64_t value = store_varint_take(bytes);

	return value > UINT32_MAX ? (uint32_t)store_break(bytes) : (uint32_t)value;
}

static bool take_head(struct store_bytes *bytes, struct store_block *block, uint32_t *ret_stream)
{
	const uint8_t *start = bytes->at;

	*ret_stream = take_number(bytes);
	block->thread = take_number(bytes);
	block->nr_records = take_number(bytes);
	block->first = store_varint_take(bytes);
	block->latest = block->first + store_varint_take(bytes);
	block->head_bytes = (uint32_t)(bytes->at - start);
	return !bytes->is_broken && block->nr_records > 0 &&
	       block->nr_records <= STORE_BLOCK_RECORDS_MAX &&
	       block->nr_records <= store_bytes_left(bytes) / RECORD_BYTES_MIN;
}

static struct store_stream *find_stream(struct store_index *index, uint32_t number)
{
	struct store_stream stream = {
		.number = number, .first_block = STORE_NO_BLOCK, .last_block = STORE_NO_BLOCK};
	uint32_t at;

	if (map_get(&index->stream_at, number, &at))
		return &index->streams.at[at];
	at = (uint32_t)index->streams.count;
	if (!vec_push(&index->streams, stream) || !map_put(&index->stream_at, number, at))
		return NULL;
	return &index->streams.at[at];
}

static bool add_block(struct store_index *index, uint32_t number, const struct store_block *block)
{
	struct store_stream *stream = find_stream(index, number);
	uint32_t at = (uint32_t)index->blocks.count;

	if (!stream || at == STORE_NO_BLOCK || !vec_push(&index->blocks, *block))
		return false;
	if (stream->first_block == STORE_NO_BLOCK)
		stream->first_block = at;
	else
		index->blocks.at[stream->last_block].next = at;
	stream->last_block = at;
	if (block->is_carried)
		stream->nr_carried += block->nr_records;
	else
		stream->nr_records += block->nr_records;
	return true;
}

/* Leaves out a block, which code that copies blocks must skip, too. */
static enum ct_status leave_out(
	struct scan *scan, const struct store_block_header *header, struct ct_error *reterr)
{
	struct store_hole hole = {scan->offset, sizeof(*header) + header->payload_bytes, false};

	scan->is_torn_here = true;
	if (!scan->is_thorough)
		return note_damage(scan, scan->offset, header->payload_bytes);
	note_damage(scan, scan->offset, hole.nr_bytes);
	scan->index->nr_hole_bytes += hole.nr_bytes;
	return vec_push(&scan->index->holes, hole) ? CT_OK : ct_fail_memory(reterr);
}

/* Returns whether each record of the block can be decoded. */
static bool has_sense(const struct store_block *block, const uint8_t *payload)
{
	struct store_decoder decoder;
	struct ctp_record records[RECORDS_AT_ONCE];
	uint32_t left = block->nr_records;

	store_decoder_start(
		&decoder, block->first, payload + block->head_bytes, payload + block->raw_bytes);
	while (left) {
		uint32_t count = left < RECORDS_AT_ONCE ? left : RECORDS_AT_ONCE;

		if (store_decode(&decoder, records, count) != count)
			return false;
		left -= count;
	}
	return true;
}

static enum ct_status scan_events(struct scan *scan, const struct store_block_header *header,
	const uint8_t *payload, struct ct_error *reterr)
{
	struct store_bytes bytes = {payload, payload + header->raw_bytes, false};
	struct store_block block = {
		.offset = scan->offset,
		.payload_bytes = header->payload_bytes,
		.raw_bytes = header->raw_bytes,
		.next = STORE_NO_BLOCK,
		.is_carried = header->type == STORE_BLOCK_CARRIED,
	};
	uint32_t stream;

	/* In later generations the carried events are already known from the events before. */
	if (block.is_carried && !is_in_first_generation(scan))
		return CT_OK;
	if (!take_head(&bytes, &block, &stream) ||
		(scan->is_thorough && !has_sense(&block, payload)))
		return leave_out(scan, header, reterr);
	if (!block.is_carried)
		store_scan_generation(scan)->nr_events += block.nr_records;
	return add_block(scan->index, stream, &block) ? CT_OK : ct_fail_memory(reterr);
}

static enum ct_status scan_known(struct scan *scan, const struct store_block_header *header,
	const uint8_t *payload, struct ct_error *reterr)
{
	switch (header->type) {
	case STORE_BLOCK_DEFINITIONS:
		return scan_definitions(scan, payload, header->raw_bytes, false, reterr);
	case STORE_BLOCK_REPEATED:
		return scan_repeated(scan, payload, header->raw_bytes, reterr);
	default:
		return scan_events(scan, header, payload, reterr);
	}
}

static bool is_known(const struct store_block_header *header)
{
	return (header->flags & ~STORE_BLOCK_PACKED) == 0 &&
	       header->type >= STORE_BLOCK_DEFINITIONS && header->type <= STORE_BLOCK_REPEATED;
}

static enum ct_status scan_block(struct scan *scan, const struct store_block_header *header,
	const uint8_t *payload, struct ct_error *reterr)
{
	enum ct_status status;

	if (header->number < scan->next_number)
		return step_over_twice(scan, header, reterr);
	note_number(scan, header);
	if (!note_generation(scan, header->generation))
		return ct_fail_memory(reterr);
	scan->is_torn_here = false;
	note_repeated(scan, header);
	if (!is_known(header)) {
		if (scan->nr_skipped++ == 0)
			scan->skipped_offset = scan->offset;
		return CT_OK;
	}
	status = store_block_unpack(scan->index, header, &payload, reterr);
	if (status == CT_ERR_CORRUPT)
		return leave_out(scan, header, reterr);
	return status ? status : scan_known(scan, header, payload, reterr);
}

/* --------------------------------------------------------------------- damage */

/* Finds the next marker at or after `from`. CT_END: there is none. */
static enum ct_status find_marker(
	struct scan *scan, uint64_t from, uint64_t *ret_offset, struct ct_error *reterr)
{
	static const uint32_t marker = STORE_MARKER;
	uint64_t size = scan->input->nr_bytes;
	const uint8_t *bytes, *found;
	enum ct_status status;
	size_t nr_bytes;

	while (from + sizeof(marker) <= size) {
		nr_bytes = size - from < SEARCH_BYTES ? (size_t)(size - from) : SEARCH_BYTES;
		status = input_peek(scan->input, from, nr_bytes, &bytes, reterr);
		if (status)
			return status;
		found = memmem(bytes, nr_bytes, &marker, sizeof(marker));
		if (found) {
			*ret_offset = from + (uint64_t)(found - bytes);
			return CT_OK;
		}
		from += nr_bytes - (sizeof(marker) - 1);
	}
	return CT_END;
}

enum ct_status store_scan_find(
	struct scan *scan, uint64_t from, uint64_t *ret_offset, struct ct_error *reterr)
{
	uint64_t budget = scan->input->nr_bytes * EXAMINED_PER_BYTE + EXAMINED_FREE;
	struct store_block_header header;
	const uint8_t *payload;
	enum ct_status status;

	while (scan->examined < budget) {
		status = find_marker(scan, from, ret_offset, reterr);
		if (status)
			return status;
		status = store_block_check(scan->input, *ret_offset, &header, &payload, reterr);
		if (status == CT_OK || is_failure_to_read(status))
			return status;
		if (status == CT_ERR_CORRUPT && header.payload_bytes <= STORE_PAYLOAD_MAX)
			scan->examined += header.payload_bytes;
		from = *ret_offset + 1;
	}
	return CT_END;
}

/* Goes from a place without a whole block to the next whole block, or to the end of what can be read. */
static enum ct_status step_over(struct scan *scan, struct ct_error *reterr)
{
	struct store_hole hole;
	uint64_t next = 0;
	enum ct_status status = store_scan_find(scan, scan->offset + 1, &next, reterr);

	if (status)
		return status;
	note_damage(scan, scan->offset, next - scan->offset);
	hole = (struct store_hole){scan->offset, next - scan->offset, false};
	scan->index->nr_hole_bytes += hole.nr_bytes;
	scan->is_torn_here = true;
	scan->offset = next;
	return vec_push(&scan->index->holes, hole) ? CT_OK : ct_fail_memory(reterr);
}

enum ct_status store_scan_blocks(struct scan *scan, struct ct_error *reterr)
{
	struct store_block_header header;
	const uint8_t *payload;
	enum ct_status status;

	while (scan->offset < scan->input->nr_bytes) {
		status = store_block_check(scan->input, scan->offset, &header, &payload, reterr);
		if (is_failure_to_read(status))
			return status;
		if (status) {
			status = step_over(scan, reterr);
			if (status == CT_END)
				break;
			if (status)
				return status;
			continue;
		}
		status = scan_block(scan, &header, payload, reterr);
		if (status)
			return status;
		scan->offset += sizeof(header) + header.payload_bytes;
	}
	scan->index->end_of_whole = scan->offset;
	if (scan->index->generations.count)
		store_scan_generation(scan)->end = scan->offset;
	return CT_OK;
}

/* ---------------------------------------------------------------- file header */

static enum ct_status refuse_start(const uint8_t *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	if (nr_bytes >= STORE_MAGIC_BYTES && store_is_ours(bytes, nr_bytes))
		return ct_fail_at(reterr, CT_ERR_FORMAT, 0,
			"a trace whose line ends were changed in transfer: copy it as binary");
	return ct_fail_at(reterr, CT_ERR_FORMAT, 0, "not a trace file");
}

static enum ct_status refuse_newer(const struct store_file_header *header, struct ct_error *reterr)
{
	if (header->version > STORE_VERSION)
		return ct_fail(reterr, CT_ERR_FORMAT,
			"written in format %u; this version reads up to format %u", header->version,
			STORE_VERSION);
	if (header->features_incompatible & ~STORE_FEATURE_PACKED)
		return ct_fail(reterr, CT_ERR_FORMAT,
			"uses features that this version does not know (0x%llx)",
			(unsigned long long)(header->features_incompatible &
					     ~STORE_FEATURE_PACKED));
	return CT_OK;
}

static bool is_header_whole(struct scan *scan, const struct store_file_header *header)
{
	struct store_file_header without = *header;
	const uint8_t *bytes;
	uint32_t crc;

	if (header->header_bytes < sizeof(*header) ||
		header->header_bytes > STORE_HEADER_BYTES_MAX ||
		input_peek(scan->input, 0, header->header_bytes, &bytes, NULL))
		return false;
	without.crc = 0;
	crc = crc32c(0, &without, sizeof(without));
	crc = crc32c(crc, bytes + sizeof(without), header->header_bytes - sizeof(without));
	return crc == header->crc;
}

/* A damaged header is noted, and blocks are searched for after it anyway. */
enum ct_status store_scan_header(struct scan *scan, struct ct_error *reterr)
{
	struct store_file_header header = {0};
	uint64_t size = scan->input->nr_bytes;
	size_t nr_bytes = size < sizeof(header) ? (size_t)size : sizeof(header);
	const uint8_t *bytes = NULL;
	enum ct_status status;

	if (size == 0)
		return ct_fail_at(reterr, CT_ERR_FORMAT, 0, "the file is empty");
	status = input_peek(scan->input, 0, nr_bytes, &bytes, reterr);
	if (status)
		return status < 0 ? status : ct_fail(reterr, CT_ERR_CORRUPT, "the file shrank");
	if (nr_bytes < STORE_MAGIC_BYTES || memcmp(bytes, STORE_MAGIC, STORE_MAGIC_BYTES) != 0)
		return refuse_start(bytes, nr_bytes, reterr);
	memcpy(&header, bytes, nr_bytes);
	if (nr_bytes < sizeof(header))
		return CT_OK;
	scan->offset = sizeof(header);
	if (!is_header_whole(scan, &header))
		return store_tables_note(scan->all, 1, 0, reterr, "the file's header is damaged");
	scan->offset = header.header_bytes;
	return refuse_newer(&header, reterr);
}

enum ct_status store_index_scan(struct store_index *index, struct input *input,
	struct store_tables *all, const struct store_scan_wish *wish, struct ct_error *reterr)
{
	struct scan scan = {
		.index = index,
		.input = input,
		.all = all,
		.last_beat_ns = STORE_NOT_KNOWN,
		.is_thorough = wish->is_thorough,
	};
	enum ct_status status = store_scan_header(&scan, reterr);

	if (status == CT_OK)
		status = store_scan_skip(&scan, wish->last_bytes, reterr);
	if (status == CT_OK)
		status = store_scan_blocks(&scan, reterr);
	return status ? status : store_scan_sum_up(&scan, reterr);
}

void store_index_fini(struct store_index *index)
{
	vec_fini(&index->blocks);
	vec_fini(&index->streams);
	map_fini(&index->stream_at);
	vec_fini(&index->generations);
	vec_fini(&index->holes);
	store_unpacker_free(index->unpacker);
}
