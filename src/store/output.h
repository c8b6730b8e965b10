/* SPDX-License-Identifier: MIT */
/*
 * The destinations of whole blocks: a file that grows, or a window of generations in memory (store/window.h).
 *
 * An output takes bytes at its end and can be cut back to an earlier length, so that a block that could not be written
 * whole leaves no half block. The first member of an output is this base, through which one thread at a time calls the
 * output's functions.
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

/* Disk space reserved beyond the contents of a file: for losses, endings and END, when the disk is full. */
#define STORE_ROOM_FOR_END (256u << 10)

/* The whole blocks that an output has taken so far. */
struct store_extent {
	uint64_t nr_bytes;
	uint64_t nr_blocks;
};

struct store_output;

struct store_output_ops {
	/* write: appends all of these bytes. A failure names the output. */
	enum ct_status (*write)(struct store_output *output, const void *bytes, size_t nr_bytes,
		struct ct_error *reterr);
	/* cut_back: cuts the output to a length that it had before. Returns false if it cannot (a pipe). */
	bool (*cut_back)(struct store_output *output, uint64_t nr_bytes);
	/* begin: everything that follows belongs to another generation. NULL: the output does not care. */
	enum ct_status (*begin)(struct store_output *output, uint32_t generation, uint64_t now_ns,
		struct ct_error *reterr);
	/* close: gives the output its name, or discards it; frees it in either case. */
	enum ct_status (*close)(
		struct store_output *output, bool is_wanted, struct ct_error *reterr);
};

struct store_output {
	const struct store_output_ops *ops;
	struct store_extent written;
	uint32_t generation;         /* the generation of the blocks that are written now */
	struct store_packer *packer; /* belongs to the output; NULL: blocks are not packed */
	bool has_packed;             /* blocks that are packed already are written, too */
	bool keeps_room;             /* reserve space for the end (STORE_ROOM_FOR_END) */
	bool is_ending;              /* the end is being written, and may use the reserved space */
};

/*
 * store_file_open: opens a new file: see io_output_open. `keeps_room`: reserve space for the end if the disk has
 * enough.
 */
enum ct_status store_file_open(const char *path, bool keeps_room, struct store_output **ret_output,
	struct ct_error *reterr);

/*
 * store_descriptor_open: makes an output of an open file, from its present position; the descriptor stays the caller's.
 */
enum ct_status store_descriptor_open(
	int descriptor, struct store_output **ret_output, struct ct_error *reterr);

/* store_output_start: writes the file's header. Call it once, before the first block. */
enum ct_status store_output_start(struct store_output *output, struct ct_error *reterr);

/* store_output_begin: everything written from `now_ns` (CLOCK_MONOTONIC) on belongs to this generation. */
enum ct_status store_output_begin(
	struct store_output *output, uint32_t generation, uint64_t now_ns, struct ct_error *reterr);

/*
 * store_output_block: writes one block. `block` has room for the header before its payload. If writing fails, the
 * output has been cut back to the end of the previous block, if it can be cut back.
 */
enum ct_status store_output_block(struct store_output *output, enum store_block_type type,
	uint8_t *block, size_t payload_bytes, struct ct_error *reterr);

/* store_block_start: makes an empty text for definitions, with room for a block header. */
void store_block_start(struct text *block);

/* store_output_text: writes a text made by store_block_start as a block, if the text is not empty. */
enum ct_status store_output_text(struct store_output *output, enum store_block_type type,
	const struct text *block, struct ct_error *reterr);

/* store_output_definitions: writes these definitions in a block of their own. */
enum ct_status store_output_definitions(struct store_output *output,
	const struct ct_definition *definitions, size_t count, struct ct_error *reterr);

/* store_output_copy: writes a block of another file, and packs the block if it is not packed and the output packs. */
enum ct_status store_output_copy(struct store_output *output,
	const struct store_block_header *header, const uint8_t *payload, struct ct_error *reterr);

/* store_output_cut_back: removes everything that was written since the output had this extent. */
void store_output_cut_back(struct store_output *output, struct store_extent extent);

enum ct_status store_output_close(
	struct store_output *output, bool is_wanted, struct ct_error *reterr);

#endif
