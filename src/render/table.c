/* SPDX-License-Identifier: MIT */
/*
 * A small table of texts: aligned columns, Markdown, or HTML.
 */
#include <assert.h>
#include <string.h>

#include "render/table.h"
#include "say/safe.h"
#include "say/say.h"

void render_table_init(struct table *table, const char *headings)
{
	const char *end;

	*table = (struct table){0};
	for (;; headings = end + 1) {
		if (*headings == '>')
			table->right |= 1u << table->nr_columns;
		headings += *headings == '>';
		end = headings + strcspn(headings, "|");
		text_append(&table->cells, headings, (size_t)(end - headings));
		render_table_end_cell(table);
		table->nr_columns++;
		if (!*end)
			return;
	}
}

void render_table_fini(struct table *table)
{
	text_fini(&table->cells);
	vec_fini(&table->ends);
}

void render_table_end_cell(struct table *table)
{
	if (!vec_push(&table->ends, table->cells.length))
		table->cells.is_broken = true;
}

void render_cell_count(struct table *table, uint64_t count)
{
	if (count)
		text_count(&table->cells, count);
	render_table_end_cell(table);
}

void render_cell_safe(struct table *table, const char *words)
{
	if (words)
		say_safe(&table->cells, words);
	render_table_end_cell(table);
}

void render_cell_duration(struct table *table, int64_t ns, bool is_known)
{
	if (is_known)
		text_duration(&table->cells, ns);
	render_table_end_cell(table);
}

/*
 * A percentile is printed if at least one value can lie above it; with fewer values it would be the greatest value,
 * which has its own column.
 */
static uint64_t least_count(enum render_part part)
{
	switch (part) {
	case RENDER_P50:
		return 2;
	case RENDER_P90:
		return 10;
	case RENDER_P99:
		return 100;
	case RENDER_P999:
		return 1000;
	case RENDER_P9999:
		return 10000;
	default:
		return 1;
	}
}

static int64_t part_of(const struct ct_distribution *of, enum render_part part)
{
	const int64_t parts[] = {
		[RENDER_TOTAL] = of->total_ns,
		[RENDER_MEAN] = of->count ? of->total_ns / (int64_t)of->count : 0,
		[RENDER_P50] = of->p50_ns,
		[RENDER_P90] = of->p90_ns,
		[RENDER_P99] = of->p99_ns,
		[RENDER_P999] = of->p999_ns,
		[RENDER_P9999] = of->p9999_ns,
		[RENDER_MAX] = of->max_ns,
	};

	return parts[part];
}

bool render_has_part(const struct ct_distribution *of, enum render_part part)
{
	return of->count >= least_count(part);
}

void render_cell_part(struct table *table, const struct ct_distribution *of, enum render_part part)
{
	if (render_has_part(of, part))
		text_duration(&table->cells, part_of(of, part));
	else if (of->count)
		text_char(&table->cells, '-');
	render_table_end_cell(table);
}

void render_cell_share(struct table *table, double part, double whole)
{
	if (whole > 0)
		text_format(&table->cells, "%.1f %%", 100 * part / whole);
	render_table_end_cell(table);
}

void render_cell_place(struct table *table, const struct ct_tables *tables, uint32_t site)
{
	if (site)
		say_place(&table->cells, tables, site);
	render_table_end_cell(table);
}

void render_cell_function(struct table *table, const struct ct_tables *tables, uint32_t site)
{
	if (site)
		say_site_function(&table->cells, tables, site);
	render_table_end_cell(table);
}

void render_cell_time(struct table *table, ct_time time)
{
	say_time(&table->cells, time);
	render_table_end_cell(table);
}

static const char *cell(
	const struct table *table, size_t row, unsigned column, size_t *ret_nr_bytes)
{
	size_t index = row * table->nr_columns + column;
	size_t from = index ? table->ends.at[index - 1] : 0;

	*ret_nr_bytes = table->ends.at[index] - from;
	return text_peek(&table->cells) + from;
}

/* The width of a column; 0: all cells below the heading are empty or '-'. */
static size_t width_of(const struct table *table, unsigned column)
{
	size_t nr_rows = table->ends.count / table->nr_columns;
	size_t widest = 0, heading = 0, row, columns, nr_bytes;
	const char *at;

	for (row = 0; row < nr_rows; row++) {
		at = cell(table, row, column, &nr_bytes);
		columns = say_columns(at, nr_bytes);
		if (row == 0)
			heading = columns;
		else if (columns > widest && !(nr_bytes == 1 && *at == '-'))
			widest = columns;
	}
	if (widest == 0)
		return 0;
	return heading > widest ? heading : widest;
}

