/* SPDX-License-Identifier: MIT */
/*
 * Rows on their way to a database: which columns a table has there, and its rows as text, in the form that COPY of
 * PostgreSQL and LOAD DATA of MySQL share: tabs between cells, a newline behind each row, \N for nothing, and a
 * backslash before what could be mistaken. Private to src/export.
 */
#ifndef EXPORT_FEED_H
#define EXPORT_FEED_H

#include "export/batch.h"
#include "export/rows.h"

enum feed_type {
	FEED_NUMBER,   /* 64 bits, with a sign */
	FEED_UNSIGNED, /* 64 bits, without */
	FEED_BOOLEAN,
	FEED_TEXT,
	FEED_RUN, /* the run's id: 32 hexadecimal digits */
	FEED_KEY, /* counted up by the database; no row has a cell for it */
	FEED_NR_TYPES,
};

struct feed_column {
	const char *name;
	enum feed_type type;
};

#define FEED_COLUMNS (COLUMN_MOST + 1u)

struct feed_table {
	const char *name;
	struct feed_column columns[FEED_COLUMNS];
	uint32_t nr_columns;
	bool is_older; /* the table may be another program's: its columns are found by their names */
};

/*
 * feed_table_of_view: of a table that is no PART of another one; `events` is the name of the events' table (NULL: as
 * the view has it). feed_table_older: with the six columns of JSON lines (NULL: EXPORT_DEFAULT_TABLE).
 */
void feed_table_of_view(enum ct_view_table table, const char *events, struct feed_table *ret_table);
void feed_table_older(const char *name, struct feed_table *ret_table);

struct feed {
	const struct batch *batch; /* the rows of one, from `row` on; */
	uint32_t row;
	struct export_rows rows; /* or, where that is NULL, of a source, in the older form */
	char run[33];
	struct text page; /* rows that nobody took yet */
};

/* feed_open: the rows of a batch, which is lent. feed_open_older: of a source, from where it stands. */
void feed_open(struct feed *feed, const struct batch *batch);
void feed_open_older(struct feed *feed, struct ct_source *source);

/* feed_next: some more of the text, valid until the next call; CT_END: that was all. */
enum ct_status feed_next(
	struct feed *feed, const char **ret_bytes, size_t *ret_nr_bytes, struct ct_error *reterr);
void feed_close(struct feed *feed);

/* feed_run: the run's id as the rows have it. */
void feed_run(const struct ct_tables *tables, char run[33]);

#endif
