/* SPDX-License-Identifier: MIT */
/*
 * The pieces of a trace file: the header, the head of a block, and the sizes that bound them.
 *
 * docs/spec/trace-format.md has the rules (F-1 ...). All numbers are little-endian. Nothing here is
 * used before it was copied out of the file and checked.
 */
#ifndef STORE_FORMAT_H
#define STORE_FORMAT_H

#include <assert.h>
#include <stdint.h>

/* A byte that is no text, then a line end of either kind: a transfer "as text" shows at once. */
#define STORE_MAGIC \
	"\x8b"      \
	"CTR\r\n\x1a\n"
#define STORE_MAGIC_BYTES 8
#define STORE_VERSION 1

struct store_file_header {
	uint8_t magic[STORE_MAGIC_BYTES];
	uint32_t header_bytes; /* where the first block begins */
	uint32_t crc;          /* of header_bytes bytes, this field taken as 0 */
	uint32_t version;
	uint32_t reserved;
	uint64_t features_compatible;   /* unknown bits are ignored */
	uint64_t features_incompatible; /* unknown bits refuse the file */
	uint8_t reserved_end[24];
};

#define STORE_HEADER_BYTES_MAX 4096 /* of a file header that a later version made longer */
#define STORE_MARKER UINT32_C(0x0ab1c7e9)

enum store_block_type {
	STORE_BLOCK_DEFINITIONS = 1,
	STORE_BLOCK_EVENTS = 2,
	STORE_BLOCK_CARRIED = 3,  /* events: how things stood when the generation began */
	STORE_BLOCK_REPEATED = 4, /* definitions of generations before */
};

#define STORE_BLOCK_PACKED 1u            /* flag: the payload is packed with zstd */
#define STORE_FEATURE_PACKED UINT64_C(1) /* incompatible: there are such blocks */
#define STORE_PACKED_RATIO 64u           /* a payload unpacks to at most so many times its size */

struct store_block_header {
	uint32_t marker;
	uint32_t crc; /* of this header, this field taken as 0, and of the payload */
	uint16_t type;
	uint16_t flags; /* STORE_BLOCK_...; a block with an unknown flag is skipped */
	uint32_t payload_bytes;
	uint32_t raw_bytes;  /* of the payload once it is unpacked; the same as payload_bytes */
	uint32_t generation; /* the part of the file it belongs to, from 1; 0: of no part */
	uint64_t number;     /* of the block in the file, from 0: a gap shows what is missing */
};

static_assert(sizeof(struct store_file_header) == 64, "a file header");
static_assert(sizeof(struct store_block_header) == 32, "the head of a block");

#define STORE_CLOCKS 4 /* enum ctp_clock */
#define STORE_PAYLOAD_MAX (16u << 20)
#define STORE_BLOCK_RECORDS 4096u      /* that a writer puts into one block */
#define STORE_BLOCK_RECORDS_MAX 65536u /* that a reader accepts */
#define STORE_TEXT_MAX 65535u          /* bytes of one text in a definition */
#define STORE_NOT_KNOWN UINT64_MAX     /* in place of a time in a definition */

#endif
