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
};

struct query_form {
	void (*begin)(struct query_writing *writing); /* NULL: nothing stands before the rows */
	void (*row)(struct query_writing *writing, const struct ct_query_cell *cells);
	void (*end)(struct query_writing *writing);
};

/*
 * query_forms: indexed by enum ct_query_format. The table for people has no entry, because its layout depends on its
 * rows (table.c).
 */
extern const struct query_form query_forms[CT_QUERY_NR_FORMATS];

/*
 * A table whose columns are as wide as their contents: the first rows are kept until the widths are known.
 * query_layout_add: adds a row; false: out of memory. query_layout_end: prints the rows that are kept.
 */
struct query_layout;

struct query_layout *query_layout_new(void);
void query_layout_free(struct query_layout *layout);
bool query_layout_add(struct query_layout *layout, struct query_writing *writing,
	const struct ct_query_cell *cells);
void query_layout_end(struct query_layout *layout, struct query_writing *writing);

/* query_safe: appends a text for a terminal: control characters become '?'. */
void query_safe(struct text *text, const char *value, size_t nr_bytes);

#endif
