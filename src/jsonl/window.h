/* SPDX-License-Identifier: MIT */
/*
 * The rows of a file from some line on, some of them at a time: what is behind the present row can be
 * looked at. Bounded memory, however long the file and its lines are.
 */
#ifndef JSONL_WINDOW_H
#define JSONL_WINDOW_H

#include "base/input.h"
#include "jsonl/row.h"

#define JSONL_LINE_MAX 65536u /* bytes; a longer line is none of a trace */
#define JSONL_WINDOW_ROWS 2048u

/* Lines that are no row, and rows with further keys. Told while reading; the texts end with the call. */
struct jsonl_listener {
	void *context;
	void (*bad_line)(void *context, uint64_t line, const char *why);
	void (*cut_line)(void *context, uint64_t line); /* the last one, without its newline */
	void (*further_keys)(void *context, uint64_t number, const char *line, size_t nr_bytes);
};

struct jsonl_window {
	const struct input *input;             /* the caller's */
	const struct jsonl_listener *listener; /* NULL: nobody wants to know */
	char *buffer;
	size_t begin; /* bytes of the buffer that are still to be parsed */
	size_t end;
	uint64_t offset; /* in the file, of buffer[begin] */
	uint64_t limit;  /* of the file: nothing behind it is read */
	uint64_t line;   /* number of the next line */
	struct jsonl_row *rows;
	size_t first_row;
	size_t nr_rows; /* from first_row on */
	bool is_at_end; /* of the file */
};

/* jsonl_window_open: starts at a line; its rows come with the first fill. */
enum ct_status jsonl_window_open(struct jsonl_window *window, const struct input *input,
	uint64_t offset, uint64_t limit, uint64_t line, struct ct_error *reterr);
void jsonl_window_close(struct jsonl_window *window);

/*
 * jsonl_window_fill: the present row is rows[first_row], and JSONL_AHEAD rows or all that are left
 * follow it. CT_END: there is no row any more.
 */
enum ct_status jsonl_window_fill(struct jsonl_window *window, struct ct_error *reterr);

/* jsonl_window_advance: the next row becomes the present one. */
static inline void jsonl_window_advance(struct jsonl_window *window)
{
	window->first_row++;
	window->nr_rows--;
}

#endif
