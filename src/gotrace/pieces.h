/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a file, one after another, in pieces that stay where they are as long as a generation needs them.
 *
 * What is asked for lies in one piece. Pieces are used again by the next generation, so that a file of many
 * generations needs the memory of its largest one.
 */
#ifndef GOTRACE_PIECES_H
#define GOTRACE_PIECES_H

#include "base/input.h"

struct gotrace_piece;

struct gotrace_pieces {
	const struct input *input; /* the caller's */
	uint64_t offset;           /* in the file, of the next byte */
	uint64_t end;              /* what lies behind is as if it were not there */
	struct gotrace_piece *piece;
	struct gotrace_piece *spare;
	size_t used; /* of the piece */
};

/* gotrace_pieces_init: takes no memory yet. From `offset` to `end`, or to where the file ends. */
void gotrace_pieces_init(
	struct gotrace_pieces *pieces, const struct input *input, uint64_t offset, uint64_t end);
void gotrace_pieces_fini(struct gotrace_pieces *pieces);

/*
 * gotrace_pieces_peek: the next bytes, up to `nr_bytes`, and no fewer but where the file ends; GOTRACE_SLACK_BYTES may
 * be read behind them. Valid until the release behind the next one.
 */
enum ct_status gotrace_pieces_peek(struct gotrace_pieces *pieces, size_t nr_bytes,
	const uint8_t **ret_bytes, size_t *ret_nr_bytes, struct ct_error *reterr);

/* gotrace_pieces_skip: bytes that were peeked are done with; they stay where they are. */
void gotrace_pieces_skip(struct gotrace_pieces *pieces, size_t nr_bytes);

/* gotrace_pieces_release: gives back all but the piece that the last bytes came from. */
void gotrace_pieces_release(struct gotrace_pieces *pieces);

#endif
