/* SPDX-License-Identifier: MIT */
/*
 * Rows as comma-separated values.
 */
#include <string.h>

#include "export/export.h"
#include "export/rows.h"
#include "base/io.h"

#define WRITE_BYTES (256u << 10)

/* The text to be written next, and room for one on its way there. */
struct page {
	struct text text;
	struct text clean;
	enum export_form form;
};

/* Quotes inside are doubled; everything else, line breaks too, stands for itself. */
static void add_quoted(struct page *page, const char *value, bool must_stay_text)
{
	const char *at;
	size_t length;

	text_clear(&page->clean);
	if (must_stay_text && *value && strchr("=+-@\t\r", *value))
		text_char(&page->clean, '\'');
	text_utf8(&page->clean, value);
	text_char(&page->text, '"');
	for (at = text_peek(&page->clean);; at += length + 1) {
		length = strcspn(at, "\"");
		text_append(&page->text, at, length);
		if (!at[length])
			break;
		text_add(&page->text, "\"\"");
	}
	text_char(&page->text, '"');
	page->text.is_broken |= page->clean.is_broken;
}

/* A spreadsheet would compute what begins like a formula; names come from the program that was traced. */
static bool must_stay_text(const struct page *page, enum export_column column)
{
	return page->form == EXPORT_FOR_PEOPLE && *export_columns[column].of;
}

static void add_cell(struct page *page, enum export_column column, const struct export_cell *cell)
{
	switch (export_columns[column].type) {
	case EXPORT_INTEGER:
		text_signed(&page->text, cell->number);
		break;
	case EXPORT_BOOLEAN:
		text_add(&page->text, cell->number ? "true" : "false");
		break;
	case EXPORT_TEXT:
		add_quoted(page, cell->is_set ? cell->text : "", must_stay_text(page, column));
		break;
	}
}

static void add_heading(const struct page *page, struct text *text)
{
	unsigned column = page->form == EXPORT_OLDER ? EXPORT_PROBE_ID : 0;

	for (;; text_char(text, ',')) {
		text_add(text, export_columns[column].name);
		if (++column == EXPORT_NR_COLUMNS)
			break;
	}
	text_char(text, '\n');
}

static void add_unsigned(struct page *page, uint64_t number)
{
	text_digits(&page->text, number, 10, 1);
}

/* The six columns are the last ones of all. */
static void add_older_row(struct page *page, const struct export_cell *cells)
{
	if (!cells[EXPORT_PROBE_ID].is_set)
		return;
	add_unsigned(page, (uint64_t)cells[EXPORT_PROBE_ID].number);
	text_char(&page->text, ',');
	add_unsigned(page, (uint64_t)cells[EXPORT_TID].number);
	text_char(&page->text, ',');
	text_add(&page->text, cells[EXPORT_ADDR].text);
	text_char(&page->text, ',');
	add_unsigned(page, (uint64_t)cells[EXPORT_SEQ].number);
	text_add(&page->text, cells[EXPORT_IS_ACTIVE].number ? ",true," : ",false,");
	add_unsigned(page, (uint64_t)cells[EXPORT_TS].number);
	text_char(&page->text, '\n');
}

static void add_row(struct page *page, const struct export_rows *rows)
{
	unsigned column;

	for (column = 0; column < EXPORT_NR_COLUMNS; column++) {
		if (column)
			text_char(&page->text, ',');
		if (page->form == EXPORT_FOR_DATA_FRAMES || rows->cells[column].is_set)
			add_cell(page, (enum export_column)column, &rows->cells[column]);
	}
	text_char(&page->text, '\n');
}

static enum ct_status write_text(
	const struct io_output *output, struct text *text, struct ct_error *reterr)
{
	enum ct_status status = text_status(text, reterr);

	if (status == CT_OK)
		status = io_output_write(output, text_peek(text), text->length, reterr);
	text_clear(text);
	return status;
}

static enum ct_status write_rows(const struct io_output *output, struct export_rows *rows,
	struct page *page, struct ct_error *reterr)
{
	enum ct_status status, end;

	add_heading(page, &page->text);
	for (;;) {
		end = export_rows_next(rows, reterr);
		if (end < 0)
			return end;
		if (end == CT_OK && page->form == EXPORT_OLDER)
			add_older_row(page, rows->cells);
		else if (end == CT_OK)
			add_row(page, rows);
		if (end == CT_OK && page->text.length < WRITE_BYTES)
			continue;
		status = write_text(output, &page->text, reterr);
		if (status || end)
			return status;
	}
}

enum ct_status export_csv(struct ct_source *source, struct pass *pass, enum export_form form,
	const char *path, struct ct_error *reterr)
{
	struct export_rows rows;
	struct io_output output;
	struct page page = {.form = form};
	enum ct_status status = io_output_open(&output, path, reterr);

	if (status)
		return status;
	export_rows_init(&rows, source, pass);
	status = write_rows(&output, &rows, &page, reterr);
	export_rows_fini(&rows);
	text_fini(&page.text);
	text_fini(&page.clean);
	return io_output_end(&output, status, reterr);
}
