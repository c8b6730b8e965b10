/* SPDX-License-Identifier: MIT */
/*
 * The rows of a screen that is a table: the rows of one page, taken from the view, and their cells in words. One thread
 * uses it.
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
 * top_rows_ask: gets `limit` rows (0: all) from `offset` on, sorted and filtered as the screen is. After success the
 * caller calls top_rows_fini. CT_ERR_USAGE: the filter is invalid.
 */
enum ct_status top_rows_ask(struct ct_view *view, enum top_screen screen,
	const struct top_sorting *sorting, uint64_t offset, uint64_t limit,
	struct top_rows *ret_rows, struct ct_error *reterr);
void top_rows_fini(struct top_rows *rows);

/* top_rows_cell: writes a cell in words to the buffer, and returns its style. */
void top_rows_cell(const struct top_rows *rows, uint64_t row, uint32_t column,
	char buffer[TOP_CELL_BYTES], unsigned *ret_style);

/* top_rows_shares: the values of the row's columns of shares, and their sum; returns the number of these columns. */
uint32_t top_rows_shares(
	const struct top_rows *rows, uint64_t row, int64_t shares[TOP_COLUMNS], int64_t *ret_sum);

/* top_rows_process: the row's process. */
uint32_t top_rows_process(const struct top_rows *rows, uint64_t row);

/* top_rows_key: identifies what the row is about: a coroutine, a finding, a place, a thread, a resource. */
int64_t top_rows_key(const struct top_rows *rows, uint64_t row);

/* top_state_words: a coroutine's state in words, as on the page and in reports. */
const char *top_state_words(int64_t state);

/* top_style_of_state: the style of a coroutine's state. top_style_of_grade: the style of a finding's grade. */
unsigned top_style_of_state(int64_t state);
unsigned top_style_of_grade(const char *grade);

/* top_said_age: the time from `time` to the end of observation; "" if `time` is unknown. */
struct said top_said_age(ct_time now, ct_time time);
/* top_said_span: "-" if the duration is 0. */
struct said top_said_span(int64_t ns);

#endif
