/* SPDX-License-Identifier: MIT */
/*
 * A trace file as rows of generations, and the copying of such rows: block by block, without decoding any
 * event. Cutting, joining and recovering are made of it. Private to src/store.
 */
#ifndef STORE_PART_H
#define STORE_PART_H

#include "store/store.h"
#include "store/cursor.h"
#include "store/output.h"
#include "store/scan.h"

/*
 * store_part_open: looks through a trace file. Nothing of it need be whole. `is_thorough`: see store_index_scan. A
 * failure names the file. store_reader_close is due after a failure, too.
 */
enum ct_status store_part_open(
	struct store_reader *part, const char *path, bool is_thorough, struct ct_error *reterr);

/* store_part_refuse_empty: CT_ERR_FORMAT where the file has no block at all. */
enum ct_status store_part_refuse_empty(const struct store_reader *part, struct ct_error *reterr);

/* A file that is put together from rows. */
struct store_copy {
	struct store_output *output;
	struct ct_part summary;
	const struct store_reader *from; /* of the last block; NULL: there is none yet */
	uint64_t next_number;            /* of a block there, where none is missing */
};

/*
 * store_copy_begin: a new file, see store_file_open; `is_packed`: some rows have packed blocks.
 * store_copy_end: gives it its name, or throws it away where copying failed; releases it either way, and returns the
 * first failure. *ret_part: what it holds.
 */
enum ct_status store_copy_begin(struct store_copy *copy, const char *path, int pack_level,
	bool is_packed, struct ct_error *reterr);
enum ct_status store_copy_end(struct store_copy *copy, enum ct_status copied,
	struct ct_part *ret_part, struct ct_error *reterr);

/*
 * store_copy_row: all whole blocks of a generation. An END with is_cut, by which a part ends here, is left out: the
 * copy has an end of its own.
 */
enum ct_status store_copy_row(struct store_copy *copy, struct store_reader *part,
	const struct store_generation *generation, struct ct_error *reterr);

/* store_copy_cut: END: the recording goes on behind this generation. */
enum ct_status store_copy_cut(struct store_copy *copy, const struct store_reader *part,
	const struct store_generation *last, struct ct_error *reterr);

#endif