/* Blanks behind a cell are counted here and printed only before the next cell, so that no line ends in blanks. */
static void print_cell(const struct table *table, struct text *text, size_t row, unsigned column,
	size_t width, size_t *blanks)
{
	size_t nr_bytes;
	const char *at = cell(table, row, column, &nr_bytes);
	size_t padding = width - say_columns(at, nr_bytes);
	bool is_right = table->right >> column & 1u;

	if (nr_bytes == 0) {
		*blanks += width;
		return;
	}
	if (is_right)
		*blanks += padding;
	text_format(text, "%*s", (int)*blanks, "");
	text_append(text, at, nr_bytes);
	*blanks = is_right ? 0 : padding;
}

/* Measures the widths of all columns and returns the number of rows; 0: the table is broken, and so the text. */
static size_t measure(const struct table *table, struct text *text, size_t *ret_width)
{
	unsigned column;

	assert(table->nr_columns && table->nr_columns <= TABLE_MAX_COLUMNS);
	text->is_broken |= table->cells.is_broken;
	if (table->cells.is_broken)
		return 0;
	for (column = 0; column < table->nr_columns; column++)
		ret_width[column] = width_of(table, column);
	return table->ends.count / table->nr_columns;
}

void render_table_print(const struct table *table, struct text *text, const char *indent)
{
	size_t width[TABLE_MAX_COLUMNS], nr_rows = measure(table, text, width), row, blanks;
	unsigned column;

	for (row = 0; row < nr_rows; row++) {
		text_add(text, indent);
		blanks = 0;
		for (column = 0; column < table->nr_columns; column++) {
			if (width[column] == 0)
				continue;
			print_cell(table, text, row, column, width[column], &blanks);
			blanks += 2;
		}
		text_char(text, '\n');
	}
}

static void print_markdown_cell(
	const struct table *table, struct text *text, size_t row, unsigned column)
{
	struct text copy = {0};
	size_t nr_bytes;
	const char *at = cell(table, row, column, &nr_bytes);

	text_append(&copy, at, nr_bytes);
	text_add(text, " ");
	say_markdown(text, text_peek(&copy));
	text_add(text, " |");
	text->is_broken |= copy.is_broken;
	text_fini(&copy);
}

static void print_rule(const struct table *table, struct text *text, const size_t *width)
{
	unsigned column;

	text_char(text, '|');
	for (column = 0; column < table->nr_columns; column++) {
		if (width[column])
			text_add(text, table->right >> column & 1u ? " ---: |" : " --- |");
	}
	text_char(text, '\n');
}

void render_table_print_markdown(const struct table *table, struct text *text)
{
	size_t width[TABLE_MAX_COLUMNS], nr_rows = measure(table, text, width), row;
	unsigned column;

	for (row = 0; row < nr_rows; row++) {
		text_char(text, '|');
		for (column = 0; column < table->nr_columns; column++) {
			if (width[column])
				print_markdown_cell(table, text, row, column);
		}
		text_char(text, '\n');
		if (row == 0)
			print_rule(table, text, width);
	}
}

static void print_html_cell(
	const struct table *table, struct text *text, size_t row, unsigned column)
{
	const char *element = row == 0 ? "th" : "td";
	size_t nr_bytes;
	const char *at = cell(table, row, column, &nr_bytes);

	text_format(text, "<%s%s%s>", element, row == 0 ? " scope=\"col\"" : "",
		table->right >> column & 1u ? " class=\"right\"" : "");
	say_html(text, at, nr_bytes);
	text_format(text, "</%s>", element);
}

void render_table_print_html(const struct table *table, struct text *text)
{
	size_t width[TABLE_MAX_COLUMNS], nr_rows = measure(table, text, width), row;
	unsigned column;

	text_add(text, "<div class=\"wide\"><table>\n");
	for (row = 0; row < nr_rows; row++) {
		text_add(text, "<tr>");
		for (column = 0; column < table->nr_columns; column++) {
			if (width[column])
				print_html_cell(table, text, row, column);
		}
		text_add(text, "</tr>\n");
	}
	text_add(text, "</table></div>\n");
}
