/* SPDX-License-Identifier: MIT */
/*
 * A log of rows of whole numbers, stored column by column in a few bits per number: written once, in order, and then
 * read by any number of threads. A view keeps a trace's events and states in such logs.
 *
 * Rows are packed in chunks of COLUMN_ROWS. A chunk knows the least and the greatest number of each of its columns, so
 * that a reader that wants only some rows skips most chunks, and a reader that wants one column unpacks only that one.
 */
#ifndef COLUMN_COLUMN_H
#define COLUMN_COLUMN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/spill.h"
#include "base/vec.h"

#define COLUMN_ROWS 1024u
#define COLUMN_MOST 32u /* most columns of a log */

struct column_chunk;

/*
 * The storage of several logs' packed rows. Rows are in memory up to a bound; rows beyond the bound are in a file, and
 * only the least and greatest numbers of the file's chunks stay in memory. If there is no file, all rows are in memory.
 */
struct column_room {
	uint64_t most_bytes; /* in memory; 0: any number */
	uint64_t nr_bytes;   /* in memory */
	struct spill spill;
	bool has_no_file; /* the file could not be made, or is full */
};

/*
 * column_room_init: makes an empty room. column_room_empty: empties a room whose logs are gone, and frees what it had.
 */
void column_room_init(struct column_room *room, uint64_t most_bytes);
void column_room_empty(struct column_room *room);

/* Zeroed: no log. */
struct column_log {
	struct column_room *room;
	uint32_t nr_columns;
	uint32_t nr_open; /* rows that are not packed yet */
	uint64_t nr_rows;
	VEC(struct column_chunk *) chunks;
	int64_t *open; /* COLUMN_ROWS of each of the nr_columns columns */
};

/*
 * column_log_init: makes an empty log of 1 to COLUMN_MOST columns; the room is lent until column_log_fini. Returns
 * false if out of memory.
 */
bool column_log_init(struct column_log *log, uint32_t nr_columns, struct column_room *room);

/* column_log_fini: frees the log, which may be zeroed. */
void column_log_fini(struct column_log *log);

/* column_log_add: adds a row of nr_columns numbers. Returns false if out of memory; the row is not in the log then. */
bool column_log_add(struct column_log *log, const int64_t *row);

/* column_log_seal: ends adding; from now on the log can be read. Returns false if out of memory. */
bool column_log_seal(struct column_log *log);

/* column_log_rows: returns the number of rows in a chunk; all chunks but the last one have COLUMN_ROWS. */
uint32_t column_log_rows(const struct column_log *log, uint32_t chunk);

/* column_log_least, column_log_most: return the least and the greatest number of one column of a chunk. */
int64_t column_log_least(const struct column_log *log, uint32_t chunk, uint32_t column);
int64_t column_log_most(const struct column_log *log, uint32_t chunk, uint32_t column);

/*
 * column_log_read: reads one column of a chunk into room for COLUMN_ROWS numbers. Returns false, with errno, if the
 * chunk cannot be read back from the file.
 */
bool column_log_read(
	const struct column_log *log, uint32_t chunk, uint32_t column, int64_t *ret_values);

#endif
