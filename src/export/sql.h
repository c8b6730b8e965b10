/* SPDX-License-Identifier: MIT */
/*
 * What the statements of all databases have in common: names between quotes, columns with their types, the shape of a
 * table that is there, and failures in one line. Where they differ is told by a dialect. Private to src/export.
 */
#ifndef EXPORT_SQL_H
#define EXPORT_SQL_H

#include "export/feed.h"

struct sql_dialect {
	const char *server; /* as messages call it */
	const char *schema; /* an expression: where tables without a further name are */
	char quote;         /* around names */
	size_t name_bytes;  /* a name has at most so many */
	const char *types[FEED_NR_TYPES];        /* as the database tells them, and */
	const char *declarations[FEED_NR_TYPES]; /* as it takes them */
};

/*
 * sql_check_name: may a table or a database have this name? CT_ERR_USAGE: it is empty or too long, no UTF-8, or has
 * control characters in it. sql_quote: appends it between quotes, with quotes inside doubled.
 */
enum ct_status sql_check_name(
	const struct sql_dialect *dialect, const char *name, struct ct_error *reterr);
void sql_quote(struct text *text, const struct sql_dialect *dialect, const char *name);

/* sql_has_column: does the table have one of this name? */
bool sql_has_column(const struct feed_table *table, const char *name);

/*
 * Parts of statements, appended to a text. sql_add_names: the columns that rows have cells for, in parentheses.
 * sql_add_table: CREATE TABLE with its columns, up to the parenthesis that closes it, which is the caller's.
 * sql_add_part: CREATE VIEW of a part of the states. sql_add_shape: SELECT name and type of the columns that a table
 * has, in their order; `table` is an expression, already quoted.
 */
void sql_add_names(
	struct text *text, const struct sql_dialect *dialect, const struct feed_table *table);
void sql_add_table(
	struct text *text, const struct sql_dialect *dialect, const struct feed_table *table);
void sql_add_part(struct text *text, const struct sql_dialect *dialect, enum ct_view_table part);
void sql_add_shape(struct text *text, const struct sql_dialect *dialect, const char *table);

/*
 * A table that is there, told column by column as its database names their types, compared with the one that should be.
 * In the older form, the columns that rows have cells for must be there, of types that can hold them; their order, and
 * further columns, are its maker's. sql_shape_status: CT_ERR_USAGE and the first difference.
 */
struct sql_shape {
	const struct sql_dialect *dialect;
	const struct feed_table *table;
	uint32_t nr_seen;
	uint32_t found;         /* of the older form: a bit for each column */
	struct text difference; /* "": none so far */
};

void sql_shape_column(struct sql_shape *shape, const char *name, const char *type);
enum ct_status sql_shape_status(struct sql_shape *shape, struct ct_error *reterr);

/* sql_fail: CT_ERR_SYSTEM: what a library says, as one line. */
enum ct_status sql_fail(
	const struct sql_dialect *dialect, const char *message, struct ct_error *reterr);

#endif
