/* SPDX-License-Identifier: MIT */
/*
 * Rows of a view in words. Two more columns than shown are read, because they identify the row.
 */
#include <stdio.h>
#include <string.h>

#include "say.h"
#include "top/rows.h"

/* Positions behind the shown columns. */
enum {
	HIDDEN_PROCESS,
	HIDDEN_KEY,
	NR_HIDDEN,
};

static const uint32_t hidden[TOP_NR_TABLES][NR_HIDDEN] = {
	[TOP_FINDINGS] = {CT_VIEW_FINDINGS_PROCESS, CT_VIEW_FINDINGS_FINDING},
	[TOP_COROUTINES] = {CT_VIEW_COROUTINES_PROCESS, CT_VIEW_COROUTINES_COROUTINE},
	[TOP_PLACES] = {CT_VIEW_PLACES_PROCESS, CT_VIEW_PLACES_SITE},
	[TOP_WORKERS] = {CT_VIEW_THREADS_PROCESS, CT_VIEW_THREADS_THREAD},
	[TOP_RESOURCES] = {CT_VIEW_OBJECTS_PROCESS, CT_VIEW_OBJECTS_OBJECT},
};

enum ct_status top_rows_ask(struct ct_view *view, enum top_screen screen,
	const struct top_sorting *sorting, uint64_t offset, uint64_t limit,
	struct top_rows *ret_rows, struct ct_error *reterr)
{
	const struct top_screen_description *described = top_screen_describe(screen);
	uint32_t columns[TOP_COLUMNS + NR_HIDDEN], i;
	char complaint[TOP_COMPLAINT_BYTES];
	const struct ct_report *report;
	struct top_filter filter;
	enum ct_status status = ct_view_report(view, &report, reterr);
	struct ct_view_request request = {
		.size = sizeof(request),
		.table = described->table,
		.columns = columns,
		.nr_columns = described->nr_columns + NR_HIDDEN,
		.terms = filter.terms,
		.is_sorted = true,
		.order = described->columns[sorting->order].column,
		.offset = offset,
		.limit = limit,
	};

	if (status)
		return status;
	for (i = 0; i < described->nr_columns; i++)
		columns[i] = described->columns[i].column;
	memcpy(columns + i, hidden[screen], sizeof(hidden[screen]));
	/* Ages are in reverse order of times. */
	request.is_descending =
		sorting->is_descending != (described->columns[sorting->order].form == TOP_FORM_AGE);
	*ret_rows = (struct top_rows){.view = view, .screen = described};
	ret_rows->now = report->quality.observed_until;
	if (!top_filter_read(&filter, screen, view, ret_rows->now, sorting->filter, complaint)) {
		reterr->status = CT_ERR_USAGE;
		snprintf(reterr->text, sizeof(reterr->text), "%s", complaint);
		return CT_ERR_USAGE;
	}
	request.nr_terms = filter.nr_terms;
	return ct_view_select(view, &request, &ret_rows->rows, reterr);
}

void top_rows_fini(struct top_rows *rows)
{
	ct_view_rows_free(rows->rows);
	rows->rows = NULL;
}

static int64_t number_in(const struct top_rows *rows, uint64_t row, uint32_t column)
{
	return rows->rows->columns[column][row];
}

uint32_t top_rows_process(const struct top_rows *rows, uint64_t row)
{
	return (uint32_t)number_in(rows, row, rows->screen->nr_columns + HIDDEN_PROCESS);
}

int64_t top_rows_key(const struct top_rows *rows, uint64_t row)
{
	return number_in(rows, row, rows->screen->nr_columns + HIDDEN_KEY);
}

/* ---------------------------------------------------------------- styles */

const char *top_state_words(int64_t state)
{
	switch (state) {
#define X(name, text, words)  \
	case CT_STATE_##name: \
		return words;
#include "corotracer/def/states.def"
#undef X
	default:
		return "unknown";
	}
}

