/* SPDX-License-Identifier: MIT */
/*
 * A block of events in the making: records are encoded as they come; the head (F-40) is put before them at the end,
 * when its numbers are known.
 */
#ifndef STORE_OPEN_BLOCK_H
#define STORE_OPEN_BLOCK_H

#include "store/events.h"
#include "store/format.h"

#define STORE_HEAD_ROOM (sizeof(struct store_block_header) + 5 * STORE_VARINT_MAX)
#define STORE_OPEN_BYTES (48u << 10)

/* What a block contains; also what is lost if the block cannot be written. */
struct store_content {
	uint32_t thread;
	uint32_t nr_records;
	uint64_t first; /* raw time of the first record */
	uint64_t latest;
	bool is_carried;

	/* records that report losses; below: how many events were lost, and when */
	uint32_t nr_telling;
	uint32_t told_reason; /* reason of the last such loss */
	uint64_t nr_told;
	uint64_t told_from;
	uint64_t told_until;
};

/* Must be zeroed before its first use. The payload begins after STORE_HEAD_ROOM. */
struct store_open_block {
	struct store_content content;
	uint8_t *at; /* where the next record's bytes go */
	struct store_encoder encoder;
	uint8_t bytes[STORE_OPEN_BYTES];
	struct store_open_block *next_spare;
};

/* store_open_block_start: makes the block empty, for records of this thread. */
void store_open_block_start(struct store_open_block *block, uint32_t thread, uint64_t first);

/*
 * store_open_block_room: returns how many more records fit into the block for certain; NULL: into a block that was just
 * started.
 */
size_t store_open_block_room(const struct store_open_block *block);

/* store_open_block_add: adds records for which there is room. No other thread may write the records' memory. */
void store_open_block_add(
	struct store_open_block *block, const struct ctp_record *records, size_t count);

/*
 * store_open_block_finish: puts the head before the records. Returns the block, which has room for a block header
 * before its payload, and the payload's size.
 */
uint8_t *store_open_block_finish(
	struct store_open_block *block, uint32_t stream, size_t *ret_payload_bytes);

#endif
