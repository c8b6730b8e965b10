/* SPDX-License-Identifier: MIT */
/*
 * A small table of texts, filled cell by cell, printed with aligned columns, as Markdown or as HTML.
 *
 *	render_table_init(&table, "coroutine|>since|waits for");
 *	render_cell(&table, "%d", 5); render_cell_time(&table, since); render_cell_safe(&table, name); ...
 *
 * The first row is the heading; a '>' before a column's heading aligns the column to the right. A column is left out if
 * all cells below its heading are empty or '-'. The caller makes texts safe before they become cells. If memory runs
 * out, the printed text is broken.
 */
#ifndef RENDER_TABLE_H
#define RENDER_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "base/vec.h"
#include "corotracer/ct.h"

#define TABLE_MAX_COLUMNS 16

struct table {
	struct text cells;
	VEC(size_t) ends; /* the end of each cell in `cells` */
	unsigned nr_columns;
	unsigned right; /* a bit for each column that is aligned to the right */
};

void render_table_init(struct table *table, const char *headings);
void render_table_fini(struct table *table);

/* render_table_end_cell: makes a cell of the bytes that were appended to `cells` since the previous cell. */
void render_table_end_cell(struct table *table);

/*
 * render_cell: adds a whole cell. The other functions add one as well; it is empty for NULL, for 0, and for an unknown
 * value.
 */
#define render_cell(table, ...) \
	(text_format(&(table)->cells, __VA_ARGS__), render_table_end_cell(table))
void render_cell_count(struct table *table, uint64_t count);
void render_cell_safe(struct table *table, const char *words); /* words of the traced program */
void render_cell_duration(struct table *table, int64_t ns, bool is_known);
void render_cell_share(struct table *table, double part, double whole);

/*
 * render_has_part: does the distribution have this percentile? At least one value must lie above it: p99 needs 100
 * values. render_cell_part: adds a cell; '-' if there are too few values, and empty if there are none.
 */
enum render_part {
	RENDER_TOTAL,
	RENDER_MEAN,
	RENDER_P50,
	RENDER_P90,
	RENDER_P99,
	RENDER_P999,
	RENDER_P9999,
	RENDER_MAX,
};
bool render_has_part(const struct ct_distribution *of, enum render_part part);
void render_cell_part(struct table *table, const struct ct_distribution *of, enum render_part part);
void render_cell_place(struct table *table, const struct ct_tables *tables, uint32_t site);
void render_cell_function(struct table *table, const struct ct_tables *tables, uint32_t site);
/* render_cell_time: the cell says "not known" for CT_NO_TIME. */
void render_cell_time(struct table *table, ct_time time);

/* render_table_print: aligned columns with two blanks between them; each line begins with `indent`. */
void render_table_print(const struct table *table, struct text *text, const char *indent);

/* render_table_print_markdown, render_table_print_html: all cells are escaped. */
void render_table_print_markdown(const struct table *table, struct text *text);
void render_table_print_html(const struct table *table, struct text *text);

#endif