unsigned top_style_of_state(int64_t state)
{
	switch (state) {
	case CT_STATE_READY:
		return TOP_READY;
	case CT_STATE_RUNNING:
		return TOP_RUNNING;
	case CT_STATE_WAITING:
		return TOP_WAITING;
	default:
		return TOP_FAINT;
	}
}

unsigned top_style_of_grade(const char *grade)
{
	if (strcmp(grade, ct_grade_name(CT_GRADE_PROVEN)) == 0)
		return TOP_BAD;
	return strcmp(grade, ct_grade_name(CT_GRADE_LIKELY)) == 0 ? TOP_DOUBTFUL : TOP_PLAIN;
}

/* ---------------------------------------------------------------- cells */

/* A duration of 0 mostly means that nothing could be measured; clocks that disagree can make it negative. */
struct said top_said_span(int64_t ns)
{
	struct said nothing = {"-"};

	return ns > 0 ? said_span(ns) : nothing;
}

struct said top_said_age(ct_time now, ct_time time)
{
	struct said nothing = {""};

	if (time == CT_NO_TIME || now == CT_NO_TIME)
		return nothing;
	return said_span(now > time ? now - time : 0);
}

uint32_t top_rows_shares(
	const struct top_rows *rows, uint64_t row, int64_t shares[TOP_COLUMNS], int64_t *ret_sum)
{
	uint32_t nr_shares = 0, column;

	*ret_sum = 0;
	for (column = 0; column < rows->screen->nr_columns; column++) {
		if (rows->screen->columns[column].form != TOP_FORM_SHARE)
			continue;
		shares[nr_shares] = number_in(rows, row, column);
		*ret_sum += shares[nr_shares++];
	}
	return nr_shares;
}

static void say_share(
	const struct top_rows *rows, uint64_t row, int64_t number, char buffer[TOP_CELL_BYTES])
{
	int64_t shares[TOP_COLUMNS], sum;

	top_rows_shares(rows, row, shares, &sum);
	snprintf(buffer, TOP_CELL_BYTES, "%.0f%%",
		sum > 0 ? 100.0 * (double)number / (double)sum : 0.0);
}

static void say_number(
	const struct top_column *shown, int64_t number, ct_time now, char buffer[TOP_CELL_BYTES])
{
	struct said said = {""};

	switch (shown->form) {
	case TOP_FORM_SPAN:
		said = top_said_span(number);
		break;
	case TOP_FORM_AGE:
		said = top_said_age(now, number);
		break;
	default:
		said = said_count((uint64_t)number, "", "");
	}
	snprintf(buffer, TOP_CELL_BYTES, "%s", said.text);
}

void top_rows_cell(const struct top_rows *rows, uint64_t row, uint32_t column,
	char buffer[TOP_CELL_BYTES], unsigned *ret_style)
{
	const struct top_column *shown = &rows->screen->columns[column];
	enum ct_view_type type = rows->rows->types[column];
	int64_t number = number_in(rows, row, column);

	*ret_style = TOP_PLAIN;
	buffer[0] = '\0';
	if (ct_view_is_nothing(type, number) || shown->form == TOP_FORM_BARS)
		return;
	switch (shown->form) {
	case TOP_FORM_COUNT:
	case TOP_FORM_SPAN:
	case TOP_FORM_AGE:
		say_number(shown, number, rows->now, buffer);
		break;
	case TOP_FORM_SHARE:
		say_share(rows, row, number, buffer);
		break;
	case TOP_FORM_STATE:
		snprintf(buffer, TOP_CELL_BYTES, "%s", top_state_words(number));
		*ret_style = top_style_of_state(number);
		break;
	default:
		ct_view_say(rows->view, type, number, 0, buffer, TOP_CELL_BYTES);
	}
	if (shown->form == TOP_FORM_GRADE)
		*ret_style = top_style_of_grade(buffer);
}
