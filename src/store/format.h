/* SPDX-License-Identifier: MIT */
/*
 * The pieces of a trace file: the header, the head of a block, and the sizes that bound them.
 *
 * docs/spec/trace-format.md has the rules (F-1 ...). All numbers are little-endian. Everything is copied out of the
 * file and checked before it is used.
 */
#ifndef STORE_FORMAT_H
#define STORE_FORMAT_H

#include <assert.h>
#include <stdint.h>

#include "corotracer/versions.h"

/*
 * A byte that is not text, then line ends of both kinds: a transfer "as text" damages the magic and is noticed at once.
 */
#define STORE_MAGIC \
	"\x8b"      \
	"CTR\r\n\x1a\n"
#define STORE_MAGIC_BYTES 8
#define STORE_VERSION ((uint32_t)CT_VERSION_FILE)

struct store_file_header {
	uint8_t magic[STORE_MAGIC_BYTES];
	uint32_t header_bytes; /* offset of the first block */
	uint32_t crc;          /* of header_bytes bytes, with this field as 0 */
	uint32_t version;
	uint32_t reserved;
	uint64_t features_compatible;   /* a reader ignores unknown bits */
	uint64_t features_incompatible; /* a reader refuses a file with unknown bits */
	uint8_t reserved_end[24];
};

/* most bytes of a file header that a later version made longer */
#define STORE_HEADER_BYTES_MAX 4096
#define STORE_MARKER UINT32_C(0x0ab1c7e9)

enum store_block_type {
	STORE_BLOCK_DEFINITIONS = 1,
	STORE_BLOCK_EVENTS = 2,
	STORE_BLOCK_CARRIED = 3,  /* events that state what was true when the generation began */
	STORE_BLOCK_REPEATED = 4, /* definitions from earlier generations, repeated */
};

#define STORE_BLOCK_PACKED 1u            /* flag: the payload is packed with zstd */
#define STORE_FEATURE_PACKED UINT64_C(1) /* incompatible: the file has packed blocks */
#define STORE_PACKED_RATIO 64u           /* a payload unpacks to at most this many times its size */

struct store_block_header {
	uint32_t marker;
	uint32_t crc; /* of this header, with this field as 0, and of the payload */
	uint16_t type;
	uint16_t flags; /* STORE_BLOCK_...; a reader skips a block with an unknown flag */
	uint32_t payload_bytes;
	uint32_t raw_bytes;  /* size of the unpacked payload; payload_bytes if it is not packed */
	uint32_t generation; /* number of the block's generation, from 1; 0: none */
	/* number of the block in the file, from 0: a gap shows missing blocks */
	uint64_t number;
};

static_assert(sizeof(struct store_file_header) == 64, "a file header");
static_assert(sizeof(struct store_block_header) == 32, "the head of a block");

#define STORE_CLOCKS 4 /* number of clocks in enum ctp_clock */
#define STORE_PAYLOAD_MAX (16u << 20)
#define STORE_BLOCK_RECORDS 4096u      /* records that a writer puts into one block */
#define STORE_BLOCK_RECORDS_MAX 65536u /* records of one block that a reader accepts */
#define STORE_TEXT_MAX 65535u          /* bytes of one text in a definition */
#define STORE_NOT_KNOWN UINT64_MAX     /* instead of a time in a definition */

#endif
