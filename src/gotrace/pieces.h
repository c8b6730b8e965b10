/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a file, read in order, in pieces that stay in place as long as a generation needs them.
 *
 * Bytes that are peeked together lie in one piece. The next generation uses the pieces again, so a file of many
 * generations needs only the memory of its largest one.
 */
#ifndef GOTRACE_PIECES_H
#define GOTRACE_PIECES_H

#include "base/input.h"

struct gotrace_piece;

struct gotrace_pieces {
	const struct input *input; /* the caller's */
	uint64_t offset;           /* the position of the next byte in the file */
	uint64_t end;              /* bytes from here on are ignored */
	struct gotrace_piece *piece;
	struct gotrace_piece *spare;
	size_t used; /* bytes used of the newest piece */
};

/*
 * gotrace_pieces_init: reads from `offset` to `end`, or to the end of the file if that comes first. Takes no memory
 * yet.
 */
void gotrace_pieces_init(
	struct gotrace_pieces *pieces, const struct input *input, uint64_t offset, uint64_t end);
void gotrace_pieces_fini(struct gotrace_pieces *pieces);

/*
 * gotrace_pieces_peek: returns the next `nr_bytes` bytes, or fewer if the file ends before; GOTRACE_SLACK_BYTES behind
 * them are readable. The bytes stay valid until the second gotrace_pieces_release from now.
 */
enum ct_status gotrace_pieces_peek(struct gotrace_pieces *pieces, size_t nr_bytes,
	const uint8_t **ret_bytes, size_t *ret_nr_bytes, struct ct_error *reterr);

/* gotrace_pieces_skip: moves on past bytes that were peeked; the bytes stay in place. */
void gotrace_pieces_skip(struct gotrace_pieces *pieces, size_t nr_bytes);

/* gotrace_pieces_release: releases all pieces except the one that holds the last bytes. */
void gotrace_pieces_release(struct gotrace_pieces *pieces);

#endif
