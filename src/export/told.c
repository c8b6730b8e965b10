/* SPDX-License-Identifier: MIT */
/*
 * JSON lines that hold a whole trace: the further keys of each row hold the words about its event, and all lines of the
 * text form from that event to the next row's event. The first row also holds the lines before its event.
 */
#include <string.h>

#include "export/export.h"
#include "export/rows.h"
#include "base/io.h"
#include "base/json_write.h"
#include "base/map.h"
#include "textrace/textrace.h"
#include "textrace/names.h"

#define WRITE_BYTES (256u << 10)
/* of lines in one row, so that other readers accept the row as one line */
#define ROW_LINES_BYTES 30000u

struct told {
	struct export_rows rows;
	struct text lines; /* lines that are not in a row yet */
	size_t begin;      /* the position of the first of these lines */
	uint64_t nr_lines; /* number of lines in the rows so far */
	struct text line;  /* the latest row; more lines may still be added to it */
	struct text page;
	struct text word;
	/* the outcome of the last wake of a coroutine or frame, by its handle */
	struct map outcomes;
};

/* Called for each row: formatted printing would cost more than all the rest of the writing. */
static void add_number(struct told *told, const char *before, uint64_t number)
{
	text_add(&told->line, before);
	text_digits(&told->line, number, 10, 1);
}

/* ---------------------------------------------------------------------- lines */

static void add_line(struct told *told, struct json *json, const char *from, size_t length)
{
	text_clear(&told->word);
	text_append(&told->word, from, length);
	json_text(json, text_peek(&told->word));
	told->nr_lines++;
}

/* Adds as many lines as a row has room for; the last row gets all of them. */
static void add_lines(struct told *told, bool is_last)
{
	const char *at = text_peek(&told->lines) + told->begin, *newline;
	size_t length = 0;
	struct json json;

	if (!*at)
		return;
	add_number(told, ",\"from\":", told->nr_lines);
	text_add(&told->line, ",\"told\":");
	json_init(&json, &told->line, false);
	json_open(&json, '[');
	while (*at && (is_last || length < ROW_LINES_BYTES)) {
		newline = strchr(at, '\n');
		add_line(told, &json, at, (size_t)(newline - at));
		length += (size_t)(newline - at) + 1;
		at = newline + 1;
	}
	json_close(&json, ']');
	told->begin += length;
	if (*at)
		return;
	text_clear(&told->lines);
	told->begin = 0;
}

/* ----------------------------------------------------------------------- words */

static void add_word(struct told *told, const char *key, const char *value)
{
	struct json json;

	if (!*value)
		return;
	text_format(&told->line, ",\"%s\":", key);
	json_init(&json, &told->line, false);
	json_text(&json, value);
}

/* "server.cpp:120 handle (AsyncRead)" */
static void add_site(struct told *told, const struct ct_event *event)
{
	const struct ct_tables *tables = told->rows.source->tables;
	const struct ct_site *site;

	if (!event->site || event->site >= tables->nr_sites)
		return;
	site = &tables->sites[event->site];
	text_clear(&told->word);
	if (*site->file)
		text_format(&told->word, "%s:%u ", site->file, site->line);
	text_add(&told->word, site->function);
	if (*site->reason)
		text_format(&told->word, " (%s)", site->reason);
	add_word(told, "site", text_peek(&told->word));
}

/* A wake names a coroutine, or the frame of a coroutine. */
static bool take_outcome(struct told *told, const struct ct_event *event, uint32_t *ret_outcome)
{
	const struct jsonl_coro *coro =
		jsonl_coros_find(&told->rows.coros, event->process, event->coro);
	uint64_t handle = CTP_HANDLE(CTP_RESOURCE_COROUTINE, event->coro);

	if (!map_get(&told->outcomes, handle, ret_outcome)) {
		handle = CTP_HANDLE(CTP_RESOURCE_FRAME, coro ? coro->frame : 0);
		if (!map_get(&told->outcomes, handle, ret_outcome))
			return false;
	}
	return map_remove(&told->outcomes, handle);
}

static void add_outcome(struct told *told, const struct ct_event *event)
{
	const char *name;
	uint32_t outcome;

	if (!take_outcome(told, event, &outcome))
		return;
	name = textrace_name(TEXTRACE_OUTCOMES, outcome);
	add_word(told, "outcome", name ? name : "");
}

/* The next resume reports the outcome of the wake. */
static bool note_wake(struct told *told, const struct ct_event *event)
{
	return event->kind != CTP_KIND_WAKE ||
	       map_put(&told->outcomes, event->object, event->argument);
}

