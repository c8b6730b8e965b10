/* SPDX-License-Identifier: MIT */
/*
 * SQL over a view: its public functions are those of corotracer/query.h. The parts, a file each, share what is declared
 * here. Each table is a virtual table of one SQLite module; nothing of a trace is copied into SQLite but what a
 * statement sorts, groups, or looks up again and again.
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
	sqlite3_stmt *statement; /* NULL: nothing is asked */
	atomic_bool is_interrupted;
	int64_t timeout_ns;
	int64_t deadline; /* CLOCK_MONOTONIC; 0: none */
	bool is_late;
	uint64_t memory_bytes;
	struct query_vtab *vtabs[CT_VIEW_NR_TABLES];
	char **places; /* by site: in words; NULL: nobody asked yet */
	struct ct_query_cell *cells;
	struct ct_error failure; /* of the view, while SQLite hands on no more than a number */
};

/* ---------------------------------------------------------------- module.c */

#define QUERY_KEPT_MOST 4u /* of one table, for one statement */

/* A virtual table, and what one statement keeps of it (keep.c). */
struct query_vtab {
	sqlite3_vtab base;
	struct ct_query *query;
	const struct query_table *table;
	uint64_t nr_rows; /* of the view's table; UINT64_MAX: not counted yet */
	struct query_kept *kept[QUERY_KEPT_MOST];
	uint32_t nr_kept;
	uint32_t
		nr_lookups; /* how often the statement asked for rows with one number in a column */
};

/* query_module_count: fills the view's table, and counts its rows, once. SQLite's result. */
int query_module_count(struct query_vtab *vtab, uint64_t *ret_nr_rows);

/* query_module_create: the module, and all tables. SQLite's result. */
int query_module_create(struct ct_query *query);

/* query_module_fail: hands a failure of the view on through SQLite; returns its result. */
int query_module_fail(struct ct_query *query, enum ct_status status, const struct ct_error *error);

/* ---------------------------------------------------------------- plan.c */

/* Bits of a plan's number. */
#define QUERY_PLAN_PAGE \
	1 /* one page of sorted rows: the last argument, or the last two, are limit and offset */
#define QUERY_PLAN_OFFSET 2      /* there is an offset */
#define QUERY_PLAN_DESCENDING 4  /* of the page */
#define QUERY_PLAN_ORDER_SHIFT 8 /* from here on: by which column of the view */

/* query_plan: xBestIndex: which conditions the view takes over, and what that costs. */
int query_plan(sqlite3_vtab *base, sqlite3_index_info *info);

/* ---------------------------------------------------------------- terms.c */

/*
 * How a condition on a column is taken over: not at all; as a first choice, of which SQLite judges each row again; or
 * wholly.
 */
enum query_taking {
	QUERY_TAKEN_NOT,
	QUERY_TAKEN_ROUGHLY,
	QUERY_TAKEN_WHOLLY,
};

/* query_taking: `right` is NULL where the other side is not known before the statement runs. */
enum query_taking query_taking(
	struct ct_query *query, const struct query_column *column, int op, sqlite3_value *right);

#define QUERY_TERMS_MOST 32u /* conditions that are taken over; each makes two terms at most */

/* Terms for a scan, made of the conditions of a plan and their values. */
struct query_terms {
	struct ct_view_term at[2 * QUERY_TERMS_MOST];
	uint32_t count;
	bool is_never; /* no row can meet them */
	char *patterns[QUERY_TERMS_MOST];
	uint32_t nr_patterns;
};

/* query_terms_add: false: out of memory. */
bool query_terms_add(struct query_terms *terms, const struct query_vtab *vtab, uint32_t column,
	int op, sqlite3_value *right);
void query_terms_fini(struct query_terms *terms);

/* ---------------------------------------------------------------- cells.c */

/*
 * query_cell: hands the cell to SQLite. `kind`: of the row's event. query_cell_text: the same of a text column, into
 * `text`, which is empty where the cell is NULL.
 */
void query_cell(sqlite3_context *context, struct ct_query *query, const struct query_column *column,
	int64_t number, int64_t kind);
void query_cell_text(struct text *text, struct ct_query *query, const struct query_column *column,
	int64_t number);

/* query_place: a place in words, "" for none; the query's. NULL: out of memory. */
const char *query_place(struct ct_query *query, int64_t site);

/* ---------------------------------------------------------------- keep.c */

/* Columns of a table as they are, and where each number of one of them stands. */
struct query_kept;

#define QUERY_NO_ROW UINT32_MAX

/*
 * query_keep: of a table, for this statement: the view's columns that are bits of `wanted`, and an index of the column
 * `key`, which is one of them. NULL: there is no room for it; scanning is left.
 */
const struct query_kept *query_keep(struct query_vtab *vtab, uint64_t wanted, uint32_t key);
void query_keep_fini(struct query_vtab *vtab);

/* query_kept_first, query_kept_next: rows with this number in the key's column, in order; QUERY_NO_ROW: no more. */
uint32_t query_kept_first(const struct query_kept *kept, int64_t number);
uint32_t query_kept_next(const struct query_kept *kept, uint32_t row, int64_t number);
int64_t query_kept_cell(const struct query_kept *kept, uint32_t column, uint32_t row);
/* query_kept_number: the row's place in the view's table. */
uint64_t query_kept_number(const struct query_kept *kept, uint32_t row);

/* ---------------------------------------------------------------- functions.c */

/* query_functions_create: SQLite's result. */
int query_functions_create(struct ct_query *query);

#endif
