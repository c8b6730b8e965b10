/* SPDX-License-Identifier: MIT */
/*
 * Blocks of events in the making.
 */
#include <string.h>

#include "store_open_block.h"

void store_open_block_start(struct store_open_block *block, uint32_t thread, uint64_t first)
{
	block->content = (struct store_content){.thread = thread, .first = first, .latest = first};
	block->at = block->bytes + STORE_HEAD_ROOM;
	store_encoder_start(&block->encoder, first);
}

bool store_open_block_is_full(const struct store_open_block *block)
{
	return block->content.nr_records == STORE_BLOCK_RECORDS ||
	       block->at + STORE_RECORD_BYTES_MAX > block->bytes + STORE_OPEN_BYTES;
}

void store_open_block_add(struct store_open_block *block, const struct ctp_record *record)
{
	struct store_content *content = &block->content;
	int64_t since = (int64_t)(record->time - content->first);

	if (since > 0 && (uint64_t)since > content->latest - content->first)
		content->latest = record->time;
	block->at = store_encode(&block->encoder, block->at, record);
	content->nr_records++;
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
