/* SPDX-License-Identifier: MIT */
/*
 * A trace file as a sequence of generations, and copying of generations block by block, without decoding events.
 * Cutting, joining and recovering are made of these functions. Private to src/store.
 */
#ifndef STORE_PART_H
#define STORE_PART_H

#include "store/store.h"
#include "store/cursor.h"
#include "store/output.h"
#include "store/scan.h"

/*
 * store_part_open: scans a trace file, which may be damaged anywhere. `is_thorough`: see store_index_scan. A failure
 * names the file. Call store_reader_close after a failure, too.
 */
enum ct_status store_part_open(
	struct store_reader *part, const char *path, bool is_thorough, struct ct_error *reterr);

/* store_part_refuse_empty: fails with CT_ERR_FORMAT if the file has no block at all. */
enum ct_status store_part_refuse_empty(const struct store_reader *part, struct ct_error *reterr);

/* A file that is put together from generations. */
struct store_copy {
	struct store_output *output;
	struct ct_part summary;
	const struct store_reader *from; /* the part of the last block; NULL: no block yet */
	/* number that the next block of that part has if none is missing */
	uint64_t next_number;
};

/*
 * store_copy_begin: begins a new file: see store_file_open. `is_packed`: some parts have packed blocks.
 * store_copy_end: gives the file its name, or discards it if copying failed; frees the copy in either case, and returns
 * the first failure. *ret_part: what the file contains.
 */
enum ct_status store_copy_begin(struct store_copy *copy, const char *path, int pack_level,
	bool is_packed, struct ct_error *reterr);
enum ct_status store_copy_end(struct store_copy *copy, enum ct_status copied,
	struct ct_part *ret_part, struct ct_error *reterr);

/*
 * store_copy_row: copies all whole blocks of a generation. An END with is_cut, which marks the end of a part, is left
 * out: the copy has an end of its own.
 */
enum ct_status store_copy_row(struct store_copy *copy, struct store_reader *part,
	const struct store_generation *generation, struct ct_error *reterr);

/* store_copy_cut: writes an END that says that the recording goes on after this generation. */
enum ct_status store_copy_cut(struct store_copy *copy, const struct store_reader *part,
	const struct store_generation *last, struct ct_error *reterr);

#endif
