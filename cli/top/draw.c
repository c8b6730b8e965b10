/* SPDX-License-Identifier: MIT */
/*
 * Draws a frame from its first line to its last.
 */
#include <stdio.h>
#include <string.h>

#include "say.h"
#include "top/draw.h"

#define LINE_BYTES 512
#define PROGRAM_BYTES 256
#define GAP 2u /* between columns; its first column may show the mark of sorting */
#define ARROW_UP 0x25b2u
#define ARROW_DOWN 0x25bcu

/* ---------------------------------------------------------------- header */

static uint64_t nr_programs(const struct ct_tables *tables)
{
	return tables->nr_processes > 1 ? tables->nr_processes - 1 : 0;
}

static void say_program(const struct top_snapshot *snapshot, char buffer[PROGRAM_BYTES])
{
	uint64_t count = nr_programs(ct_view_tables(snapshot->view));
	size_t length;

	buffer[0] = '\0';
	if (!count)
		return;
	ct_view_say(
		snapshot->view, CT_VIEW_TYPE_PROCESS, 1, 0, buffer, PROGRAM_BYTES - SAY_BYTES - 8);
	length = strlen(buffer);
	if (count > 1)
		snprintf(buffer + length, PROGRAM_BYTES - length, " and %s",
			said_count(count - 1, "other", "others").text);
}

static void say_subject(const struct top_snapshot *snapshot, char buffer[LINE_BYTES])
{
	const struct ct_quality *quality = &snapshot->report->quality;
	char program[PROGRAM_BYTES];

	say_program(snapshot, program);
	snprintf(buffer, LINE_BYTES, "%s%s%s", program, *program ? "  " : "",
		said_span(ct_time_between(quality->observed_from, quality->observed_until)).text);
}

void top_draw_summary(const struct top_snapshot *snapshot, char *buffer, size_t nr_bytes)
{
	const struct ct_report *report = snapshot->report;
	char subject[LINE_BYTES];
	size_t length;
	uint32_t i;

	say_subject(snapshot, subject);
	snprintf(buffer, nr_bytes, "%s", subject);
	for (i = 0; i < report->nr_standings; i++) {
		length = strlen(buffer);
		snprintf(buffer + length, nr_bytes - length, "  %s", report->standings[i].text);
	}
}

static void say_age(const struct top_scene *scene, char buffer[LINE_BYTES])
{
	const struct top_snapshot *snapshot = scene->snapshot;
	const char *pause = scene->state->is_paused ? "paused, " : "";
	uint64_t age_ns =
		scene->now_ns > snapshot->taken_ns ? scene->now_ns - snapshot->taken_ns : 0;

	buffer[0] = '\0';
	if (snapshot->is_growing)
		snprintf(buffer, LINE_BYTES, "%s%.1f s ago", pause, (double)age_ns / 1e9);
}

/* Returns the column behind the words; if they do not fit and are not a doubt, they are left out. */
static uint32_t draw_standing(
	struct top_frame *frame, const struct ct_standing *standing, uint32_t column, uint32_t end)
{
	uint32_t width = top_text_width(standing->text, frame->has_unicode) + GAP;

	if (column + width > end && (!standing->is_doubt || column + GAP >= end))
		return column;
	return top_frame_text(frame, 0, column + GAP, end - column - GAP,
		standing->is_doubt ? TOP_BAD : TOP_PLAIN, standing->text);
}

/* Draws how many events there are, then doubts, then the rest, so that doubts are visible on a narrow screen. */
static void draw_standings(
	const struct ct_report *report, struct top_frame *frame, uint32_t column, uint32_t end)
{
	uint32_t i;

	for (i = 0; i < report->nr_standings; i++)
		if (report->standings[i].is_doubt || report->standings[i].kind <= CT_STANDING_LOST)
			column = draw_standing(frame, &report->standings[i], column, end);
	for (i = 0; i < report->nr_standings; i++)
		if (!report->standings[i].is_doubt && report->standings[i].kind > CT_STANDING_LOST)
			column = draw_standing(frame, &report->standings[i], column, end);
}

