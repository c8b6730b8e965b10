/* SPDX-License-Identifier: MIT */
/*
 * A small table of texts: aligned columns, or Markdown.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "safe.h"
#include "table.h"

void table_init(struct table *table, unsigned nr_columns, unsigned right)
{
	*table = (struct table){.nr_columns = nr_columns, .right = right};
}

void table_fini(struct table *table)
{
	text_fini(&table->cells);
	vec_fini(&table->ends);
}

void table_end_cell(struct table *table)
{
	if (!vec_push(&table->ends, table->cells.length))
		table->cells.is_broken = true;
}

void table_add(struct table *table, const char *safe)
{
	text_add(&table->cells, safe);
	table_end_cell(table);
}

static const char *cell(
	const struct table *table, size_t row, unsigned column, size_t *ret_nr_bytes)
{
	size_t index = row * table->nr_columns + column;
	size_t from = index ? table->ends.at[index - 1] : 0;

	*ret_nr_bytes = table->ends.at[index] - from;
	return text_peek(&table->cells) + from;
}

/* The width of a column; 0: nothing stands in it below the heading. */
static size_t width_of(const struct table *table, unsigned column)
{
	size_t nr_rows = table->ends.count / table->nr_columns;
	size_t widest = 0, heading = 0, row, columns, nr_bytes;
	const char *at;

	for (row = 0; row < nr_rows; row++) {
		at = cell(table, row, column, &nr_bytes);
		columns = render_columns(at, nr_bytes);
		if (row == 0)
			heading = columns;
		else if (columns > widest)
			widest = columns;
	}
	if (widest == 0)
		return 0;
	return heading > widest ? heading : widest;
}

/* Blanks that come after a cell wait here until something follows, so that no line ends in one. */
static void print_cell(const struct table *table, struct text *text, size_t row, unsigned column,
	size_t width, size_t *blanks)
{
	size_t nr_bytes;
	const char *at = cell(table, row, column, &nr_bytes);
	size_t padding = width - render_columns(at, nr_bytes);
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

static bool is_printable(const struct table *table, struct text *text)
{
	assert(table->nr_columns && table->nr_columns <= TABLE_MAX_COLUMNS);
	text->is_broken |= table->cells.is_broken;
	return !table->cells.is_broken;
}

void table_print(const struct table *table, struct text *text, const char *indent)
{
	size_t nr_rows, width[TABLE_MAX_COLUMNS], row, blanks;
	unsigned column;

	if (!is_printable(table, text))
		return;
	nr_rows = table->ends.count / table->nr_columns;
	for (column = 0; column < table->nr_columns; column++)
		width[column] = width_of(table, column);
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
	render_markdown(text, text_peek(&copy));
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

void table_print_markdown(const struct table *table, struct text *text)
{
	size_t nr_rows, width[TABLE_MAX_COLUMNS], row;
	unsigned column;

	if (!is_printable(table, text))
		return;
	nr_rows = table->ends.count / table->nr_columns;
	for (column = 0; column < table->nr_columns; column++)
		width[column] = width_of(table, column);
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
