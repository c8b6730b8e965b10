/* SPDX-License-Identifier: MIT */
/*
 * A window over the rows of a file, from a given line on: the rows behind the present row can be examined. Memory is
 * bounded, however long the file and its lines are.
 */
#ifndef JSONL_WINDOW_H
#define JSONL_WINDOW_H

#include "base/input.h"
#include "jsonl/row.h"

#define JSONL_LINE_MAX 65536u /* bytes; a longer line is not a row of a trace */
#define JSONL_WINDOW_ROWS 2048u

/*
 * Takes lines that are not rows, and rows with further keys, during reading. The texts are valid only during the call.
 */
struct jsonl_listener {
	void *context;
	void (*bad_line)(void *context, uint64_t line, const char *why);
	void (*cut_line)(void *context, uint64_t line); /* the last line, which has no newline */
	void (*further_keys)(void *context, uint64_t number, const char *line, size_t nr_bytes);
};

struct jsonl_window {
	const struct input *input;             /* the caller's */
	const struct jsonl_listener *listener; /* NULL: nothing is reported */
	char *buffer;
	size_t begin; /* where the bytes begin that are still to be parsed */
	size_t end;
	uint64_t offset; /* position of buffer[begin] in the file */
	uint64_t limit;  /* position in the file behind which nothing is read */
	uint64_t line;   /* number of the next line */
	struct jsonl_row *rows;
	size_t first_row;
	size_t nr_rows; /* from first_row on */
	bool is_at_end; /* the end of the file was reached */
};

/* jsonl_window_open: opens a window at a line; the first fill reads its rows. */
enum ct_status jsonl_window_open(struct jsonl_window *window, const struct input *input,
	uint64_t offset, uint64_t limit, uint64_t line, struct ct_error *reterr);
void jsonl_window_close(struct jsonl_window *window);

/*
 * jsonl_window_fill: makes rows[first_row] the present row, followed by JSONL_AHEAD rows, or by all that are left.
 * CT_END: no row is left.
 */
enum ct_status jsonl_window_fill(struct jsonl_window *window, struct ct_error *reterr);

/* jsonl_window_advance: makes the next row the present one. */
static inline void jsonl_window_advance(struct jsonl_window *window)
{
	window->first_row++;
	window->nr_rows--;
}

#endif