static void draw_header(const struct top_scene *scene, struct top_frame *frame)
{
	char subject[LINE_BYTES], age[LINE_BYTES];
	uint32_t column, end;

	if (!scene->snapshot) {
		snprintf(subject, sizeof(subject), "%s  reading ...", scene->subject);
		top_frame_text(frame, 0, 0, frame->width, TOP_STRONG, subject);
		return;
	}
	say_subject(scene->snapshot, subject);
	say_age(scene, age);
	end = (uint32_t)strlen(age) + GAP < frame->width
		      ? frame->width - (uint32_t)strlen(age) - (*age ? GAP : 0)
		      : frame->width;
	column = top_frame_text(frame, 0, 0, end, TOP_STRONG, subject);
	draw_standings(scene->snapshot->report, frame, column, end);
	top_frame_right(frame, 0, frame->width - (uint32_t)strlen(age), (uint32_t)strlen(age),
		scene->state->is_paused ? TOP_DOUBTFUL : TOP_FAINT, age);
}

static void say_name(const struct top_scene *scene, enum top_screen screen, char buffer[LINE_BYTES])
{
	const char *name = top_screen_describe(screen)->name;
	const struct ct_report *report = scene->snapshot ? scene->snapshot->report : NULL;

	if (report && screen == TOP_FINDINGS)
		snprintf(buffer, LINE_BYTES, " %u %s %s ", (unsigned)screen + 1, name,
			said_count(report->nr_findings, "", "").text);
	else
		snprintf(buffer, LINE_BYTES, " %u %s ", (unsigned)screen + 1, name);
}

/* A screen of text is listed under the table from which it was opened. */
static enum top_screen table_of(const struct top_state *state)
{
	uint32_t i;

	if (state->now.screen < TOP_NR_TABLES)
		return state->now.screen;
	for (i = state->nr_history; i > 0; i--)
		if (state->history[i - 1].screen < TOP_NR_TABLES)
			return state->history[i - 1].screen;
	return TOP_FINDINGS;
}

static void draw_names(const struct top_scene *scene, struct top_frame *frame)
{
	enum top_screen screen, present = table_of(scene->state);
	char name[LINE_BYTES];
	uint32_t column = 0;

	for (screen = 0; screen < TOP_NR_TABLES; screen++) {
		say_name(scene, screen, name);
		column = top_frame_text(frame, 1, column, frame->width,
			screen == present ? TOP_STRONG | TOP_REVERSED : TOP_PLAIN, name);
	}
}

/* ---------------------------------------------------------------- tables */

static bool is_shown(const struct top_frame *frame, const struct top_column *column)
{
	return frame->width >= column->least;
}

static uint32_t width_of(
	const struct top_frame *frame, const struct top_column *column, uint32_t at)
{
	uint32_t rest = frame->width > at ? frame->width - at : 0;

	return column->width && column->width < rest ? column->width : rest;
}

static void draw_heading(struct top_frame *frame, const struct top_column *column, uint32_t at,
	const struct top_sorting *sorting, bool is_order)
{
	uint32_t width = width_of(frame, column, at);
	uint32_t length = (uint32_t)strlen(column->heading);
	unsigned style = is_order ? TOP_STRONG : TOP_HEADING;
	uint32_t mark = at + (top_column_is_numeric(column) ? width : length);

	if (top_column_is_numeric(column))
		top_frame_right(frame, TOP_BODY_LINE - 1, at, width, style, column->heading);
	else
		top_frame_text(frame, TOP_BODY_LINE - 1, at, width, style, column->heading);
	if (is_order)
		top_frame_repeat(frame, TOP_BODY_LINE - 1, mark, 1, style,
			sorting->is_descending ? ARROW_DOWN : ARROW_UP,
			sorting->is_descending ? 'v' : '^');
}

