/* SPDX-License-Identifier: MIT */
/*
 * Blocks of events in the making.
 */
#include <string.h>

#include "store/open_block.h"

void store_open_block_start(struct store_open_block *block, uint32_t thread, uint64_t first)
{
	block->content = (struct store_content){.thread = thread, .first = first, .latest = first};
	block->at = block->bytes + STORE_HEAD_ROOM;
	store_encoder_start(&block->encoder, first);
}

size_t store_open_block_room(const struct store_open_block *block)
{
	size_t used = block ? (size_t)(block->at - block->bytes) : STORE_HEAD_ROOM;
	size_t records = STORE_BLOCK_RECORDS - (block ? block->content.nr_records : 0);
	size_t bytes = STORE_OPEN_BYTES - used;

	return records < bytes / STORE_RECORD_BYTES_MAX ? records : bytes / STORE_RECORD_BYTES_MAX;
}

void store_open_block_add(
	struct store_open_block *block, const struct ctp_record *records, size_t count)
{
	struct store_content *content = &block->content;

	block->at = store_encode(&block->encoder, block->at, records, count);
	content->latest = content->first + (uint64_t)block->encoder.latest;
	content->nr_records += (uint32_t)count;
}

uint8_t *store_open_block_finish(
	struct store_open_block *block, uint32_t stream, size_t *ret_payload_bytes)
{
	const struct store_content *content = &block->content;
	uint8_t head[STORE_HEAD_ROOM], *at = head, *payload;

	at = store_varint_put(at, stream);
	at = store_varint_put(at, content->thread);
	at = store_varint_put(at, content->nr_records);
	at = store_varint_put(at, content->first);
	at = store_varint_put(at, content->latest - content->first);
	payload = block->bytes + STORE_HEAD_ROOM - (at - head);
	memcpy(payload, head, (size_t)(at - head));
	*ret_payload_bytes = (size_t)(block->at - payload);
	return payload - sizeof(struct store_block_header);
}
