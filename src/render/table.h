/* SPDX-License-Identifier: MIT */
/*
 * A small table of texts, filled cell by cell, printed with aligned columns, as Markdown or as HTML.
 *
 *	render_table_init(&table, 3, TABLE_RIGHT(1));
 *	render_table_add(&table, "coroutine"); render_table_add(&table, "since"); render_table_add(&table, "waits for");
 *	say_time(&table.cells, since); render_table_end_cell(&table); ...
 *
 * The first row is the heading. A column whose cells are all empty below its heading is left out. Cells
 * hold text that is safe already. A failed allocation leaves the printed text broken.
 */
#ifndef RENDER_TABLE_H
#define RENDER_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vec.h"

#define TABLE_MAX_COLUMNS 16

/* The mask's bit for a column whose cells are aligned to the right. */
#define TABLE_RIGHT(column) (1u << (column))

struct table {
	struct text cells;
	VEC(size_t) ends; /* of each cell, in `cells` */
	unsigned nr_columns;
	unsigned right; /* a bit for each column */
};

void render_table_init(struct table *table, unsigned nr_columns, unsigned right);
void render_table_fini(struct table *table);

/* render_table_init_with: render_table_init, and the first row. */
void render_table_init_with(
	struct table *table, const char *const *headings, size_t nr_columns, unsigned right);

/* render_table_end_cell: what was appended to `cells` since the last one is a cell. */
void render_table_end_cell(struct table *table);
/* render_table_add: a whole cell. render_table_add_count: a number; the cell of 0 is empty. */
void render_table_add(struct table *table, const char *safe);
void render_table_add_count(struct table *table, uint64_t count);

/* render_table_print: aligned columns, two blanks between, each line behind `indent`. */
void render_table_print(const struct table *table, struct text *text, const char *indent);

/* render_table_print_markdown, render_table_print_html: with everything in the cells escaped. */
void render_table_print_markdown(const struct table *table, struct text *text);
void render_table_print_html(const struct table *table, struct text *text);

#endif
