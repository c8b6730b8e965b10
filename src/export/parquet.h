/* SPDX-License-Identifier: MIT */
/*
 * The parts of a Parquet file: a column of a batch as pages, and the metadata at the end of the file. Private to
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
	uint64_t nr_bytes; /* written so far */
	struct text header;
	struct text page;   /* a page before it is compressed */
	int64_t *values;    /* values of a column, without nulls, */
	int64_t *places;    /* and their indexes in the dictionary */
	uint32_t nr_values; /* without nulls */
	struct text groups; /* the row groups, in the form of the metadata at the end of the file */
	uint32_t nr_groups;
	uint64_t nr_rows;
};

/* parquet_type_of: the type that a column's values have in the file. */
enum parquet_type parquet_type_of(enum batch_type type);

/*
 * parquet_write_column: writes one column of a batch: a dictionary if that is shorter, and a page. Appends the column's
 * metadata, a ColumnChunk, to `chunk`, and adds the number of bytes before compression to *nr_raw.
 */
enum ct_status parquet_write_column(struct parquet_file *file, const struct batch_column *column,
	uint32_t nr_rows, struct thrift *chunk, uint64_t *nr_raw, struct ct_error *reterr);

/* parquet_write_bytes: appends bytes to the file. */
enum ct_status parquet_write_bytes(
	struct parquet_file *file, const void *bytes, size_t nr_bytes, struct ct_error *reterr);

#endif
