/* SPDX-License-Identifier: MIT */
/*
 * The parts of a Parquet file: a column of a batch as pages, and what the file says of itself at its end. Private to
 * src/export.
 */
#ifndef EXPORT_PARQUET_H
#define EXPORT_PARQUET_H

#include "base/io.h"
#include "base/thrift.h"
#include "export/batch.h"
#include "export/packer.h"

enum parquet_type {
	PARQUET_BOOLEAN = 0,
	PARQUET_INT32 = 1,
	PARQUET_INT64 = 2,
	PARQUET_BYTE_ARRAY = 6,
};

enum parquet_encoding {
	PARQUET_PLAIN = 0,
	PARQUET_RLE = 3,
	PARQUET_DELTA = 5,
	PARQUET_RLE_DICTIONARY = 8,
};

/* A file that is being written. */
struct parquet_file {
	struct io_output output;
	struct packer *packer;
	uint64_t nr_bytes; /* so far */
	struct text header;
	struct text page;   /* before it is packed */
	int64_t *values;    /* of a column, without nulls, */
	int64_t *places;    /* and where they stand in its dictionary */
	uint32_t nr_values; /* without nulls */
	struct text groups; /* what the end of the file will say of each row group */
	uint32_t nr_groups;
	uint64_t nr_rows;
};

/* parquet_type_of: how a column's values lie in the file. */
enum parquet_type parquet_type_of(enum batch_type type);

/*
 * parquet_write_column: one column of a batch, as a dictionary where that is shorter, and a page; what the end of
 * the file says of it, a ColumnChunk, is appended to `chunk`, and to *nr_raw how many bytes it has before packing.
 */
enum ct_status parquet_write_column(struct parquet_file *file, const struct batch_column *column,
	uint32_t nr_rows, struct thrift *chunk, uint64_t *nr_raw, struct ct_error *reterr);

/* parquet_write_bytes: bytes at the end of the file. */
enum ct_status parquet_write_bytes(
	struct parquet_file *file, const void *bytes, size_t nr_bytes, struct ct_error *reterr);

#endif
