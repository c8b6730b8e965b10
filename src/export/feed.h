/* SPDX-License-Identifier: MIT */
/*
 * Rows on their way to a database: the columns that a table has there, and its rows as text. The text has the form that
 * COPY of PostgreSQL and LOAD DATA of MySQL share: tabs between cells, a newline behind each row, \N for null, and a
 * backslash before special characters. Private to src/export.
 */
#ifndef EXPORT_FEED_H
#define EXPORT_FEED_H

#include "export/batch.h"
#include "export/rows.h"

enum feed_type {
	FEED_NUMBER,   /* 64 bits, signed */
	FEED_UNSIGNED, /* 64 bits, unsigned */
	FEED_BOOLEAN,
	FEED_TEXT,
	FEED_RUN, /* the run's id: 32 hexadecimal digits */
	FEED_KEY, /* counted by the database; rows have no cell for it */
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
	bool is_older; /* the table may have been made by another program: its columns are found by name */
};

/*
 * feed_table_of_view: describes a table that is not a PART of another one; `events` names the table of events (NULL:
 * the view's name). feed_table_older: describes the table with the six columns of JSON lines (NULL:
 * EXPORT_DEFAULT_TABLE).
 */
void feed_table_of_view(enum ct_view_table table, const char *events, struct feed_table *ret_table);
void feed_table_older(const char *name, struct feed_table *ret_table);

struct feed {
	const struct batch *batch; /* the rows of this batch from `row` on; */
	uint32_t row;
	/* or, if `batch` is NULL, the rows of a source in the older form */
	struct export_rows rows;
	char run[33];
	struct text page; /* rows that have not been fetched yet */
};

/*
 * feed_open: feeds the rows of a batch, which must stay valid. feed_open_older: feeds the rows of a source, from its
 * present position on.
 */
void feed_open(struct feed *feed, const struct batch *batch);
void feed_open_older(struct feed *feed, struct ct_source *source);

/* feed_next: returns more of the text, valid until the next call; CT_END: there is no more. */
enum ct_status feed_next(
	struct feed *feed, const char **ret_bytes, size_t *ret_nr_bytes, struct ct_error *reterr);
void feed_close(struct feed *feed);

/* feed_run: the run's id in the form that rows have. */
void feed_run(const struct ct_tables *tables, char run[33]);

#endif
