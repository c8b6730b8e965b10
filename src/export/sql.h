/* SPDX-License-Identifier: MIT */
/*
 * The parts that statements of all databases share: quoted names, columns with their types, the shape of an existing
 * table, and failures in one line. A dialect describes the differences. Private to src/export.
 */
#ifndef EXPORT_SQL_H
#define EXPORT_SQL_H

#include "export/feed.h"

struct sql_dialect {
	const char *server; /* the server's name in messages */
	const char *schema; /* an expression: the schema of tables that are named without one */
	char quote;         /* the character around names */
	size_t name_bytes;  /* the greatest length of a name, in bytes */
	/* the types' names as the database reports them, */
	const char *types[FEED_NR_TYPES];
	const char *declarations[FEED_NR_TYPES]; /* and as it accepts them */
};

/*
 * sql_check_name: may a table or a database have this name? CT_ERR_USAGE: it is empty, too long, not UTF-8, or has
 * control characters. sql_quote: appends the name between quotes; quotes within it are doubled.
 */
enum ct_status sql_check_name(
	const struct sql_dialect *dialect, const char *name, struct ct_error *reterr);
void sql_quote(struct text *text, const struct sql_dialect *dialect, const char *name);

/* sql_has_column: does the table have a column of this name? */
bool sql_has_column(const struct feed_table *table, const char *name);

/*
 * Each function appends a part of a statement to a text. sql_add_names: the columns for which rows have cells, in
 * parentheses. sql_add_table: CREATE TABLE with its columns; the caller adds the closing parenthesis. sql_add_part:
 * CREATE VIEW of a part of the states. sql_add_shape: SELECT name and type of a table's columns, in their order;
 * `table` is an expression that is already quoted.
 */
void sql_add_names(
	struct text *text, const struct sql_dialect *dialect, const struct feed_table *table);
void sql_add_table(
	struct text *text, const struct sql_dialect *dialect, const struct feed_table *table);
void sql_add_part(struct text *text, const struct sql_dialect *dialect, enum ct_view_table part);
void sql_add_shape(struct text *text, const struct sql_dialect *dialect, const char *table);

/*
 * Compares an existing table, column by column with the database's names of types, with the table that is needed. In
 * the older form, each column for which rows have cells must exist with a type that can hold the cells; the order of
 * columns and any further columns do not matter. sql_shape_status: CT_ERR_USAGE, with the first difference.
 */
struct sql_shape {
	const struct sql_dialect *dialect;
	const struct feed_table *table;
	uint32_t nr_seen;
	uint32_t found;         /* older form: a bit for each column that was found */
	struct text difference; /* "": none was found so far */
};

void sql_shape_column(struct sql_shape *shape, const char *name, const char *type);
enum ct_status sql_shape_status(struct sql_shape *shape, struct ct_error *reterr);

/* sql_fail: makes a library's message an error of one line. Returns CT_ERR_SYSTEM. */
enum ct_status sql_fail(
	const struct sql_dialect *dialect, const char *message, struct ct_error *reterr);

#endif