static void add_end(struct told *told)
{
	const struct ct_tables *tables = told->rows.source->tables;
	const struct ct_process *process;
	const char *name;

	if (tables->nr_processes < 2)
		return;
	process = &tables->processes[1];
	name = textrace_name(TEXTRACE_ENDINGS, process->ending);
	text_clear(&told->word);
	text_format(&told->word, "%s %d", name ? name : "unknown", process->ending_value);
	add_word(told, "end", text_peek(&told->word));
}

/* ------------------------------------------------------------------------ rows */

static void end_row(struct told *told, bool is_last)
{
	if (told->line.length == 0)
		return;
	add_lines(told, is_last);
	if (is_last) {
		add_number(told, ",\"lines\":", told->nr_lines);
		add_end(told);
	}
	text_append(&told->page, text_peek(&told->line), told->line.length);
	text_add(&told->page, "}\n");
	text_clear(&told->line);
}

static void begin_row(struct told *told)
{
	const struct export_cell *cells = told->rows.cells;
	const struct ct_event *event = told->rows.event;

	add_number(told, "{\"probe_id\":", (uint64_t)cells[EXPORT_PROBE_ID].number);
	add_number(told, ",\"tid\":", (uint64_t)cells[EXPORT_TID].number);
	text_add(&told->line, ",\"addr\":\"");
	text_add(&told->line, cells[EXPORT_ADDR].text);
	add_number(told, "\",\"seq\":", (uint64_t)cells[EXPORT_SEQ].number);
	text_add(&told->line, cells[EXPORT_IS_ACTIVE].number ? ",\"is_active\":true,\"ts\":"
							     : ",\"is_active\":false,\"ts\":");
	text_signed(&told->line, cells[EXPORT_TS].number);
	if (cells[EXPORT_IS_ACTIVE].number) {
		add_outcome(told, event);
	} else {
		add_word(told, "waits_for", event->object ? text_peek(&told->rows.object) : "");
		add_site(told, event);
	}
}

static bool take(struct told *told, bool is_second_half)
{
	struct ct_source *source = told->rows.source;

	bool is_row = told->rows.cells[EXPORT_PROBE_ID].is_set;

	if (is_row)
		end_row(told, false);
	if (!is_second_half) {
		textrace_print_event(
			&told->lines, source->tables, told->rows.event, source_is_carried(source));
		text_char(&told->lines, '\n');
	}
	if (is_row)
		begin_row(told);
	return note_wake(told, told->rows.event);
}

static enum ct_status write_page(
	struct told *told, const struct io_output *output, struct ct_error *reterr)
{
	enum ct_status status = text_status(&told->page, reterr);

	if (status == CT_OK)
		status = text_status(&told->line, reterr);
	if (status == CT_OK)
		status = text_status(&told->lines, reterr);
	if (status == CT_OK)
		status = io_output_write(output, text_peek(&told->page), told->page.length, reterr);
	text_clear(&told->page);
	return status;
}

static enum ct_status write_rows(
	struct told *told, const struct io_output *output, struct ct_error *reterr)
{
	uint32_t nr_losses = told->rows.source->tables->nr_losses;
	enum ct_status status = CT_OK, end = CT_OK;
	bool is_second_half;

	textrace_print_tables(&told->lines, told->rows.source->tables);
	while (status == CT_OK) {
		is_second_half = told->rows.has_second_half;
		end = export_rows_next(&told->rows, reterr);
		if (end)
			break;
		if (!take(told, is_second_half))
			return ct_fail_memory(reterr);
		if (told->page.length >= WRITE_BYTES)
			status = write_page(told, output, reterr);
	}
	if (status || end < 0)
		return status ? status : end;
	textrace_print_losses(&told->lines, told->rows.source->tables, nr_losses);
	end_row(told, true);
	return write_page(told, output, reterr);
}

enum ct_status export_told(struct ct_source *source, enum ct_row_numbers numbers, const char *path,
	struct ct_error *reterr)
{
	struct io_output output;
	struct told told = {.line = {0}};
	enum ct_status status = io_output_open(&output, path, reterr);

	if (status)
		return status;
	export_rows_init(&told.rows, source, NULL);
	told.rows.numbers = numbers;
	status = write_rows(&told, &output, reterr);
	export_rows_fini(&told.rows);
	text_fini(&told.lines);
	text_fini(&told.line);
	text_fini(&told.page);
	text_fini(&told.word);
	map_fini(&told.outcomes);
	return io_output_end(&output, status, reterr);
}