static void draw_headings(const struct top_scene *scene, struct top_frame *frame)
{
	enum top_screen screen = scene->state->now.screen;
	const struct top_screen_description *described = top_screen_describe(screen);
	const struct top_sorting *sorting = &scene->state->sorting[screen];
	uint32_t at = 0, i;

	for (i = 0; i < described->nr_columns; i++) {
		if (!is_shown(frame, &described->columns[i]))
			continue;
		draw_heading(frame, &described->columns[i], at, sorting, i == sorting->order);
		at += described->columns[i].width + GAP;
	}
}

/* In the order of the shares: running, scheduling, blocked, idle. */
static const struct {
	enum top_style style;
	uint32_t character;
	char ascii;
} bars[] = {
	{TOP_RUNNING, 0x2588, '#'},
	{TOP_READY, 0x2593, '='},
	{TOP_BLOCKED, 0x2592, '!'},
	{TOP_WAITING, 0x2591, '.'},
};

static void draw_bars(struct top_frame *frame, const struct top_rows *rows, uint64_t row,
	uint32_t line, uint32_t at, uint32_t width)
{
	int64_t shares[TOP_COLUMNS], sum, so_far = 0;
	uint32_t nr_shares = top_rows_shares(rows, row, shares, &sum), i, end;
	uint32_t column = at;

	for (i = 0; sum > 0 && i < nr_shares && i < sizeof(bars) / sizeof(bars[0]); i++) {
		so_far += shares[i];
		end = at + (uint32_t)((double)so_far / (double)sum * width + 0.5);
		column = top_frame_repeat(frame, line, column, end - column, bars[i].style,
			bars[i].character, bars[i].ascii);
	}
}

static void draw_cell(struct top_frame *frame, const struct top_rows *rows, uint64_t row,
	uint32_t number, uint32_t line, uint32_t at)
{
	const struct top_column *column = &rows->screen->columns[number];
	uint32_t width = width_of(frame, column, at);
	char cell[TOP_CELL_BYTES];
	unsigned style;

	if (column->form == TOP_FORM_BARS) {
		draw_bars(frame, rows, row, line, at, width);
		return;
	}
	top_rows_cell(rows, row, number, cell, &style);
	if (top_column_is_numeric(column))
		top_frame_right(frame, line, at, width, style, cell);
	else
		top_frame_text(frame, line, at, width, style, cell);
}

static void draw_row(
	struct top_frame *frame, const struct top_rows *rows, uint64_t row, uint32_t line)
{
	uint32_t at = 0, i;

	for (i = 0; i < rows->screen->nr_columns; i++) {
		if (!is_shown(frame, &rows->screen->columns[i]))
			continue;
		draw_cell(frame, rows, row, i, line, at);
		at += rows->screen->columns[i].width + GAP;
	}
}

static const char *why_empty(const struct top_scene *scene)
{
	const char *unseen = scene->snapshot ? ct_report_unseen(scene->snapshot->report) : NULL;

	if (scene->state->sorting[scene->state->now.screen].filter[0])
		return "no row meets the filter; Esc removes it";
	return unseen ? unseen : "there is none";
}

static void draw_table(
	const struct top_scene *scene, struct top_frame *frame, const struct top_content *content)
{
	const struct top_position *now = &scene->state->now;
	uint32_t row, line;

	draw_headings(scene, frame);
	if (content->trouble[0]) {
		top_frame_text(frame, TOP_BODY_LINE, 0, frame->width, TOP_BAD, content->trouble);
		return;
	}
	if (!content->extent.nr_lines)
		top_frame_text(frame, TOP_BODY_LINE, 0, frame->width, TOP_FAINT, why_empty(scene));
	for (row = 0; row < content->rows.rows->nr_rows && row < content->extent.nr_visible;
		row++) {
		line = TOP_BODY_LINE + row;
		draw_row(frame, &content->rows, row, line);
		if (now->first + row == now->selected)
			top_frame_reverse(frame, line);
	}
}

