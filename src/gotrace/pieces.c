/* SPDX-License-Identifier: MIT */
/*
 * Pieces of a file in a list, the newest first.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "gotrace/pieces.h"
#include "gotrace/wire.h"

#define LARGE_PAGE_BYTES ((size_t)2 << 20)
#define PIECE_BYTES (LARGE_PAGE_BYTES - GOTRACE_SLACK_BYTES - 2 * sizeof(size_t))

struct gotrace_piece {
	struct gotrace_piece *older;
	size_t filled;
	uint8_t bytes[PIECE_BYTES + GOTRACE_SLACK_BYTES];
};

_Static_assert(sizeof(struct gotrace_piece) == LARGE_PAGE_BYTES, "a piece fills a large page");

void gotrace_pieces_init(
	struct gotrace_pieces *pieces, const struct input *input, uint64_t offset, uint64_t end)
{
	*pieces = (struct gotrace_pieces){.input = input, .offset = offset, .end = end};
}

static void free_pieces(struct gotrace_piece *piece)
{
	while (piece) {
		struct gotrace_piece *older = piece->older;

		free(piece);
		piece = older;
	}
}

void gotrace_pieces_fini(struct gotrace_pieces *pieces)
{
	free_pieces(pieces->piece);
	free_pieces(pieces->spare);
	*pieces = (struct gotrace_pieces){0};
}

/*
 * A large page takes one page fault where small pages take 512, which is half the cost of reading; but the whole page
 * is cleared.
 */
static struct gotrace_piece *new_piece(const struct input *input)
{
	struct gotrace_piece *piece = aligned_alloc(LARGE_PAGE_BYTES, sizeof(*piece));

	if (piece && input->nr_bytes >= sizeof(*piece))
		madvise(piece, sizeof(*piece), MADV_HUGEPAGE);
	return piece;
}

/* Adds a new piece, which begins with the unread bytes of the present one. */
static bool add_piece(struct gotrace_pieces *pieces)
{
	struct gotrace_piece *piece = pieces->spare;

	if (piece)
		pieces->spare = piece->older;
	else
		piece = new_piece(pieces->input);
	if (!piece)
		return false;
	piece->filled = pieces->piece ? pieces->piece->filled - pieces->used : 0;
	if (piece->filled)
		memcpy(piece->bytes, pieces->piece->bytes + pieces->used, piece->filled);
	piece->older = pieces->piece;
	pieces->piece = piece;
	pieces->used = 0;
	return true;
}

static enum ct_status fill(struct gotrace_pieces *pieces, struct ct_error *reterr)
{
	struct gotrace_piece *piece = pieces->piece;
	uint64_t next = pieces->offset + (piece->filled - pieces->used);
	uint64_t nr_left = pieces->end - next;
	size_t room = PIECE_BYTES - piece->filled, nr_read;
	enum ct_status status = input_read(pieces->input, next, piece->bytes + piece->filled,
		nr_left < room ? (size_t)nr_left : room, &nr_read, reterr);

	if (status)
		return status;
	piece->filled += nr_read;
	memset(piece->bytes + piece->filled, 0, GOTRACE_SLACK_BYTES);
	return CT_OK;
}

enum ct_status gotrace_pieces_peek(struct gotrace_pieces *pieces, size_t nr_bytes,
	const uint8_t **ret_bytes, size_t *ret_nr_bytes, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	size_t nr_left;

	if ((!pieces->piece || pieces->used + nr_bytes > PIECE_BYTES) && !add_piece(pieces))
		return ct_fail_memory(reterr);
	if (pieces->piece->filled - pieces->used < nr_bytes)
		status = fill(pieces, reterr);
	if (status)
		return status;
	nr_left = pieces->piece->filled - pieces->used;
	*ret_bytes = pieces->piece->bytes + pieces->used;
	*ret_nr_bytes = nr_left < nr_bytes ? nr_left : nr_bytes;
	return CT_OK;
}

void gotrace_pieces_skip(struct gotrace_pieces *pieces, size_t nr_bytes)
{
	pieces->used += nr_bytes;
	pieces->offset += nr_bytes;
}

void gotrace_pieces_release(struct gotrace_pieces *pieces)
{
	struct gotrace_piece *piece = pieces->piece ? pieces->piece->older : NULL;

	while (piece) {
		struct gotrace_piece *older = piece->older;

		piece->older = pieces->spare;
		pieces->spare = piece;
		piece = older;
	}
	if (pieces->piece)
		pieces->piece->older = NULL;
}
