/* SPDX-License-Identifier: MIT */
/*
 * One pass over a trace file, which puts its definitions into tables, and its blocks of events into an index. Damage is
 * skipped up to the next whole block, and counted.
 */
#ifndef STORE_INDEX_H
#define STORE_INDEX_H

#include "base/input.h"
#include "store/format.h"
#include "store/pack.h"
#include "store/tables.h"

#define STORE_NO_BLOCK UINT32_MAX

/* A whole block of events. */
struct store_block {
	uint64_t offset;        /* of the block in the file */
	uint32_t payload_bytes; /* size in the file */
	uint32_t raw_bytes;     /* size after unpacking */
	uint32_t head_bytes;    /* bytes of raw_bytes before the records */
	uint32_t nr_records;
	uint32_t thread; /* the file's number of the thread */
	uint64_t first;  /* raw time of the first record */
	uint64_t latest;
	uint32_t next; /* the next block of the same stream, or STORE_NO_BLOCK */
	bool is_carried;
	bool is_senseless; /* the block was read, and some of its bytes are not records */
};

/* A generation: a part of the file that can be understood alone, up to the beginning of the next generation. */
struct store_generation {
	uint32_t number; /* 0: blocks that belong to no generation */
	uint64_t offset;
	uint64_t end;
	uint64_t began_ns;  /* CLOCK_MONOTONIC; STORE_NOT_KNOWN */
	uint64_t ended_ns;  /* STORE_NOT_KNOWN: its end is not in the file */
	uint64_t nr_before; /* events of the recording before this generation */
	uint64_t nr_lost_before;
	uint64_t nr_events; /* events of the generation that were found */
	uint64_t nr_told;   /* events of the generation according to its end; STORE_NOT_KNOWN */
	uint64_t nr_lost;
	bool begins_torn; /* something is missing before its first block */
};

/* Bytes that are skipped: no whole block begins in them, or a block that was there before. */
struct store_hole {
	uint64_t offset;
	uint64_t nr_bytes;
	bool is_twice;
};

struct store_stream {
	uint32_t number;
	uint32_t segment; /* index of the segment; 0: not defined */
	uint32_t first_block;
	uint32_t last_block;
	uint64_t nr_records; /* records, without the carried ones */
	uint64_t nr_carried;
};

struct store_index {
	VEC(struct store_block) blocks;
	VEC(struct store_stream) streams;
	struct map stream_at; /* number to index in streams */
	VEC(struct store_generation) generations;
	VEC(struct store_hole) holes;
	uint64_t nr_hole_bytes;   /* bytes of the holes, without blocks that are there twice */
	struct ct_loss damage;    /* missing events that no other loss counts; count 0: none */
	struct ct_loss senseless; /* events in blocks that were given up, not in the tables yet */
	uint64_t nr_senseless;    /* number of these blocks */
	uint64_t nr_senseless_carried;   /* carried records in these blocks */
	uint64_t senseless_offset;       /* offset of the first such block */
	uint64_t nr_carried;             /* carried records of streams that are defined */
	bool has_packed;                 /* the file has packed blocks */
	uint64_t end_of_whole;           /* bytes from here on are a block that was cut off */
	struct store_unpacker *unpacker; /* NULL: no block was packed so far */
};

/* Which part of a file is scanned, and how closely. Zeroed: the whole file, without decoding records. */
struct store_scan_wish {
	/* decode records, too: a block with senseless records becomes a hole */
	bool is_thorough;
	/* only generations that begin within this many bytes at the end; 0: all */
	uint64_t last_bytes;
};

/*
 * store_index_scan: fills the index and the tables, then finishes and publishes the tables. Fails only if the file is
 * not a trace, if the input cannot be read, if memory is missing, or, with last_bytes, if no generation begins there
 * (CT_ERR_UNSUPPORTED).
 */
enum ct_status store_index_scan(struct store_index *index, struct input *input,
	struct store_tables *all, const struct store_scan_wish *wish, struct ct_error *reterr);

/*
 * store_generation_events: returns how many events the generation had, as far as the file shows; some of the events may
 * be missing.
 */
uint64_t store_generation_events(const struct store_generation *generation);

/*
 * store_generation_gap: returns the number of events of the recording between two generations; 0: not known, or none.
 */
uint64_t store_generation_gap(
	const struct store_generation *one, const struct store_generation *next);

void store_index_fini(struct store_index *index);

/* store_block_is_whole: returns whether header and payload belong together. */
bool store_block_is_whole(const struct store_block_header *header, const uint8_t *payload);

/*
 * store_block_check: checks whether there is a whole block at this offset. Returns CT_OK, the block's header, and its
 * payload, which is valid until the next peek; CT_END if the file ends before the block does; CT_ERR_CORRUPT; or a
 * failure to read.
 */
enum ct_status store_block_check(struct input *input, uint64_t offset,
	struct store_block_header *ret_header, const uint8_t **ret_payload,
	struct ct_error *reterr);

/*
 * store_block_unpack: unpacks the payload of a whole block; the result is valid until the next call. A payload that is
 * not packed stays as it is. CT_ERR_CORRUPT, CT_ERR_UNSUPPORTED, CT_ERR_NO_MEMORY.
 */
enum ct_status store_block_unpack(struct store_index *index,
	const struct store_block_header *header, const uint8_t **payload, struct ct_error *reterr);

#endif
