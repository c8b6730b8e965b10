/* SPDX-License-Identifier: MIT */
/*
 * A table for people: numbers are aligned to the right, texts to the left, and columns are as wide as the first rows
 * need.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "query/write.h"

#define ROWS_MEASURED 1000u /* later rows may be wider; they are still printed in full */
#define BOLD "\033[1m"
#define PLAIN "\033[0m"

struct laid_cell {
	char *text;
	bool is_number;
};

struct query_layout {
	VEC(struct laid_cell) cells; /* of the rows that are kept */
	VEC(uint32_t) widths;
	uint64_t nr_rows;
	bool is_laid; /* the heading is printed, and rows are printed as they come */
};

static void forget_cells(struct query_layout *layout)
{
	size_t i;

	for (i = 0; i < layout->cells.count; i++)
		free(layout->cells.at[i].text);
	layout->cells.count = 0;
}

/* Appends a text for a terminal: control characters become '?'. */
static void add_safely(struct text *text, const char *value, size_t nr_bytes)
{
	size_t i;

	for (i = 0; i < nr_bytes; i++) {
		unsigned char c = (unsigned char)value[i];
		bool is_second = i && (unsigned char)value[i - 1] == 0xc2;

		/*
		 * C1 control characters are two bytes in UTF-8; a terminal may take one for the beginning of an escape
		 * sequence.
		 */
		text_char(text, c < ' ' || c == 0x7f || (is_second && c < 0xa0) ? '?' : value[i]);
	}
}

/* The width in characters, not bytes. */
static uint32_t width_of(const char *text)
{
	uint32_t width = 0;

	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static void add_padded(
	struct text *text, const char *value, uint32_t width, bool is_right, bool is_last)
{
	uint32_t i, own = width_of(value);

	for (i = own; is_right && i < width; i++)
		text_char(text, ' ');
	text_add(text, value);
	for (i = own; !is_right && !is_last && i < width; i++)
		text_char(text, ' ');
	if (!is_last)
		text_add(text, "  ");
}

/* ---------------------------------------------------------------- measuring */

static bool keep_text(struct query_layout *layout, const char *value, size_t nr_bytes,
	bool is_number, uint32_t column)
{
	struct text safe = {0};
	uint32_t width;

	add_safely(&safe, value, nr_bytes);
	if (safe.is_broken || !vec_push(&layout->cells,
				      ((struct laid_cell){strdup(text_peek(&safe)), is_number}))) {
		text_fini(&safe);
		return false;
	}
	width = width_of(text_peek(&safe));
	text_fini(&safe);
	if (width > layout->widths.at[column])
		layout->widths.at[column] = width;
	return layout->cells.at[layout->cells.count - 1].text != NULL;
}

static bool keep_heading(struct query_layout *layout, const struct query_writing *writing)
{
	uint32_t i;

	for (i = 0; i < writing->nr_columns; i++) {
		const char *name = ct_query_column(writing->query, i);

		if (!vec_push(&layout->widths, 0))
			return false;
		if (!writing->options->no_header &&
			!keep_text(layout, name, strlen(name), false, i))
			return false;
	}
	return true;
}

static bool keep_row(struct query_layout *layout, const struct query_writing *writing,
	const struct ct_query_cell *cells)
{
	uint32_t i;

	for (i = 0; i < writing->nr_columns; i++) {
		bool is_number =
			cells[i].type == CT_QUERY_INTEGER || cells[i].type == CT_QUERY_REAL;

		if (!keep_text(layout, cells[i].text, cells[i].nr_bytes, is_number, i))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- printing */

/* The heading of a column of numbers is aligned to the right, too. */
static bool is_right(const struct query_layout *layout, uint32_t nr_columns, size_t at)
{
	size_t below = at + nr_columns;

	return layout->cells.at[at].is_number || (at < nr_columns && below < layout->cells.count &&
							 layout->cells.at[below].is_number);
}

static void print_kept(struct query_layout *layout, struct query_writing *writing)
{
	uint32_t nr_columns = writing->nr_columns;
	size_t i;

	for (i = 0; i < layout->cells.count; i++) {
		uint32_t column = (uint32_t)(i % nr_columns);
		bool is_last = column + 1 == nr_columns;
		bool is_heading =
			!layout->is_laid && !writing->options->no_header && i < nr_columns;

		if (is_heading && column == 0 && writing->options->use_colour)
			text_add(&writing->text, BOLD);
		add_padded(&writing->text, layout->cells.at[i].text, layout->widths.at[column],
			is_heading ? is_right(layout, nr_columns, i)
				   : layout->cells.at[i].is_number,
			is_last);
		if (is_heading && is_last && writing->options->use_colour)
			text_add(&writing->text, PLAIN);
		if (is_last)
			text_char(&writing->text, '\n');
	}
	forget_cells(layout);
	layout->is_laid = true;
}

/* ---------------------------------------------------------------- the form */

static void begin(struct query_writing *writing)
{
	writing->layout = calloc(1, sizeof(*writing->layout));
	writing->text.is_broken |= !writing->layout || !keep_heading(writing->layout, writing);
}

static void add_row(struct query_writing *writing, const struct ct_query_cell *cells)
{
	struct query_layout *layout = writing->layout;

	if (writing->text.is_broken)
		return;
	writing->text.is_broken = !keep_row(layout, writing, cells);
	if (++layout->nr_rows >= ROWS_MEASURED)
		print_kept(layout, writing);
}

/* The rows before a failure are printed too, because rows before them may already be on standard output. */
static void end(struct query_writing *writing, bool is_whole)
{
	(void)is_whole;
	if (!writing->text.is_broken && writing->nr_columns)
		print_kept(writing->layout, writing);
}

static void close_layout(struct query_writing *writing)
{
	if (!writing->layout)
		return;
	forget_cells(writing->layout);
	vec_fini(&writing->layout->cells);
	vec_fini(&writing->layout->widths);
	free(writing->layout);
	writing->layout = NULL;
}

const struct query_form query_layout = {
	.begin = begin, .row = add_row, .end = end, .close = close_layout};
