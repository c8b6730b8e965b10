/* SPDX-License-Identifier: MIT */
/*
 * Where whole blocks go: a file that grows, or a window of generations in memory (store/window.h).
 *
 * An output takes bytes at its end and can be cut back to where it was: what could not be written
 * whole leaves no half block behind. Its first member is the base, and its functions are called through
 * that by one thread at a time.
 */
#ifndef STORE_OUTPUT_H
#define STORE_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"
#include "stream/stream.h"

#include "store/format.h"
#include "store/pack.h"

/* Room on the disk beyond what a file holds: for losses, endings and END, when nothing else fits any more. */
#define STORE_ROOM_FOR_END (256u << 10)

/* How far an output has come: whole blocks. */
struct store_extent {
	uint64_t nr_bytes;
	uint64_t nr_blocks;
};

struct store_output;

struct store_output_ops {
	/* write: all of these bytes; a failure names the output. */
	enum ct_status (*write)(struct store_output *output, const void *bytes, size_t nr_bytes,
		struct ct_error *reterr);
	/* cut_back: to a length that it had. False: it cannot (a pipe). */
	bool (*cut_back)(struct store_output *output, uint64_t nr_bytes);
	/* begin: what follows is another generation. NULL: that is all the same to it. */
	enum ct_status (*begin)(struct store_output *output, uint32_t generation, uint64_t now_ns,
		struct ct_error *reterr);
	/* close: gives the output its name, or throws it away; releases it either way. */
	enum ct_status (*close)(
		struct store_output *output, bool is_wanted, struct ct_error *reterr);
};

struct store_output {
	const struct store_output_ops *ops;
	struct store_extent written;
	uint32_t generation;         /* of the blocks that are written */
	struct store_packer *packer; /* NULL: blocks are not packed; the output's */
	bool has_packed;             /* blocks that come packed are written, too */
	bool keeps_room;             /* for the end (STORE_ROOM_FOR_END) */
	bool is_ending;              /* what is written now is the end, and may use that room */
};

/* store_file_open: a new file, see io_output_open; `keeps_room`: for the end, where the disk has as much. */
enum ct_status store_file_open(const char *path, bool keeps_room, struct store_output **ret_output,
	struct ct_error *reterr);

/* store_descriptor_open: a file that is open, from where it stands; the descriptor stays the caller's. */
enum ct_status store_descriptor_open(
	int descriptor, struct store_output **ret_output, struct ct_error *reterr);

/* store_output_start: writes the file's header. Call it once, before the first block. */
enum ct_status store_output_start(struct store_output *output, struct ct_error *reterr);

/* store_output_begin: what is written from now (CLOCK_MONOTONIC) on belongs to this generation. */
enum ct_status store_output_begin(
	struct store_output *output, uint32_t generation, uint64_t now_ns, struct ct_error *reterr);

/*
 * store_output_block: writes one block. `block` has room for the header before its payload. Where it
 * fails, the output was cut back to the end of the block before, if it can be.
 */
enum ct_status store_output_block(struct store_output *output, enum store_block_type type,
	uint8_t *block, size_t payload_bytes, struct ct_error *reterr);

/* store_block_start: an empty text, with room for a block's header, for definitions. */
void store_block_start(struct text *block);

/* store_output_text: such a text as a block, if there is anything in it. */
enum ct_status store_output_text(struct store_output *output, enum store_block_type type,
	const struct text *block, struct ct_error *reterr);

/* store_output_definitions: these in a block of their own. */
enum ct_status store_output_definitions(struct store_output *output,
	const struct ct_definition *definitions, size_t count, struct ct_error *reterr);

/* store_output_copy: writes a block of another file, packed where it is not and the output packs. */
enum ct_status store_output_copy(struct store_output *output,
	const struct store_block_header *header, const uint8_t *payload, struct ct_error *reterr);

/* store_output_cut_back: takes away what was written since the output had this extent. */
void store_output_cut_back(struct store_output *output, struct store_extent extent);

enum ct_status store_output_close(
	struct store_output *output, bool is_wanted, struct ct_error *reterr);

#endif
