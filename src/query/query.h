/* SPDX-License-Identifier: MIT */
/*
 * SQL over a view: the public functions are declared in corotracer/query.h. This header holds what the files of
 * src/query share. Each table is a virtual table of one SQLite module; the data of a trace is copied into SQLite only
 * where a statement sorts it, groups it, or looks it up again and again.
 */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include <sqlite3.h>
#include <stdatomic.h>

#include "base/text.h"
#include "corotracer/query.h"
#include "query/schema.h"

struct ct_query {
	struct ct_view *view;
	sqlite3 *database;
	sqlite3_stmt *statement; /* NULL: no statement runs */
	atomic_bool is_interrupted;
	int64_t timeout_ns;
	int64_t deadline; /* CLOCK_MONOTONIC; 0: none */
	bool is_late;
	uint64_t memory_bytes;
	struct query_vtab *vtabs[CT_VIEW_NR_TABLES];
	char **places; /* the places in words, by site; NULL: not made yet */
	struct ct_query_cell *cells;
	struct ct_error failure; /* the view's failure, because SQLite passes on only a number */
};

/* ---------------------------------------------------------------- module.c */

#define QUERY_KEPT_MOST 4u /* columns by which one statement may keep one table */

/* A virtual table, and what a statement keeps of it (keep.c). */
struct query_vtab {
	sqlite3_vtab base;
	struct ct_query *query;
	const struct query_table *table;
	uint64_t nr_rows; /* rows of the view's table; UINT64_MAX: not counted yet */
	struct query_kept *kept[QUERY_KEPT_MOST];
	uint32_t nr_kept;
	/* how often this statement asked for the rows that have one number in a column */
	uint32_t nr_lookups;
};

/* query_module_count: fills the view's table and counts its rows, once. Returns SQLite's result. */
int query_module_count(struct query_vtab *vtab, uint64_t *ret_nr_rows);

/* query_module_create: creates the module and all tables. Returns SQLite's result. */
int query_module_create(struct ct_query *query);

/* ---------------------------------------------------------------- plan.c */

/* The bits of a plan's number. */
#define QUERY_PLAN_PAGE \
	1 /* one page of sorted rows: the last argument is the limit, or the last two are limit and offset */
#define QUERY_PLAN_OFFSET 2     /* the page has an offset */
#define QUERY_PLAN_DESCENDING 4 /* the page is sorted in descending order */
/* from this bit on: the view's column that the page is sorted by */
#define QUERY_PLAN_ORDER_SHIFT 8

/* query_plan: SQLite's xBestIndex: chooses the conditions that the view checks, and estimates the cost. */
int query_plan(sqlite3_vtab *base, sqlite3_index_info *info);

/* ---------------------------------------------------------------- terms.c */

/*
 * How the view checks a condition on a column: not at all; roughly, so that SQLite checks each row again; or wholly.
 */
enum query_taking {
	QUERY_TAKEN_NOT,
	QUERY_TAKEN_ROUGHLY,
	QUERY_TAKEN_WHOLLY,
};

/*
 * query_taking: how the view can check this condition. `right` is NULL if the other side is unknown before the
 * statement runs.
 */
enum query_taking query_taking(
	struct ct_query *query, const struct query_column *column, int op, sqlite3_value *right);

#define QUERY_TERMS_MOST 32u /* conditions that the view checks; each becomes at most two terms */

/* The terms of a scan, made from a plan's conditions and their values. */
struct query_terms {
	struct ct_view_term at[2 * QUERY_TERMS_MOST];
	uint32_t count;
	bool is_never; /* no row can meet the conditions */
	char *patterns[QUERY_TERMS_MOST];
	uint32_t nr_patterns;
};

/* query_terms_add: adds the terms of one condition. False: out of memory. */
bool query_terms_add(struct query_terms *terms, const struct query_vtab *vtab, uint32_t column,
	int op, sqlite3_value *right);
void query_terms_fini(struct query_terms *terms);

/* ---------------------------------------------------------------- cells.c */

/*
 * query_cell: gives a cell to SQLite. `kind`: the kind of the row's event. query_cell_text: appends the text of a text
 * column's cell to `text`; nothing if the cell is NULL.
 */
void query_cell(sqlite3_context *context, struct ct_query *query, const struct query_column *column,
	int64_t number, int64_t kind);
void query_cell_text(struct text *text, struct ct_query *query, const struct query_column *column,
	int64_t number);

/* query_place: a place in words, in UTF-8; "" for site 0. The text belongs to the query. NULL: out of memory. */
const char *query_place(struct ct_query *query, int64_t site);

/* ---------------------------------------------------------------- keep.c */

/* Unpacked columns of a table, and an index of the rows by the numbers in one of the columns. */
struct query_kept;

#define QUERY_NO_ROW UINT32_MAX

/*
 * query_keep: keeps rows of a table for this statement: the view's columns whose bits are set in `wanted`, and an index
 * of the column `key`, which must be one of them. NULL: there is no room, so the table must be scanned.
 */
const struct query_kept *query_keep(struct query_vtab *vtab, uint64_t wanted, uint32_t key);
void query_keep_fini(struct query_vtab *vtab);

/*
 * query_kept_first, query_kept_next: the rows that have this number in the key's column, in order; QUERY_NO_ROW: no
 * further row.
 */
uint32_t query_kept_first(const struct query_kept *kept, int64_t number);
uint32_t query_kept_next(const struct query_kept *kept, uint32_t row, int64_t number);
int64_t query_kept_cell(const struct query_kept *kept, uint32_t column, uint32_t row);
/* query_kept_number: the number of the row in the view's table. */
uint64_t query_kept_number(const struct query_kept *kept, uint32_t row);

/* ---------------------------------------------------------------- functions.c */

/* query_functions_create: creates our SQL functions. Returns SQLite's result. */
int query_functions_create(struct ct_query *query);

#endif
