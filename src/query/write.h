/* SPDX-License-Identifier: MIT */
/*
 * The forms of an answer, each a set of functions that append to a text. Private to src/query.
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
	uint64_t nr_rows; /* of this statement */
};

struct query_form {
	void (*begin)(struct query_writing *writing); /* NULL: nothing stands before the rows */
	void (*row)(struct query_writing *writing, const struct ct_query_cell *cells);
	void (*end)(struct query_writing *writing);
};

/* query_forms: by enum ct_query_format; a table for people has none, since it is laid out by its rows (table.c). */
extern const struct query_form query_forms[CT_QUERY_NR_FORMATS];

/*
 * A table whose columns are as wide as what stands in them: rows are kept until it is known how wide that is.
 * query_table_add: false: out of memory. query_table_end: prints what is kept.
 */
struct query_layout;

struct query_layout *query_layout_new(void);
void query_layout_free(struct query_layout *layout);
bool query_layout_add(struct query_layout *layout, struct query_writing *writing,
	const struct ct_query_cell *cells);
void query_layout_end(struct query_layout *layout, struct query_writing *writing);

/* query_safe: a text for a terminal: control characters become '?'. */
void query_safe(struct text *text, const char *value, size_t nr_bytes);

#endif