/* ---------------------------------------------------------------- text */

static void draw_lines(struct top_frame *frame, const struct top_lines *lines, uint32_t first,
	uint32_t line, uint32_t end)
{
	for (; first < lines->nr_lines && line < end; first++, line++) {
		const struct top_line *shown = &lines->at[first];

		top_frame_text(frame, line, shown->indent, frame->width, shown->style, shown->text);
	}
}

static void draw_text(
	const struct top_scene *scene, struct top_frame *frame, const struct top_content *content)
{
	const struct top_position *now = &scene->state->now;

	draw_lines(frame, &content->lines, (uint32_t)now->first, TOP_BODY_LINE, frame->height - 1);
	if (content->lines.nr_lines)
		top_frame_reverse(frame, TOP_BODY_LINE + (uint32_t)(now->selected - now->first));
}

/* ---------------------------------------------------------------- the last line */

static void draw_place(
	const struct top_scene *scene, struct top_frame *frame, const struct top_extent *extent)
{
	char place[LINE_BYTES];

	if (!extent->nr_lines)
		return;
	snprintf(place, sizeof(place), "  %s of %s",
		said_count(scene->state->now.selected + 1, "", "").text,
		said_count(extent->nr_lines, "", "").text);
	top_frame_right(frame, frame->height - 1, frame->width - (uint32_t)strlen(place),
		(uint32_t)strlen(place), TOP_FAINT, place);
}

static void draw_hints(
	const struct top_scene *scene, struct top_frame *frame, const struct top_extent *extent)
{
	const struct top_state *state = scene->state;
	uint32_t line = frame->height - 1, column;
	char hint[LINE_BYTES];

	if (state->is_typing) {
		column = top_frame_text(frame, line, 0, frame->width, TOP_STRONG, "filter: ");
		column = top_frame_text(frame, line, column, frame->width, TOP_PLAIN, state->typed);
		top_frame_repeat(frame, line, column, 1, TOP_PLAIN | TOP_REVERSED, ' ', ' ');
		return;
	}
	if (scene->trouble)
		snprintf(hint, sizeof(hint), "%s", scene->trouble);
	else if (state->now.screen < TOP_NR_TABLES && state->sorting[state->now.screen].filter[0])
		snprintf(hint, sizeof(hint), "filter: %s  (Esc: all)",
			state->sorting[state->now.screen].filter);
	else if (state->now.screen < TOP_NR_TABLES)
		snprintf(hint, sizeof(hint),
			"j/k move  Enter open  h/l sort  / filter  Space pause  ? help  q quit");
	else
		snprintf(hint, sizeof(hint), "j/k move  Enter open  Esc back  ? help  q quit");
	top_frame_text(frame, line, 0, frame->width, scene->trouble ? TOP_BAD : TOP_FAINT, hint);
	draw_place(scene, frame, extent);
}

/* ---------------------------------------------------------------- the frame */

void top_draw(
	const struct top_scene *scene, struct top_frame *frame, struct top_content *ret_content)
{
	uint32_t height = frame->height > TOP_BODY_LINE + 1 ? frame->height - TOP_BODY_LINE - 1 : 0;

	top_frame_clear(frame);
	top_content_make(ret_content, scene->state, scene->snapshot, scene->chain, frame->width,
		height, frame->has_unicode);
	if (!height)
		return;
	draw_header(scene, frame);
	draw_names(scene, frame);
	if (ret_content->is_table)
		draw_table(scene, frame, ret_content);
	else
		draw_text(scene, frame, ret_content);
	draw_lines(frame, &ret_content->below, 0,
		TOP_BODY_LINE + ret_content->extent.nr_visible + 1, frame->height - 1);
	draw_hints(scene, frame, &ret_content->extent);
}
