/* SPDX-License-Identifier: MIT */
/*
 * Rows as text for a database, some at a time: nothing of a table is kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/failure.h"
#include "event/kind_words.h"
#include "load/feed.h"

#define PAGE_BYTES (64u << 10)

/* ---------------------------------------------------------------- tables */

static enum load_type type_of(enum ct_view_type type)
{
	switch (type) {
	case CT_VIEW_TYPE_BOOLEAN:
		return LOAD_BOOLEAN;
	case CT_VIEW_TYPE_TEXT:
	case CT_VIEW_TYPE_HANDLE:
	case CT_VIEW_TYPE_OBJECT:
	case CT_VIEW_TYPE_ARGUMENT:
	case CT_VIEW_TYPE_KIND:
	case CT_VIEW_TYPE_STATE:
	case CT_VIEW_TYPE_OUTCOME:
	case CT_VIEW_TYPE_MARK:
		return LOAD_TEXT;
	default:
		return LOAD_NUMBER;
	}
}

void load_table_of_view(enum ct_view_table table, const char *events, struct load_table *ret_table)
{
	const struct ct_view_description *of = ct_view_describe(table);
	uint32_t i;

	*ret_table =
		(struct load_table){.name = table == CT_VIEW_EVENTS && events ? events : of->name};
	if (view_tables[table].is_part)
		return;
	/* The trace has the run's id in a column of its own. */
	if (table != CT_VIEW_TRACE)
		ret_table->columns[ret_table->nr_columns++] = (struct load_column){"run", LOAD_RUN};
	for (i = 0; i < of->nr_columns; i++)
		ret_table->columns[ret_table->nr_columns++] = (struct load_column){
			of->columns[i].name, table == CT_VIEW_TRACE && i == CT_VIEW_TRACE_RUN
						     ? LOAD_RUN
						     : type_of(of->columns[i].type)};
}

void load_table_older(const char *name, struct load_table *ret_table)
{
	*ret_table = (struct load_table){.name = name ? name : LOAD_DEFAULT_OLDER_TABLE,
		.columns = {{"id", LOAD_KEY}, {"probe_id", LOAD_UNSIGNED}, {"tid", LOAD_UNSIGNED},
			{"addr", LOAD_TEXT}, {"seq", LOAD_UNSIGNED}, {"is_active", LOAD_BOOLEAN},
			{"ts", LOAD_UNSIGNED}},
		.nr_columns = 7,
		.is_older = true};
}

void load_run(const struct ct_tables *tables, char run[33])
{
	size_t i;

	for (i = 0; i < sizeof(tables->run_id); i++)
		snprintf(run + 2 * i, 3, "%02x", tables->run_id[i]);
}

/* ---------------------------------------------------------------- cells */

#define ESCAPED "\t\n\r\\"

/* What stands behind the backslash. */
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

static void put_text(struct load_feed *feed, const char *value)
{
	const char *at;
	size_t length;

	text_clear(&feed->clean);
	text_utf8(&feed->clean, value);
	for (at = text_peek(&feed->clean);; at += length + 1) {
		length = strcspn(at, ESCAPED);
		text_append(&feed->page, at, length);
		if (!at[length])
			break;
		text_char(&feed->page, '\\');
		text_char(&feed->page, escape_of(at[length]));
	}
	feed->page.is_broken |= feed->clean.is_broken;
}

static void put_nothing(struct load_feed *feed)
{
	text_add(&feed->page, "\\N");
}

static void put_words(struct load_feed *feed, enum ct_view_type type, int64_t number, unsigned kind)
{
	text_clear(&feed->cell);
	view_spell(&feed->cell, feed->view, type, number, kind);
	feed->page.is_broken |= feed->cell.is_broken;
	if (feed->cell.length)
		put_text(feed, text_peek(&feed->cell));
	else
		put_nothing(feed);
}

/* An event's value is there only where its kind has no coroutine. */
static bool is_left_out(const struct load_feed *feed, uint32_t column, unsigned kind)
{
	return feed->table == CT_VIEW_EVENTS && column == CT_VIEW_EVENTS_VALUE &&
	       kind_has_coro(kind);
}

