/* SPDX-License-Identifier: MIT */
/*
 * SQL over a view: SQLite's SQL over the tables of view.h. A part of ct.h.
 *
 * The tables are those of view.def. Besides the view's own columns, each table has columns for what those refer to: the
 * words of a place, the name of a thread, the id of a process (joined.def). Kinds, states, outcomes and handles are
 * text; ids and times are whole numbers; an empty cell is NULL. Tables cannot be written.
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
	/*
	 * Memory for sorting, grouping and joining, in bytes; 0: 1 GiB. The process has one limit: the value given last
	 * counts.
	 */
	uint64_t memory_bytes;
	int64_t timeout_ns; /* for each statement, once the view is filled; 0: none */
};

/*
 * ct_query_open: opens a query. `view` is lent until ct_query_close. One thread uses a query; a view may have several
 * queries. CT_ERR_UNSUPPORTED: this build has no SQLite.
 */
enum ct_status ct_query_open(struct ct_view *view, const struct ct_query_options *options,
	struct ct_query **ret_query, struct ct_error *reterr);

/* ct_query_close: closes the query. NULL is allowed. */
void ct_query_close(struct ct_query *query);

/*
 * ct_query_interrupt: makes the running statement end with CT_ERR_STOPPED; without a running statement, does nothing.
 * May be called from any thread, and from a signal handler.
 */
void ct_query_interrupt(struct ct_query *query);

/* ----------------------------------------------------------------------- questions */

/*
 * ct_query_ask: begins the first statement of `sql`; the statement before it is over. *ret_rest: the text after the
 * statement, within `sql`. CT_END: there is no statement, only blanks and comments. CT_ERR_USAGE: the text is not SQL,
 * or asks for something that does not exist or is not allowed; the error's `offset` is the place in `sql`, if SQLite
 * states it.
 */
enum ct_status ct_query_ask(
	struct ct_query *query, const char *sql, const char **ret_rest, struct ct_error *reterr);

enum ct_query_type {
	CT_QUERY_NULL,
	CT_QUERY_INTEGER,
	CT_QUERY_REAL,
	CT_QUERY_TEXT,
	CT_QUERY_BYTES,
};

/*
 * ct_query_nr_columns, ct_query_column: return the number of columns of the answer, and the name of one, which is valid
 * until the next ct_query_ask. ct_query_column_type: returns the type that the column's cells have, as far as they are
 * not NULL; CT_QUERY_NULL: not known before the cells are, because the column is an expression.
 */
uint32_t ct_query_nr_columns(const struct ct_query *query);
const char *ct_query_column(const struct ct_query *query, uint32_t column);
enum ct_query_type ct_query_column_type(const struct ct_query *query, uint32_t column);

struct ct_query_cell {
	enum ct_query_type type;
	int64_t number;   /* INTEGER */
	double real;      /* REAL */
	const char *text; /* for all types but NULL: UTF-8, or the bytes; "" for NULL */
	size_t nr_bytes;
};

/*
 * ct_query_next: returns one row: a cell for each column, valid until the next call. CT_END after the last row.
 * CT_ERR_STOPPED: the time was up, or the query was interrupted. CT_ERR_NO_MEMORY: the statement needs more than the
 * limit.
 */
enum ct_status ct_query_next(
	struct ct_query *query, const struct ct_query_cell **ret_cells, struct ct_error *reterr);

/* ----------------------------------------------------------------------- writing answers */

/* The table uses the macro X: a caller's own X is saved here and restored after the table. */
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
	bool no_header;    /* for TABLE, CSV and TSV: no line with the names of columns */
	bool use_colour;   /* for TABLE */
	uint64_t max_rows; /* most rows of each statement; 0: all */
};

struct ct_query_written {
	uint64_t nr_rows;  /* rows of all statements */
	bool has_more;     /* a statement had more than max_rows rows */
	uint64_t at_fault; /* offset in the SQL at which the failed statement begins */
};

/*
 * ct_query_write: runs all statements of `sql` in turn, and writes the answers to a file, whole or not at all; "-" is
 * standard output, to which rows are written as they come. Names that came from the traced program cannot do harm
 * there: control characters become '?' in a table; in CSV, a text that a spreadsheet would take for a formula is
 * preceded by an apostrophe. `ret_written` (may be NULL) is set on failure, too.
 */
enum ct_status ct_query_write(struct ct_query *query, const char *sql,
	const struct ct_query_write_options *options, const char *path,
	struct ct_query_written *ret_written, struct ct_error *reterr);

/* ----------------------------------------------------------------------- tables, functions and examples */

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

/* ct_query_tables: returns all tables, as SQL shows them; they live as long as the library. */
const struct ct_query_table *ct_query_tables(uint32_t *ret_count);

struct ct_query_function {
	const char *name;
	const char *arguments;
	const char *meaning;
};

/* ct_query_functions: returns the functions that SQLite does not have by itself. */
const struct ct_query_function *ct_query_functions(uint32_t *ret_count);

struct ct_query_recipe {
	const char *question;
	const char *sql;
};

/* ct_query_cookbook: returns questions that authors of runtimes ask, and the SQL that answers them. */
const struct ct_query_recipe *ct_query_cookbook(uint32_t *ret_count);

/*
 * ct_query_keyword: returns one keyword of the language, by number; NULL after the last one. ct_query_is_complete:
 * returns whether the text ends with a whole statement.
 */
const char *ct_query_keyword(uint32_t number);
bool ct_query_is_complete(const char *sql);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
