/* SPDX-License-Identifier: MIT */
/*
 * Rows as text for a database, a page at a time: the table is never in memory as a whole.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/failure.h"
#include "export/feed.h"

#define PAGE_BYTES (64u << 10)

/* ---------------------------------------------------------------- tables */

static enum feed_type type_of(enum ct_view_type type)
{
	switch (batch_type_of(type)) {
	case BATCH_BOOLEAN:
		return FEED_BOOLEAN;
	case BATCH_TEXT:
		return FEED_TEXT;
	default:
		return FEED_NUMBER;
	}
}

void feed_table_of_view(enum ct_view_table table, const char *events, struct feed_table *ret_table)
{
	const struct ct_view_description *of = ct_view_describe(table);
	uint32_t i;

	*ret_table =
		(struct feed_table){.name = table == CT_VIEW_EVENTS && events ? events : of->name};
	/* The table of the trace has the run's id in a column of its own. */
	if (table != CT_VIEW_TRACE)
		ret_table->columns[ret_table->nr_columns++] = (struct feed_column){"run", FEED_RUN};
	for (i = 0; i < of->nr_columns; i++)
		ret_table->columns[ret_table->nr_columns++] = (struct feed_column){
			of->columns[i].name, table == CT_VIEW_TRACE && i == CT_VIEW_TRACE_RUN
						     ? FEED_RUN
						     : type_of(of->columns[i].type)};
}

void feed_table_older(const char *name, struct feed_table *ret_table)
{
	*ret_table = (struct feed_table){.name = name ? name : EXPORT_DEFAULT_TABLE,
		.columns = {{"id", FEED_KEY}, {"probe_id", FEED_UNSIGNED}, {"tid", FEED_UNSIGNED},
			{"addr", FEED_TEXT}, {"seq", FEED_UNSIGNED}, {"is_active", FEED_BOOLEAN},
			{"ts", FEED_UNSIGNED}},
		.nr_columns = 7,
		.is_older = true};
}

void feed_run(const struct ct_tables *tables, char run[33])
{
	size_t i;

	for (i = 0; i < sizeof(tables->run_id); i++)
		snprintf(run + 2 * i, 3, "%02x", tables->run_id[i]);
}

/* ---------------------------------------------------------------- cells */

/* The character that stands after the backslash. */
static char escape_of(char c)
{
	switch (c) {
	case '\t':
		return 't';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	default:
		return c;
	}
}

static bool is_escaped(char c)
{
	return c == '\t' || c == '\n' || c == '\r' || c == '\\';
}

static void put_text(struct text *page, const char *value, size_t nr_bytes)
{
	size_t begin = 0, i;

	for (i = 0; i < nr_bytes; i++) {
		if (!is_escaped(value[i]))
			continue;
		text_append(page, value + begin, i - begin);
		text_char(page, '\\');
		text_char(page, escape_of(value[i]));
		begin = i + 1;
	}
	text_append(page, value + begin, nr_bytes - begin);
}

static void put_cell(struct text *page, const struct batch_column *column, uint32_t row)
{
	uint32_t nr_bytes;
	const char *word;

	if (!batch_is_set(column, row)) {
		text_add(page, "\\N");
	} else if (column->type == BATCH_TEXT) {
		word = interning_bytes(
			&column->words.texts, (uint32_t)column->values[row], &nr_bytes);
		put_text(page, word, nr_bytes);
	} else {
		text_signed(page, column->values[row]);
	}
}

static void put_row(struct feed *feed, uint32_t row)
{
	const struct batch *batch = feed->batch;
	uint32_t i;

	if (batch->table != CT_VIEW_TRACE)
		text_add(&feed->page, feed->run);
	for (i = 0; i < batch->nr_columns; i++) {
		if (i || batch->table != CT_VIEW_TRACE)
			text_char(&feed->page, '\t');
		put_cell(&feed->page, &batch->columns[i], row);
	}
	text_char(&feed->page, '\n');
}

/* ---------------------------------------------------------------- the older form */

static void put_older(struct feed *feed, const struct export_cell *cells)
{
	text_format(&feed->page, "%" PRIu64 "\t%" PRIu64 "\t%s\t%" PRIu64 "\t%d\t%" PRIu64 "\n",
		(uint64_t)cells[EXPORT_PROBE_ID].number, (uint64_t)cells[EXPORT_TID].number,
		cells[EXPORT_ADDR].text, (uint64_t)cells[EXPORT_SEQ].number,
		cells[EXPORT_IS_ACTIVE].number != 0, (uint64_t)cells[EXPORT_TS].number);
}

static enum ct_status fill_older(struct feed *feed, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	while (status == CT_OK && feed->page.length < PAGE_BYTES) {
		status = export_rows_next(&feed->rows, reterr);
		if (status == CT_OK && feed->rows.cells[EXPORT_PROBE_ID].is_set)
			put_older(feed, feed->rows.cells);
	}
	return status;
}

/* ---------------------------------------------------------------- pages */

void feed_open(struct feed *feed, const struct batch *batch)
{
	*feed = (struct feed){.batch = batch};
	feed_run(ct_view_tables(batch->view), feed->run);
}

void feed_open_older(struct feed *feed, struct ct_source *source)
{
	*feed = (struct feed){.batch = NULL};
	export_rows_init(&feed->rows, source, NULL);
}

enum ct_status feed_next(
	struct feed *feed, const char **ret_bytes, size_t *ret_nr_bytes, struct ct_error *reterr)
{
	enum ct_status status = CT_OK, broken;

	text_clear(&feed->page);
	if (!feed->batch)
		status = fill_older(feed, reterr);
	while (feed->batch && feed->row < feed->batch->nr_rows && feed->page.length < PAGE_BYTES)
		put_row(feed, feed->row++);
	broken = text_status(&feed->page, reterr);
	if (status < 0 || broken)
		return status < 0 ? status : broken;
	if (!feed->page.length)
		return CT_END;
	*ret_bytes = text_peek(&feed->page);
	*ret_nr_bytes = feed->page.length;
	return CT_OK;
}

void feed_close(struct feed *feed)
{
	if (!feed->batch)
		export_rows_fini(&feed->rows);
	text_fini(&feed->page);
}
