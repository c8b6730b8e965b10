/* SPDX-License-Identifier: MIT */
/*
 * A log of rows of whole numbers, kept column by column in a few bits a number: written once, in order, and then read
 * by any number of threads. What a view keeps of a trace's events and states lies in such logs.
 *
 * Rows are packed by chunks of COLUMN_ROWS. A chunk knows the least and the greatest number of each of its columns, so
 * that a reader who asks for a part of the rows steps over most chunks, and a reader who asks for one column unpacks
 * that one alone.
 */
#ifndef COLUMN_COLUMN_H
#define COLUMN_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define COLUMN_ROWS 1024u
#define COLUMN_MOST 32u /* columns of a log */

struct column_chunk;

/* Zeroed is no log. */
struct column_log {
	uint32_t nr_columns;
	uint32_t nr_open; /* rows that are not packed yet */
	uint64_t nr_rows;
	uint64_t nr_bytes; /* of all packed chunks */
	VEC(struct column_chunk *) chunks;
	int64_t *open; /* nr_columns columns of COLUMN_ROWS */
};

/* column_log_init: an empty log of 1 to COLUMN_MOST columns. False: out of memory. */
bool column_log_init(struct column_log *log, uint32_t nr_columns);

/* column_log_fini: also of a zeroed one. */
void column_log_fini(struct column_log *log);

/* column_log_add: one more row, of nr_columns numbers. False: out of memory; the row is not in the log. */
bool column_log_add(struct column_log *log, const int64_t *row);

/* column_log_seal: nothing is added any more; from now on the log can be read. False: out of memory. */
bool column_log_seal(struct column_log *log);

/* column_log_rows: how many rows a chunk has; all but the last one have COLUMN_ROWS. */
uint32_t column_log_rows(const struct column_log *log, uint32_t chunk);

/* column_log_least, column_log_most: of one column of a chunk. */
int64_t column_log_least(const struct column_log *log, uint32_t chunk, uint32_t column);
int64_t column_log_most(const struct column_log *log, uint32_t chunk, uint32_t column);

/* column_log_read: one column of a chunk, into room for COLUMN_ROWS numbers. */
void column_log_read(
	const struct column_log *log, uint32_t chunk, uint32_t column, int64_t *ret_values);

#endif
