/* SPDX-License-Identifier: MIT */
/*
 * A small table of texts, filled cell by cell, printed with aligned columns, as Markdown or as HTML.
 *
 *	render_table_init(&table, "coroutine|>since|waits for");
 *	render_cell(&table, "%d", 5); render_cell_time(&table, since); render_cell_safe(&table, name); ...
 *
 * The first row is the heading: columns behind a '>' are aligned to the right. A column whose cells are all empty or
 * '-' below its heading is left out. Cells hold text that is safe already. A failed allocation leaves the printed text
 * broken.
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
	VEC(size_t) ends; /* of each cell, in `cells` */
	unsigned nr_columns;
	unsigned right; /* a bit for each column */
};

void render_table_init(struct table *table, const char *headings);
void render_table_fini(struct table *table);

/* render_table_end_cell: what was appended to `cells` since the last one is a cell. */
void render_table_end_cell(struct table *table);

/* render_cell: a whole cell. The others: likewise, empty for NULL, 0, and where it is not known. */
#define render_cell(table, ...) \
	(text_format(&(table)->cells, __VA_ARGS__), render_table_end_cell(table))
void render_cell_count(struct table *table, uint64_t count);
void render_cell_safe(struct table *table, const char *words); /* of the traced program */
void render_cell_duration(struct table *table, int64_t ns, bool is_known);
void render_cell_share(struct table *table, double part, double whole);

/*
 * render_has_part: is there such a percentile? One value in so many lies above it, so that fewer values have none: p99
 * takes 100. render_cell_part: '-' where there is none, and nothing where there are no values at all.
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
/* render_cell_time: "not known" for CT_NO_TIME. */
void render_cell_time(struct table *table, ct_time time);

/* render_table_print: aligned columns, two blanks between, each line behind `indent`. */
void render_table_print(const struct table *table, struct text *text, const char *indent);

/* render_table_print_markdown, render_table_print_html: with everything in the cells escaped. */
void render_table_print_markdown(const struct table *table, struct text *text);
void render_table_print_html(const struct table *table, struct text *text);

#endif
