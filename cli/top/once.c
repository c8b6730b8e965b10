/* SPDX-License-Identifier: MIT */
/*
 * One frame as plain text.
 */
#include <stdio.h>

#include "say.h"
#include "top/draw.h"
#include "top/once.h"

#define LINE_BYTES 1024

/* The last column has no width, and is left out if it would be bars. */
static void print_cell(const struct top_column *column, const char *cell, bool is_last)
{
	uint32_t used = top_text_width(cell, true);
	uint32_t blanks = used < column->width ? column->width - used : 0;

	if (top_column_is_numeric(column))
		printf("%*s", (int)blanks, "");
	print_safe(stdout, cell);
	if (!is_last)
		printf("%*s", (int)(top_column_is_numeric(column) ? 2 : blanks + 2), "");
}

static uint32_t nr_printed(const struct top_screen_description *screen)
{
	uint32_t nr_columns = screen->nr_columns;

	return screen->columns[nr_columns - 1].form == TOP_FORM_BARS ? nr_columns - 1 : nr_columns;
}

static void print_headings(const struct top_screen_description *screen)
{
	uint32_t nr_columns = nr_printed(screen), i;

	for (i = 0; i < nr_columns; i++)
		print_cell(&screen->columns[i], screen->columns[i].heading, i + 1 == nr_columns);
	putchar('\n');
}

static void print_row(const struct top_rows *rows, uint64_t row)
{
	uint32_t nr_columns = nr_printed(rows->screen), i;
	char cell[TOP_CELL_BYTES];
	unsigned style;

	for (i = 0; i < nr_columns; i++) {
		top_rows_cell(rows, row, i, cell, &style);
		print_cell(&rows->screen->columns[i], cell, i + 1 == nr_columns);
	}
	putchar('\n');
}

static void print_rows(const struct top_snapshot *snapshot, const struct top_rows *rows,
	const struct top_sorting *sorting)
{
	char line[LINE_BYTES];
	uint64_t row;

	top_draw_summary(snapshot, line, sizeof(line));
	print_safe(stdout, line);
	if (rows->screen == top_screen_describe(TOP_FINDINGS) ||
		ct_report_unseen(snapshot->report)) {
		ct_report_headline(snapshot->report, line, sizeof(line));
		printf("\n%s", line);
	}
	printf("\n%s by %s%s: %s of %s\n", rows->screen->name,
		rows->screen->columns[sorting->order].heading,
		sorting->is_descending ? ", the greatest first" : "",
		said_count(rows->rows->nr_rows, "", "").text,
		said_count(rows->rows->nr_matched, "", "").text);
	print_headings(rows->screen);
	for (row = 0; row < rows->rows->nr_rows; row++)
		print_row(rows, row);
}

enum ct_status top_once_print(const struct top_snapshot *snapshot, const struct top_state *state,
	uint64_t nr_rows, struct ct_error *reterr)
{
	const struct top_sorting *sorting = &state->sorting[state->now.screen];
	struct top_rows rows;
	enum ct_status status =
		top_rows_ask(snapshot->view, state->now.screen, sorting, 0, nr_rows, &rows, reterr);

	if (status)
		return status;
	print_rows(snapshot, &rows, sorting);
	top_rows_fini(&rows);
	return CT_OK;
}
