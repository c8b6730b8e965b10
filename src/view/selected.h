/* SPDX-License-Identifier: MIT */
/*
 * Rows of the part of a trace that is passed on. Private to src/view.
 */
#ifndef VIEW_SELECTED_H
#define VIEW_SELECTED_H

#include "stream/pass.h"
#include "view/view.h"

#define VIEW_NO_COLUMN UINT32_MAX

/* The columns by which rows of a table are selected; VIEW_NO_COLUMN: the table has none of this kind. */
struct view_selected {
	struct pass *pass; /* NULL: all rows of the table are wanted */
	enum ct_view_table table;
	uint32_t from;
	uint32_t until; /* for things that happen at once, the same as `from` */
	uint32_t coro;
	uint32_t waker;
	uint32_t site;
};

/*
 * view_selected_init: prepares for one scan of a table. Tables that are made from the report are wanted whole; so is
 * every table if the pass is NULL or wants everything.
 */
void view_selected_init(
	struct view_selected *selected, struct pass *pass, enum ct_view_table table);

/*
 * view_selected_needs: returns the number of columns that are needed to decide, at most VIEW_SELECTED_MOST, and
 * writes them to ret_columns.
 */
#define VIEW_SELECTED_MOST COLUMN_MOST
uint32_t view_selected_needs(const struct view_selected *selected, uint32_t *ret_columns);

/*
 * view_selected_takes: is the row wanted? `values` are those of a chunk, by column. Call in the order of the rows;
 * rows are counted.
 */
bool view_selected_takes(
	const struct view_selected *selected, int64_t *const *values, uint32_t place);

#endif
