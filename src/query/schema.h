/* SPDX-License-Identifier: MIT */
/*
 * The view's tables as SQL sees them. Private to src/query; independent of SQLite.
 */
#ifndef QUERY_SCHEMA_H
#define QUERY_SCHEMA_H

#include "corotracer/query.h"

/* SQLite reports wanted columns as bits of a 64-bit word; the last bit stands for all further columns */
#define QUERY_COLUMNS_MOST 63u

/* Where a column of SQL comes from. */
enum query_of {
	QUERY_OF_CELL, /* the view's own column */
#define X(NAME, type, from, to, sql, meaning) QUERY_OF_##NAME,
#include "query/joined.def"
#undef X
};

struct query_column {
	enum query_of of;
	uint32_t column; /* the column in the view's table */
	enum ct_view_type type;
	bool is_text;
	/* an event's value: there is one only if the event's kind has no coroutine */
	bool is_partial;
};

struct query_table {
	enum ct_view_table table;
	struct query_column columns[QUERY_COLUMNS_MOST];
	struct ct_query_column_description descriptions[QUERY_COLUMNS_MOST];
	uint32_t nr_columns;
	/*
	 * The column on which the meaning of a row's other columns depends, such as an event's kind; the view's
	 * nr_columns: there is none.
	 */
	uint32_t kind_column;
};

/* query_table: describes one of the view's tables as SQL sees it; valid as long as the library. */
const struct query_table *query_table(enum ct_view_table table);

/* query_has_column: is the column among these? The case of letters does not matter in SQL. */
bool query_has_column(
	const struct ct_query_column_description *columns, uint32_t nr_columns, const char *name);

#endif
