/* SPDX-License-Identifier: MIT */
/*
 * One pass over a trace file: its definitions into tables, its blocks of events into an index.
 *
 * Damage is stepped over to the next whole block, and counted.
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
	uint32_t payload_bytes; /* as it lies in the file */
	uint32_t raw_bytes;     /* once it is unpacked */
	uint32_t head_bytes;    /* of these before its records */
	uint32_t nr_records;
	uint32_t thread; /* the file's number */
	uint64_t first;  /* raw times */
	uint64_t latest;
	uint32_t next; /* block of the same stream, or STORE_NO_BLOCK */
	bool is_carried;
	bool is_senseless; /* it was read, and its records are not all ones */
};

/* A part that can be understood alone. The generation reaches to where the next one begins. */
struct store_generation {
	uint32_t number; /* 0: blocks that belong to none */
	uint64_t offset;
	uint64_t end;
	uint64_t began_ns;  /* CLOCK_MONOTONIC; STORE_NOT_KNOWN */
	uint64_t ended_ns;  /* STORE_NOT_KNOWN: its end is not in the file */
	uint64_t nr_before; /* events of the recording before it */
	uint64_t nr_lost_before;
	uint64_t nr_events; /* in it, as far as they were read */
	uint64_t nr_told;   /* in it, as its end says; STORE_NOT_KNOWN */
	uint64_t nr_lost;
	bool begins_torn; /* something is missing before its first block */
};

/* Bytes that are stepped over: no whole block begins in them, or one that was there before. */
struct store_hole {
	uint64_t offset;
	uint64_t nr_bytes;
	bool is_twice;
};

struct store_stream {
	uint32_t number;
	uint32_t segment; /* index; 0: not defined */
	uint32_t first_block;
	uint32_t last_block;
	uint64_t nr_records; /* those carried not among them */
	uint64_t nr_carried;
};

struct store_index {
	VEC(struct store_block) blocks;
	VEC(struct store_stream) streams;
	struct map stream_at; /* number to index in streams */
	VEC(struct store_generation) generations;
	VEC(struct store_hole) holes;
	uint64_t nr_hole_bytes;   /* but for what is there twice */
	struct ct_loss damage;    /* what is missing, and told nowhere else; count 0: nothing */
	struct ct_loss senseless; /* in blocks given up since the tables were told of them */
	uint64_t nr_senseless;    /* of these */
	uint64_t nr_senseless_carried;   /* records in these that are carried */
	uint64_t senseless_offset;       /* of the first one */
	uint64_t nr_carried;             /* of streams that are defined */
	bool has_packed;                 /* blocks */
	uint64_t end_of_whole;           /* what follows is cut off */
	struct store_unpacker *unpacker; /* NULL: no block was packed */
};

/* The part of a file that is looked at, and how closely. Zeroed: all of it, its blocks. */
struct store_scan_wish {
	bool is_thorough;    /* records, too: a block of which they make no sense is a hole */
	uint64_t last_bytes; /* only generations that begin within so many at the end; 0: all */
};

/*
 * store_index_scan: fills the index and the tables, and finishes and publishes those. Only a file
 * that is no trace, an input that cannot be read, or missing memory fail; and with last_bytes, CT_ERR_UNSUPPORTED, one
 * of which no generation begins there.
 */
enum ct_status store_index_scan(struct store_index *index, struct input *input,
	struct store_tables *all, const struct store_scan_wish *wish, struct ct_error *reterr);

/* store_generation_events: how many there were in it, as far as that is known: some of them may be missing. */
uint64_t store_generation_events(const struct store_generation *generation);

/* store_generation_gap: events of the recording between two parts; 0: not known, or none. */
uint64_t store_generation_gap(
	const struct store_generation *one, const struct store_generation *next);

void store_index_fini(struct store_index *index);

/* store_block_is_whole: do header and payload belong together? */
bool store_block_is_whole(const struct store_block_header *header, const uint8_t *payload);

/*
 * store_block_check: is there a whole block at this offset? CT_OK, its header, and the payload until
 * the next peek; CT_END where the file ends before it; CT_ERR_CORRUPT; or a failure to read.
 */
enum ct_status store_block_check(struct input *input, uint64_t offset,
	struct store_block_header *ret_header, const uint8_t **ret_payload,
	struct ct_error *reterr);

/*
 * store_block_unpack: the payload of a whole block as it was before it was packed, until the next call;
 * where it was not packed, as it is. CT_ERR_CORRUPT, CT_ERR_UNSUPPORTED, CT_ERR_NO_MEMORY.
 */
enum ct_status store_block_unpack(struct store_index *index,
	const struct store_block_header *header, const uint8_t **payload, struct ct_error *reterr);

#endif
