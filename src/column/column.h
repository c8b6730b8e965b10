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

#include "base/spill.h"
#include "base/vec.h"

#define COLUMN_ROWS 1024u
#define COLUMN_MOST 32u /* columns of a log */

struct column_chunk;

/*
 * Where the packed rows of several logs lie: in memory, up to a bound, and beyond it in a file, of which memory has
 * only the least and greatest numbers. Where there is no such file, in memory after all.
 */
struct column_room {
	uint64_t most_bytes; /* in memory; 0: any number */
	uint64_t nr_bytes;   /* in memory */
	struct spill spill;
	bool has_no_file; /* it could not be had, or is full */
};

/* column_room_init: empty. column_room_empty: likewise, once its logs are gone; what it had is given back. */
void column_room_init(struct column_room *room, uint64_t most_bytes);
void column_room_empty(struct column_room *room);

/* Zeroed is no log. */
struct column_log {
	struct column_room *room;
	uint32_t nr_columns;
	uint32_t nr_open; /* rows that are not packed yet */
	uint64_t nr_rows;
	VEC(struct column_chunk *) chunks;
	int64_t *open; /* nr_columns columns of COLUMN_ROWS */
};

/*
 * column_log_init: an empty log of 1 to COLUMN_MOST columns; the room is lent until column_log_fini. False: out of
 * memory.
 */
bool column_log_init(struct column_log *log, uint32_t nr_columns, struct column_room *room);

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

/*
 * column_log_read: one column of a chunk, into room for COLUMN_ROWS numbers. False, and errno: it cannot be read back
 * from the file.
 */
bool column_log_read(
	const struct column_log *log, uint32_t chunk, uint32_t column, int64_t *ret_values);

#endif
