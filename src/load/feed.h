/* SPDX-License-Identifier: MIT */
/*
 * Rows on their way to a database: which columns a table has there, and its rows as text, in the form that COPY of
 * PostgreSQL and LOAD DATA of MySQL share: tabs between cells, a newline behind each row, \N for nothing, and a
 * backslash before what could be mistaken. Private to src/load.
 */
#ifndef LOAD_FEED_H
#define LOAD_FEED_H

#include "export/rows.h"
#include "load/load.h"

enum load_type {
	LOAD_NUMBER,   /* 64 bits, with a sign */
	LOAD_UNSIGNED, /* 64 bits, without */
	LOAD_BOOLEAN,
	LOAD_TEXT,
	LOAD_RUN, /* the run's id: 32 hexadecimal digits */
	LOAD_KEY, /* counted up by the database; no row has a cell for it */
	LOAD_NR_TYPES,
};

struct load_column {
	const char *name;
	enum load_type type;
};

#define LOAD_COLUMNS (COLUMN_MOST + 1u)

struct load_table {
	const char *name;
	struct load_column columns[LOAD_COLUMNS];
	uint32_t nr_columns;
	bool is_older; /* the table may be another program's: its columns are found by their names */
};

/*
 * load_table_of_view: a PART of another table has no columns: it is a database's view; `events` is the name of the
 * events' table (NULL: as the view has it). load_table_older: with the six columns of JSON lines (NULL:
 * LOAD_DEFAULT_OLDER_TABLE).
 */
void load_table_of_view(enum ct_view_table table, const char *events, struct load_table *ret_table);
void load_table_older(const char *name, struct load_table *ret_table);

struct load_feed {
	struct ct_view *view; /* of one of its tables, */
	struct ct_view_scan *scan;
	enum ct_view_table table;
	struct export_rows rows; /* or of a source, in the older form */
	bool is_older;
	char run[33];
	struct text page; /* rows that nobody took yet */
	struct text cell;
	struct text clean;
};

/* load_feed_open: all rows of a table. load_feed_open_older: of a source, from where it stands. */
enum ct_status load_feed_open(struct load_feed *feed, struct ct_view *view,
	enum ct_view_table table, struct ct_error *reterr);
void load_feed_open_older(struct load_feed *feed, struct ct_source *source);

/* load_feed_next: some more of the text, valid until the next call; CT_END: that was all. */
enum ct_status load_feed_next(struct load_feed *feed, const char **ret_bytes, size_t *ret_nr_bytes,
	struct ct_error *reterr);
void load_feed_close(struct load_feed *feed);

/* load_run: the run's id as the rows have it. */
void load_run(const struct ct_tables *tables, char run[33]);

#endif
