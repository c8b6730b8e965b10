/* SPDX-License-Identifier: MIT */
/*
 * A small table of texts, filled cell by cell, printed with aligned columns, as Markdown or as HTML.
 *
 *	table_init(&table, 3, TABLE_RIGHT(1));
 *	table_add(&table, "coroutine"); table_add(&table, "since"); table_add(&table, "waits for");
 *	phrase_time(&table.cells, since); table_end_cell(&table); ...
 *
 * The first row is the heading. A column whose cells are all empty below its heading is left out. Cells
 * hold text that is safe already. A failed allocation leaves the printed text broken.
 */
#ifndef RENDER_TABLE_H
#define RENDER_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "text.h"
#include "vec.h"

#define TABLE_MAX_COLUMNS 16

/* The mask's bit for a column whose cells are aligned to the right. */
#define TABLE_RIGHT(column) (1u << (column))

struct table {
	struct text cells;
	VEC(size_t) ends; /* of each cell, in `cells` */
	unsigned nr_columns;
	unsigned right; /* a bit for each column */
};

void table_init(struct table *table, unsigned nr_columns, unsigned right);
void table_fini(struct table *table);

/* table_init_with: table_init, and the first row. */
void table_init_with(
	struct table *table, const char *const *headings, size_t nr_columns, unsigned right);

/* table_end_cell: what was appended to `cells` since the last one is a cell. */
void table_end_cell(struct table *table);
/* table_add: a whole cell. table_add_count: a number; the cell of 0 is empty. */
void table_add(struct table *table, const char *safe);
void table_add_count(struct table *table, uint64_t count);

/* table_print: aligned columns, two blanks between, each line behind `indent`. */
void table_print(const struct table *table, struct text *text, const char *indent);

/* table_print_markdown, table_print_html: with everything in the cells escaped. */
void table_print_markdown(const struct table *table, struct text *text);
void table_print_html(const struct table *table, struct text *text);

#endif
