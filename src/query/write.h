/* SPDX-License-Identifier: MIT */
/*
 * The formats of a result, each a set of functions that append to a text. Private to src/query.
 */
#ifndef QUERY_WRITE_H
#define QUERY_WRITE_H

#include "base/text.h"
#include "corotracer/query.h"

struct query_writing {
	struct ct_query *query;
	const struct ct_query_write_options *options;
	struct text text;
	uint32_t nr_columns;
	uint64_t nr_rows; /* rows of this statement so far */
	struct query_layout *layout;
	struct query_columns *columns;
	struct ct_error failure; /* why a row cannot be written; all zero: it can */
};

struct query_form {
	bool has_one_statement; /* an output cannot hold the answers of two */
	bool is_without_digits; /* the cells of numbers need no text */
	/* NULL: nothing stands before the rows */
	void (*begin)(struct query_writing *writing);
	void (*row)(struct query_writing *writing, const struct ct_query_cell *cells);
	/* NULL: nothing stands behind the rows. `is_whole`: false if the statement failed after some rows */
	void (*end)(struct query_writing *writing, bool is_whole);
	/* frees what the form keeps of the rows; NULL: nothing is kept */
	void (*close)(struct query_writing *writing);
};

/* query_form: how answers are written in this format; lives as long as the program. */
const struct query_form *query_form(enum ct_query_format format);

/* query_layout: a table whose columns are as wide as their contents: the first rows are kept until widths are known. */
extern const struct query_form query_layout;

/*
 * query_arrow: a stream of Arrow. The type of a column is that of the table's column from which it comes; for an
 * expression, that of the first cells that are not NULL. A later cell of another type fails.
 */
extern const struct query_form query_arrow;

/*
 * query_next: as ct_query_next, but where `has_digits` is false, cells of numbers have the text "", which saves most of
 * the time of a row.
 */
enum ct_status query_next(struct ct_query *query, bool has_digits,
	const struct ct_query_cell **ret_cells, struct ct_error *reterr);

#endif