static void put_cell(struct load_feed *feed, uint32_t column, enum ct_view_type type,
	int64_t number, unsigned kind)
{
	int64_t none = ct_view_none(type);

	if ((none != CT_VIEW_NOTHING && number == none) || is_left_out(feed, column, kind))
		put_nothing(feed);
	else if (type_of(type) == LOAD_TEXT)
		put_words(feed, type, number, kind);
	else
		text_signed(&feed->page, number);
}

static void put_rows(struct load_feed *feed, const struct ct_view_rows *rows)
{
	uint64_t i;
	uint32_t k;

	for (i = 0; i < rows->nr_rows; i++) {
		unsigned kind = feed->table == CT_VIEW_EVENTS
					? (unsigned)rows->columns[CT_VIEW_EVENTS_KIND][i]
					: 0;

		if (feed->table != CT_VIEW_TRACE)
			text_add(&feed->page, feed->run);
		for (k = 0; k < rows->nr_columns; k++) {
			if (k || feed->table != CT_VIEW_TRACE)
				text_char(&feed->page, '\t');
			put_cell(feed, k, rows->types[k], rows->columns[k][i], kind);
		}
		text_char(&feed->page, '\n');
	}
}

/* ---------------------------------------------------------------- the older form */

static void put_older(struct load_feed *feed, const struct export_cell *cells)
{
	text_format(&feed->page, "%" PRIu64 "\t%" PRIu64 "\t%s\t%" PRIu64 "\t%d\t%" PRIu64 "\n",
		(uint64_t)cells[EXPORT_PROBE_ID].number, (uint64_t)cells[EXPORT_TID].number,
		cells[EXPORT_ADDR].text, (uint64_t)cells[EXPORT_SEQ].number,
		cells[EXPORT_IS_ACTIVE].number != 0, (uint64_t)cells[EXPORT_TS].number);
}

static enum ct_status fill_older(struct load_feed *feed, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	while (status == CT_OK && feed->page.length < PAGE_BYTES) {
		status = export_rows_next(&feed->rows, reterr);
		if (status == CT_OK && feed->rows.cells[EXPORT_PROBE_ID].is_set)
			put_older(feed, feed->rows.cells);
	}
	return status;
}

/* ---------------------------------------------------------------- some at a time */

static enum ct_status fill(struct load_feed *feed, struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	enum ct_status status = CT_OK;

	while (status == CT_OK && feed->page.length < PAGE_BYTES) {
		status = ct_view_scan_next(feed->scan, &rows, reterr);
		if (status == CT_OK)
			put_rows(feed, rows);
	}
	return status;
}

enum ct_status load_feed_open(struct load_feed *feed, struct ct_view *view,
	enum ct_view_table table, struct ct_error *reterr)
{
	const struct ct_view_request request = {.size = sizeof(request), .table = table};

	*feed = (struct load_feed){.view = view, .table = table};
	load_run(ct_view_tables(view), feed->run);
	return ct_view_scan_open(view, &request, &feed->scan, reterr);
}

void load_feed_open_older(struct load_feed *feed, struct ct_source *source)
{
	*feed = (struct load_feed){.is_older = true};
	export_rows_init(&feed->rows, source, NULL);
}

enum ct_status load_feed_next(struct load_feed *feed, const char **ret_bytes, size_t *ret_nr_bytes,
	struct ct_error *reterr)
{
	enum ct_status status, broken;

	text_clear(&feed->page);
	status = feed->is_older ? fill_older(feed, reterr) : fill(feed, reterr);
	broken = text_status(&feed->page, reterr);
	if (status < 0 || broken)
		return status < 0 ? status : broken;
	if (!feed->page.length)
		return CT_END;
	*ret_bytes = text_peek(&feed->page);
	*ret_nr_bytes = feed->page.length;
	return CT_OK;
}

void load_feed_close(struct load_feed *feed)
{
	ct_view_scan_close(feed->scan);
	if (feed->is_older)
		export_rows_fini(&feed->rows);
	text_fini(&feed->page);
	text_fini(&feed->cell);
	text_fini(&feed->clean);
}
