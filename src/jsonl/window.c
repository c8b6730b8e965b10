/* SPDX-License-Identifier: MIT */
/*
 * Turns bytes into lines and lines into rows.
 */
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "jsonl/runs.h"
#include "jsonl/window.h"

#define BUFFER_BYTES (4 * JSONL_LINE_MAX)

enum ct_status jsonl_window_open(struct jsonl_window *window, const struct input *input,
	uint64_t offset, uint64_t limit, uint64_t line, struct ct_error *reterr)
{
	*window = (struct jsonl_window){
		.input = input, .offset = offset, .limit = limit, .line = line};
	window->buffer = malloc(BUFFER_BYTES);
	window->rows = malloc(JSONL_WINDOW_ROWS * sizeof(*window->rows));
	if (window->buffer && window->rows)
		return CT_OK;
	jsonl_window_close(window);
	return ct_fail_memory(reterr);
}

void jsonl_window_close(struct jsonl_window *window)
{
	free(window->buffer);
	free(window->rows);
	window->buffer = NULL;
	window->rows = NULL;
}

/* Reads more bytes behind those that are still to be parsed; none at the end of the file. */
static enum ct_status read_more(struct jsonl_window *window, struct ct_error *reterr)
{
	uint64_t offset = window->offset + (window->end - window->begin);
	size_t room, nr_read;
	enum ct_status status;

	memmove(window->buffer, window->buffer + window->begin, window->end - window->begin);
	window->end -= window->begin;
	window->begin = 0;
	room = BUFFER_BYTES - window->end;
	if (offset + room > window->limit)
		room = offset < window->limit ? (size_t)(window->limit - offset) : 0;
	status = input_read(
		window->input, offset, window->buffer + window->end, room, &nr_read, reterr);
	if (status)
		return status;
	window->end += nr_read;
	window->is_at_end = nr_read == 0;
	return CT_OK;
}

static void tell_bad(struct jsonl_window *window, const char *why, bool is_cut)
{
	const struct jsonl_listener *listener = window->listener;

	if (!listener)
		return;
	if (is_cut)
		listener->cut_line(listener->context, window->line);
	else
		listener->bad_line(listener->context, window->line, why);
}

static bool is_blank(const char *line, size_t nr_bytes)
{
	while (nr_bytes && (*line == ' ' || *line == '\t' || *line == '\r')) {
		line++;
		nr_bytes--;
	}
	return nr_bytes == 0;
}

static void take_line(struct jsonl_window *window, size_t nr_bytes, bool is_cut)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	const char *line = window->buffer + window->begin;
	struct jsonl_row *row = &window->rows[window->first_row + window->nr_rows];
	const char *why;

	if (window->line == 1 && nr_bytes >= 3 && memcmp(line, byte_order_mark, 3) == 0) {
		line += 3;
		nr_bytes -= 3;
	}
	why = jsonl_row_parse(line, nr_bytes, row);
	if (why) {
		if (!is_blank(line, nr_bytes))
			tell_bad(window, why, is_cut);
		return;
	}
	row->line = window->line;
	row->offset = window->offset;
	window->nr_rows++;
	if (row->has_further && window->listener)
		window->listener->further_keys(
			window->listener->context, window->line, line, nr_bytes);
}

static void leave_line(struct jsonl_window *window, size_t nr_bytes)
{
	window->begin += nr_bytes;
	window->offset += nr_bytes;
	window->line++;
}

/* Skips a line that does not fit; its bytes are dropped up to the newline. */
static enum ct_status skip_long_line(struct jsonl_window *window, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	const char *from, *newline;

	tell_bad(window, "it is too long", false);
	for (;;) {
		from = window->buffer + window->begin;
		newline = memchr(from, '\n', window->end - window->begin);
		if (newline || status || window->is_at_end)
			break;
		window->offset += window->end - window->begin;
		window->begin = window->end;
		status = read_more(window, reterr);
	}
	leave_line(window, newline ? (size_t)(newline - from) + 1 : window->end - window->begin);
	return status;
}

static enum ct_status read_line(struct jsonl_window *window, struct ct_error *reterr)
{
	const char *from = window->buffer + window->begin;
	size_t left = window->end - window->begin;
	const char *newline = left ? memchr(from, '\n', left) : NULL;
	size_t nr_bytes = newline ? (size_t)(newline - from) : left;

	if (!newline && !window->is_at_end && left <= JSONL_LINE_MAX)
		return read_more(window, reterr);
	if (nr_bytes > JSONL_LINE_MAX)
		return skip_long_line(window, reterr);
	if (nr_bytes)
		take_line(window, nr_bytes, !newline);
	if (newline || nr_bytes)
		leave_line(window, nr_bytes + (newline != NULL));
	return CT_OK;
}

static bool has_bytes(const struct jsonl_window *window)
{
	return window->begin < window->end || !window->is_at_end;
}

enum ct_status jsonl_window_fill(struct jsonl_window *window, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (window->nr_rows < JSONL_AHEAD && has_bytes(window)) {
		memmove(window->rows, window->rows + window->first_row,
			window->nr_rows * sizeof(*window->rows));
		window->first_row = 0;
		while (status == CT_OK && window->nr_rows < JSONL_WINDOW_ROWS && has_bytes(window))
			status = read_line(window, reterr);
	}
	if (status)
		return status;
	return window->nr_rows ? CT_OK : CT_END;
}
