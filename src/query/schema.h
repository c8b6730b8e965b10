/* SPDX-License-Identifier: MIT */
/*
 * The view's tables as SQL has them. Private to src/query; knows nothing of SQLite.
 */
#ifndef QUERY_SCHEMA_H
#define QUERY_SCHEMA_H

#include "corotracer/query.h"

#define QUERY_COLUMNS_MOST 63u /* SQLite tells by bits of a word which are wanted, up to this one */

/* Where a column of SQL comes from. */
enum query_of {
	QUERY_OF_CELL, /* the view's own */
#define X(NAME, type, from, to, sql, meaning) QUERY_OF_##NAME,
#include "query/joined.def"
#undef X
};

struct query_column {
	enum query_of of;
	uint32_t column; /* of the view's table */
	enum ct_view_type type;
	bool is_text;
	bool is_partial; /* an event's value: there only where its kind has no coroutine */
};

struct query_table {
	enum ct_view_table table;
	struct query_column columns[QUERY_COLUMNS_MOST];
	struct ct_query_column_description descriptions[QUERY_COLUMNS_MOST];
	uint32_t nr_columns;
	/* The column that says what the others of a row mean, as the kind of an event; nr_columns of the view: none. */
	uint32_t kind_column;
};

/* query_table: one of the view's tables as SQL has it; lives as long as the library. */
const struct query_table *query_table(enum ct_view_table table);

/* query_has_column: is the column among these? SQL does not tell small letters from large ones. */
bool query_has_column(
	const struct ct_query_column_description *columns, uint32_t nr_columns, const char *name);

#endif
