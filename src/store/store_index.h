/* SPDX-License-Identifier: MIT */
/*
 * One pass over a trace file: its definitions into tables, its blocks of events into an index.
 *
 * What is damaged is stepped over to the next whole block, and counted.
 */
#ifndef STORE_STORE_INDEX_H
#define STORE_STORE_INDEX_H

#include "store_format.h"
#include "store_input.h"
#include "store_tables.h"

#define STORE_NO_BLOCK UINT32_MAX

/* A whole block of events. */
struct store_block {
	uint64_t offset; /* of the block in the file */
	uint32_t payload_bytes;
	uint32_t head_bytes; /* of the payload before its records */
	uint32_t nr_records;
	uint32_t thread; /* the file's number */
	uint64_t first;  /* raw times */
	uint64_t latest;
	uint32_t next; /* block of the same stream, or STORE_NO_BLOCK */
};

struct store_stream {
	uint32_t number;
	uint32_t segment; /* index; 0: not defined */
	uint32_t first_block;
	uint32_t last_block;
	uint64_t nr_records;
};

struct store_index {
	VEC(struct store_block) blocks;
	VEC(struct store_stream) streams;
	struct map stream_at; /* number to index in streams */
};

/*
 * store_index_scan: fills the index and the tables, and finishes and publishes those. Only a file
 * that is no trace, an input that can not be read, or missing memory fail.
 */
enum ct_status store_index_scan(struct store_index *index, struct store_input *input,
	struct store_tables *all, struct ct_error *reterr);

void store_index_fini(struct store_index *index);

/*
 * store_block_check: is there a whole block at this offset? CT_OK, its header, and the payload until
 * the next peek; CT_END where the file ends before it; CT_ERR_CORRUPT; or a failure to read.
 */
enum ct_status store_block_check(struct store_input *input, uint64_t offset,
	struct store_block_header *ret_header, const uint8_t **ret_payload,
	struct ct_error *reterr);

#endif
