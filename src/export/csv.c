/* SPDX-License-Identifier: MIT */
/*
 * Rows as comma-separated values: the rows of events, and those of a view's tables.
 */
#include "export/batch.h"
#include "export/rows.h"
#include "base/csv.h"
#include "base/io.h"

#define WRITE_BYTES (256u << 10)

enum form {
	FOR_PEOPLE,
	FOR_DATA_FRAMES,
	OLDER, /* only suspends and resumes, with the six columns of the older form */
};

/* The text to be written next, and a buffer for one cell. */
struct page {
	struct text text;
	struct text cell;
	enum form form;
	struct io_output output;
};

/* A spreadsheet would evaluate a name that begins like a formula; such names come from the traced program. */
static bool must_stay_text(const struct page *page, enum export_column column)
{
	return page->form == FOR_PEOPLE && *export_columns[column].of;
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
		csv_text(&page->text, cell->is_set ? cell->text : "", must_stay_text(page, column));
		break;
	}
}

static void add_heading(const struct page *page, struct text *text)
{
	unsigned column = page->form == OLDER ? EXPORT_PROBE_ID : 0;

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

/* The six columns are the last ones of a row. */
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
		if (page->form == FOR_DATA_FRAMES || rows->cells[column].is_set)
			add_cell(page, (enum export_column)column, &rows->cells[column]);
	}
	text_char(&page->text, '\n');
}

static enum ct_status write_page(struct page *page, struct ct_error *reterr)
{
	enum ct_status status = text_status(&page->text, reterr);

	if (status == CT_OK)
		status = io_output_write(
			&page->output, text_peek(&page->text), page->text.length, reterr);
	text_clear(&page->text);
	return status;
}

static enum ct_status end_page(struct page *page, enum ct_status status, struct ct_error *reterr)
{
	if (status == CT_OK)
		status = write_page(page, reterr);
	text_fini(&page->text);
	return io_output_end(&page->output, status, reterr);
}

/* ---------------------------------------------------------------- events */

static enum ct_status write_rows(
	struct export_rows *rows, struct page *page, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	add_heading(page, &page->text);
	while (status == CT_OK) {
		status = export_rows_next(rows, reterr);
		if (status)
			break;
		if (page->form == OLDER)
			add_older_row(page, rows->cells);
		else
			add_row(page, rows);
		if (page->text.length >= WRITE_BYTES)
			status = write_page(page, reterr);
	}
	return status == CT_END ? CT_OK : status;
}

static enum ct_status write_events(
	const struct export_job *job, enum form form, bool is_by_event, struct ct_error *reterr)
{
	struct export_rows rows;
	struct page page = {.form = form};
	enum ct_status status = io_output_open(&page.output, job->path, reterr);

	if (status)
		return status;
	export_rows_init(&rows, job->view->source, job->view->pass);
	rows.is_by_event = is_by_event;
	status = write_rows(&rows, &page, reterr);
	export_rows_fini(&rows);
	return end_page(&page, status, reterr);
}

/* ---------------------------------------------------------------- tables */

static enum ct_status begin(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct page *page = context;
	uint32_t i;

	(void)reterr;
	for (i = 0; i < batch->nr_columns; i++) {
		text_add(&page->text, i ? "," : "");
		text_add(&page->text, batch->columns[i].name);
	}
	text_char(&page->text, '\n');
	return CT_OK;
}

static void add_cell_of(struct page *page, const struct batch_column *column, uint32_t row)
{
	bool is_set = batch_is_set(column, row);
	const char *word = "";
	uint32_t nr_bytes = 0;

	if (!is_set && page->form == FOR_PEOPLE)
		return;
	switch (column->type) {
	case BATCH_BOOLEAN:
		text_add(&page->text, column->values[row] ? "true" : "false");
		return;
	case BATCH_TEXT:
		if (is_set)
			word = interning_bytes(
				&column->words.texts, (uint32_t)column->values[row], &nr_bytes);
		text_clear(&page->cell);
		text_append(&page->cell, word, nr_bytes);
		page->text.is_broken |= page->cell.is_broken;
		csv_text(&page->text, text_peek(&page->cell),
			page->form == FOR_PEOPLE && column->of == CT_VIEW_TYPE_TEXT);
		return;
	default:
		text_signed(&page->text, column->values[row]);
	}
}

static enum ct_status add_rows(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct page *page = context;
	enum ct_status status = CT_OK;
	uint32_t i, k;

	for (i = 0; status == CT_OK && i < batch->nr_rows; i++) {
		for (k = 0; k < batch->nr_columns; k++) {
			if (k)
				text_char(&page->text, ',');
			add_cell_of(page, &batch->columns[k], i);
		}
		text_char(&page->text, '\n');
		if (page->text.length >= WRITE_BYTES)
			status = write_page(page, reterr);
	}
	return status;
}

static enum ct_status end(
	void *context, const struct batch *batch, enum ct_status status, struct ct_error *reterr)
{
	(void)context, (void)batch, (void)reterr;
	return status;
}

static enum ct_status write_table(
	const struct export_job *job, enum form form, const char *table, struct ct_error *reterr)
{
	static const struct batch_writer writer = {false, begin, add_rows, end};
	struct page page = {.form = form};
	struct batch_choice choice;
	enum ct_status status = batch_choose((const char *const[]){table, NULL}, &choice, reterr);

	if (status == CT_OK)
		status = io_output_open(&page.output, job->path, reterr);
	if (status)
		return status;
	status = batch_write(job->view, &choice, &writer, &page, reterr);
	text_fini(&page.cell);
	return end_page(&page, status, reterr);
}

/* ---------------------------------------------------------------- formats */

static enum ct_status write_one(
	const struct export_job *job, enum form form, struct ct_error *reterr)
{
	const char *table;
	enum ct_status status = batch_only_name(job->options->tables, &table, reterr);

	if (status)
		return status;
	if (strcmp(table, EXPORT_DEFAULT_TABLE) == 0)
		return write_events(job, form, false, reterr);
	if (strcmp(table, "events") == 0)
		return write_events(job, form, true, reterr);
	return write_table(job, form, table, reterr);
}

enum ct_status export_csv(const struct export_job *job, struct ct_error *reterr)
{
	return write_one(job, FOR_PEOPLE, reterr);
}

enum ct_status export_dataframe(const struct export_job *job, struct ct_error *reterr)
{
	return write_one(job, FOR_DATA_FRAMES, reterr);
}

enum ct_status export_older_csv(const struct export_job *job, struct ct_error *reterr)
{
	return write_events(job, OLDER, false, reterr);
}
