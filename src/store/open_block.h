/* SPDX-License-Identifier: MIT */
/*
 * A block of events in the making: records are encoded as they come, the head (F-40) is put before them
 * at the end, when its numbers are known.
 */
#ifndef STORE_OPEN_BLOCK_H
#define STORE_OPEN_BLOCK_H

#include "store/events.h"
#include "store/format.h"

#define STORE_HEAD_ROOM (sizeof(struct store_block_header) + 5 * STORE_VARINT_MAX)
#define STORE_OPEN_BYTES (48u << 10)

/* The contents of a block: also its losses where it cannot be written. */
struct store_content {
	uint32_t thread;
	uint32_t nr_records;
	uint64_t first; /* raw times */
	uint64_t latest;
	bool is_carried;

	uint32_t
		nr_telling; /* of the records: that tell of losses, of so many events, and when these would have been */
	uint32_t told_reason; /* of the last one */
	uint64_t nr_told;
	uint64_t told_from;
	uint64_t told_until;
};

/* Zeroed before its first use. Its payload begins behind STORE_HEAD_ROOM. */
struct store_open_block {
	struct store_content content;
	uint8_t *at; /* where the next record goes, in bytes */
	struct store_encoder encoder;
	uint8_t bytes[STORE_OPEN_BYTES];
	struct store_open_block *next_spare;
};

/* store_open_block_start: empty, for records of this thread. */
void store_open_block_start(struct store_open_block *block, uint32_t thread, uint64_t first);

/* store_open_block_room: so many more records surely fit; NULL: so many into one that was just started. */
size_t store_open_block_room(const struct store_open_block *block);

/* store_open_block_add: records for which there is room, in memory that nobody else writes. */
void store_open_block_add(
	struct store_open_block *block, const struct ctp_record *records, size_t count);

/*
 * store_open_block_finish: puts the head before the records. Returns the block, with room for its header
 * before the payload, and the payload's size.
 */
uint8_t *store_open_block_finish(
	struct store_open_block *block, uint32_t stream, size_t *ret_payload_bytes);

#endif
