/* SPDX-License-Identifier: MIT */
/*
 * SQL over a view: the tables of view.h for SQLite's language. A part of ct.h.
 *
 * The tables are those of view.def. Beside a view's own columns each has what they refer to: of a place its words, of a
 * thread its name, of a process its id (joined.def). Kinds, states, outcomes and handles are text, ids and times are
 * whole numbers; a cell that holds nothing is NULL. Nothing can be written.
 *
 *	ct_query_open(view, NULL, &query, &error);
 *	ct_query_ask(query, "SELECT place, p99(duration_ns) FROM waits GROUP BY place", &rest, &error);
 *	while (ct_query_next(query, &cells, &error) == CT_OK)
 *		puts(cells[0].text);
 *	ct_query_close(query);
 */
#ifndef COROTRACER_QUERY_H
#define COROTRACER_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/error.h"
#include "corotracer/view.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

struct ct_query;

struct ct_query_options {
	size_t size;
	/* For sorting, grouping and joining; 0: 1 GiB. The limit is one for the process: the last one holds. */
	uint64_t memory_bytes;
	int64_t timeout_ns; /* of each statement, once the view is filled; 0: none */
};

/*
 * ct_query_open: `view` is lent until ct_query_close. A query is used by one thread; a view may have several.
 * CT_ERR_UNSUPPORTED: this build is without SQLite.
 */
enum ct_status ct_query_open(struct ct_view *view, const struct ct_query_options *options,
	struct ct_query **ret_query, struct ct_error *reterr);

/* ct_query_close: NULL is allowed. */
void ct_query_close(struct ct_query *query);

/*
 * ct_query_interrupt: what is asked ends with CT_ERR_STOPPED; where nothing is asked, nothing happens. From any thread,
 * and from a signal handler.
 */
void ct_query_interrupt(struct ct_query *query);

/* ----------------------------------------------------------------------- asking */

/*
 * ct_query_ask: the first statement of `sql`; the one that was asked before is over. *ret_rest: what stands behind it,
 * within `sql`. CT_END: there is no statement, only blanks and comments. CT_ERR_USAGE: it is no SQL, or asks for what
 * is not there or not allowed; `offset` of the error is the place in `sql`, where SQLite tells it.
 */
enum ct_status ct_query_ask(
	struct ct_query *query, const char *sql, const char **ret_rest, struct ct_error *reterr);

/* ct_query_nr_columns, ct_query_column: of the answer; the name is valid until the next ct_query_ask. */
uint32_t ct_query_nr_columns(const struct ct_query *query);
const char *ct_query_column(const struct ct_query *query, uint32_t column);

enum ct_query_type {
	CT_QUERY_NULL,
	CT_QUERY_INTEGER,
	CT_QUERY_REAL,
	CT_QUERY_TEXT,
	CT_QUERY_BYTES,
};

struct ct_query_cell {
	enum ct_query_type type;
	int64_t number;   /* INTEGER */
	double real;      /* REAL */
	const char *text; /* any but NULL: UTF-8, or the bytes; "" of NULL */
	size_t nr_bytes;
};

/*
 * ct_query_next: one row: a cell for each column, valid until the next call. CT_END behind the last one.
 * CT_ERR_STOPPED: its time was up, or it was interrupted. CT_ERR_NO_MEMORY: it needs more than the limit.
 */
enum ct_status ct_query_next(
	struct ct_query *query, const struct ct_query_cell **ret_cells, struct ct_error *reterr);

/* ----------------------------------------------------------------------- writing */

/* The tables' macros: who includes this has its own back behind them. */
#pragma push_macro("X")
#undef X

enum ct_query_format {
#define X(NAME, name, meaning) CT_QUERY_##NAME,
#include "corotracer/def/query_formats.def"
#undef X
	CT_QUERY_NR_FORMATS,
};

#pragma pop_macro("X")

struct ct_query_write_options {
	size_t size;
	enum ct_query_format format;
	bool no_header;    /* of TABLE, CSV and TSV: no line with the names of columns */
	bool use_colour;   /* of TABLE */
	uint64_t max_rows; /* of each statement; 0: all */
};

struct ct_query_written {
	uint64_t nr_rows;  /* of all statements */
	bool has_more;     /* one had more than max_rows */
	uint64_t at_fault; /* where in the SQL the statement begins that failed */
};

/*
 * ct_query_write: asks all statements of `sql` in turn, and writes the answers to a file, whole or not at all; "-" is
 * standard output, to which rows are written as they come. Names of programs are safe there: control characters become
 * '?' in a table; in CSV, text that a spreadsheet would take for a formula has an apostrophe before it. `ret_written`
 * is set on failure, too; NULL: not asked.
 */
enum ct_status ct_query_write(struct ct_query *query, const char *sql,
	const struct ct_query_write_options *options, const char *path,
	struct ct_query_written *ret_written, struct ct_error *reterr);

/* ----------------------------------------------------------------------- what there is */

struct ct_query_column_description {
	const char *name;
	const char *type; /* INTEGER or TEXT */
	const char *meaning;
};

struct ct_query_table {
	const char *name;
	const char *meaning;
	const struct ct_query_column_description *columns;
	uint32_t nr_columns;
};

/* ct_query_tables: all tables, as SQL has them; they live as long as the library. */
const struct ct_query_table *ct_query_tables(uint32_t *ret_count);

struct ct_query_function {
	const char *name;
	const char *arguments;
	const char *meaning;
};

/* ct_query_functions: those beside SQLite's own. */
const struct ct_query_function *ct_query_functions(uint32_t *ret_count);

struct ct_query_recipe {
	const char *question;
	const char *sql;
};

/* ct_query_cookbook: questions that authors of runtimes ask, and how SQL asks them. */
const struct ct_query_recipe *ct_query_cookbook(uint32_t *ret_count);

/*
 * ct_query_keyword: one word of the language, by number; NULL behind the last one. ct_query_is_complete: does the text
 * end with a whole statement?
 */
const char *ct_query_keyword(uint32_t number);
bool ct_query_is_complete(const char *sql);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
