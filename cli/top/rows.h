/* SPDX-License-Identifier: MIT */
/*
 * The rows of a screen that is a table: those of one page, asked of the view, and their cells in words. Used by one
 * thread.
 */
#ifndef CLI_TOP_ROWS_H
#define CLI_TOP_ROWS_H

#include "say.h"
#include "top/filter.h"
#include "top/frame.h"
#include "top/state.h"

#define TOP_CELL_BYTES 1024u

struct top_rows {
	struct ct_view *view;
	const struct top_screen_description *screen;
	const struct ct_view_rows *rows;
	ct_time now; /* the end of observation */
};

/*
 * top_rows_ask: `limit` rows from `offset` on, sorted and filtered as the screen is; 0: all. On success the caller ends
 * with top_rows_fini. CT_ERR_USAGE: the filter cannot be understood.
 */
enum ct_status top_rows_ask(struct ct_view *view, enum top_screen screen,
	const struct top_sorting *sorting, uint64_t offset, uint64_t limit,
	struct top_rows *ret_rows, struct ct_error *reterr);
void top_rows_fini(struct top_rows *rows);

/* top_rows_cell: a cell in words, into the buffer, and its style. */
void top_rows_cell(const struct top_rows *rows, uint64_t row, uint32_t column,
	char buffer[TOP_CELL_BYTES], unsigned *ret_style);

/* top_rows_shares: what the row's columns of shares hold, and their sum; returns how many there are. */
uint32_t top_rows_shares(
	const struct top_rows *rows, uint64_t row, int64_t shares[TOP_COLUMNS], int64_t *ret_sum);

/* top_rows_number: the number in a cell. top_rows_process: the row's process. */
int64_t top_rows_number(const struct top_rows *rows, uint64_t row, uint32_t column);
uint32_t top_rows_process(const struct top_rows *rows, uint64_t row);

/* top_rows_key: the number of what the row is about: a coroutine, a finding, a place, a thread, a resource. */
int64_t top_rows_key(const struct top_rows *rows, uint64_t row);

/* top_style_of_state: of a coroutine. top_style_of_grade: of a finding. */
unsigned top_style_of_state(int64_t state);
unsigned top_style_of_grade(const char *grade);

/* top_said_age: how long before the end of observation; "" where the time is not known. */
struct said top_said_age(ct_time now, ct_time time);
/* top_said_span: "-" where nothing took any time. */
struct said top_said_span(int64_t ns);

#endif
