/* SPDX-License-Identifier: MIT */
/*
 * One coroutine: why it does not run, where its time went, and its last events.
 */
#include <inttypes.h>
#include <stdio.h>

#include "say.h"
#include "top/pages.h"
#include "top/rows.h"

#define LINE_BYTES 4096
#define NAME_BYTES 512
#define LAST_EVENTS 20u
#define BAR_COLUMNS 40u

struct page {
	struct top_lines *lines;
	struct ct_view *view;
	const struct ct_report *report;
	struct top_subject subject;
	const struct ct_view_rows *row; /* all columns of the coroutine */
};

static int64_t cell(const struct page *page, uint32_t column)
{
	return page->row->columns[column][0];
}

static const char *say(const struct page *page, uint32_t column, char buffer[NAME_BYTES])
{
	ct_view_say(
		page->view, page->row->types[column], cell(page, column), 0, buffer, NAME_BYTES);
	return buffer;
}

static void add(const struct page *page, uint32_t hang, const char *text)
{
	top_lines_add(page->lines, TOP_PLAIN, NULL, hang, text);
}

/* ---------------------------------------------------------------- the coroutine */

static void add_title(const struct page *page)
{
	char line[LINE_BYTES], name[NAME_BYTES], place[NAME_BYTES], thing[NAME_BYTES];
	int64_t number = cell(page, CT_VIEW_COROUTINES_STATE);
	bool is_waiting = number == CT_STATE_WAITING;

	say(page, CT_VIEW_COROUTINES_NAME, name);
	say(page, CT_VIEW_COROUTINES_WAIT_SITE, place);
	say(page, CT_VIEW_COROUTINES_WAIT_OBJECT, thing);
	snprintf(line, sizeof(line), "Coroutine %" PRIu64 "%s%s", page->subject.id,
		*name ? "  " : "", name);
	top_lines_add(page->lines, TOP_STRONG, NULL, 2, line);
	snprintf(line, sizeof(line), "%s for %s%s%s%s%s", top_state_words(number),
		top_said_age(
			page->report->quality.observed_until, cell(page, CT_VIEW_COROUTINES_SINCE))
			.text,
		is_waiting && *place ? ", at " : "", is_waiting ? place : "",
		is_waiting && *thing ? ", for " : "", is_waiting ? thing : "");
	top_lines_add(page->lines, top_style_of_state(number), NULL, 2, line);
}

static void add_fact(const struct page *page, const char *what, uint32_t column)
{
	char line[LINE_BYTES], value[NAME_BYTES];

	if (ct_view_is_nothing(page->row->types[column], cell(page, column)) ||
		!*say(page, column, value))
		return;
	snprintf(line, sizeof(line), "  %-12s %s", what, value);
	add(page, 15, line);
}

static void add_parent(const struct page *page)
{
	uint64_t parent = (uint64_t)cell(page, CT_VIEW_COROUTINES_PARENT);
	char line[LINE_BYTES];
	struct top_link link;

	if (!parent)
		return;
	snprintf(line, sizeof(line), "  %-12s coroutine %" PRIu64, "started by", parent);
	top_lines_add(page->lines, TOP_PLAIN,
		top_link_to_coroutine(page->subject.process, parent, &link), 15, line);
}

static void add_facts(const struct page *page)
{
	top_lines_heading(page->lines, "Its life");
	add_fact(page, "runs", CT_VIEW_COROUTINES_FUNCTION_SITE);
	add_fact(page, "started at", CT_VIEW_COROUTINES_SPAWN_SITE);
	add_parent(page);
	add_fact(page, "created", CT_VIEW_COROUTINES_CREATED);
	add_fact(page, "ended", CT_VIEW_COROUTINES_DESTROYED);
	add_fact(page, "last ran on", CT_VIEW_COROUTINES_THREAD);
	add_fact(page, "task", CT_VIEW_COROUTINES_TASK);
	add_fact(page, "mark", CT_VIEW_COROUTINES_MARK);
}

/* ---------------------------------------------------------------- its chain */

static void add_chain(const struct page *page, const struct top_chain *chain)
{
	top_lines_heading(page->lines, "Why it does not run");
	if (chain->trouble)
		add(page, 2, chain->trouble);
	else if (!chain->report)
		top_lines_add(page->lines, TOP_FAINT, NULL, 2, "  the chain is being followed ...");
	else if (!chain->report->nr_why)
		add(page, 2, "  what it waits for is not recorded");
	else
		top_page_steps(page->lines, page->view, page->subject.process, chain->report->why,
			chain->report->nr_why);
}

/* ---------------------------------------------------------------- its times */

static void add_share(const struct page *page, const char *what, uint32_t column, int64_t life)
{
	int64_t ns = cell(page, column);
	uint32_t filled = life > 0 ? (uint32_t)((double)ns / (double)life * BAR_COLUMNS + 0.5) : 0;
	char line[LINE_BYTES], bar[BAR_COLUMNS + 1];
	uint32_t i;

	for (i = 0; i < BAR_COLUMNS; i++)
		bar[i] = i < filled ? '#' : '\0';
	bar[BAR_COLUMNS] = '\0';
	snprintf(line, sizeof(line), "  %-12s %9s  %3.0f%%  %s", what, top_said_span(ns).text,
		life > 0 ? 100.0 * (double)ns / (double)life : 0.0, bar);
	add(page, 15, line);
}

static void add_longest(const struct page *page, const char *what, uint32_t column, uint32_t site)
{
	char line[LINE_BYTES], place[NAME_BYTES] = "";

	if (cell(page, column) <= 0)
		return;
	if (site)
		say(page, site, place);
	snprintf(line, sizeof(line), "  %-12s %9s%s%s", what, said_span(cell(page, column)).text,
		*place ? "  at " : "", place);
	add(page, 15, line);
}

static void add_counts(const struct page *page)
{
	char line[LINE_BYTES];

	snprintf(line, sizeof(line), "  %s, %s, %s, %s",
		said_count((uint64_t)cell(page, CT_VIEW_COROUTINES_NR_RESUMES), "resume", "resumes")
			.text,
		said_count((uint64_t)cell(page, CT_VIEW_COROUTINES_NR_WAKES), "wake", "wakes").text,
		said_count((uint64_t)cell(page, CT_VIEW_COROUTINES_NR_MIGRATIONS), "migration",
			"migrations")
			.text,
		said_count((uint64_t)cell(page, CT_VIEW_COROUTINES_NR_EVENTS), "event", "events")
			.text);
	add(page, 2, line);
}

static void add_times(const struct page *page)
{
	int64_t life =
		cell(page, CT_VIEW_COROUTINES_UNSEEN) + cell(page, CT_VIEW_COROUTINES_READY) +
		cell(page, CT_VIEW_COROUTINES_RUNNING) + cell(page, CT_VIEW_COROUTINES_WAITING);

	top_lines_heading(page->lines, "Its time");
	add_share(page, "running", CT_VIEW_COROUTINES_RUNNING, life);
	add_share(page, "ready", CT_VIEW_COROUTINES_READY, life);
	add_share(page, "waiting", CT_VIEW_COROUTINES_WAITING, life);
	add_longest(page, "longest wait", CT_VIEW_COROUTINES_LONGEST_WAIT,
		CT_VIEW_COROUTINES_LONGEST_WAIT_SITE);
	add_longest(page, "longest delay", CT_VIEW_COROUTINES_LONGEST_DELAY, 0);
	add_longest(page, "longest run", CT_VIEW_COROUTINES_LONGEST_RUN, 0);
	add_counts(page);
}

/* ---------------------------------------------------------------- its events */

static const uint32_t event_columns[] = {
	CT_VIEW_EVENTS_TIME, CT_VIEW_EVENTS_KIND, CT_VIEW_EVENTS_OBJECT, CT_VIEW_EVENTS_SITE};

static void add_event(const struct page *page, const struct ct_view_rows *rows, uint64_t row)
{
	char line[LINE_BYTES], cells[4][NAME_BYTES];
	unsigned kind = (unsigned)rows->columns[1][row], i;

	for (i = 0; i < 4; i++)
		ct_view_say(page->view, rows->types[i], rows->columns[i][row], kind, cells[i],
			sizeof(cells[i]));
	snprintf(line, sizeof(line), "%12s  %-10s %s%s%s", cells[0], cells[1], cells[2],
		*cells[2] && *cells[3] ? "  " : "", cells[3]);
	add(page, 14, line);
}

static void add_events(const struct page *page)
{
	struct ct_view_term terms[] = {
		{CT_VIEW_EVENTS_PROCESS, CT_VIEW_EQUAL, page->subject.process, NULL},
		{CT_VIEW_EVENTS_COROUTINE, CT_VIEW_EQUAL, (int64_t)page->subject.id, NULL},
	};
	struct ct_view_request request = {
		.size = sizeof(request),
		.table = CT_VIEW_EVENTS,
		.columns = event_columns,
		.nr_columns = sizeof(event_columns) / sizeof(event_columns[0]),
		.terms = terms,
		.nr_terms = 2,
		.is_sorted = true,
		.is_descending = true,
		.order = CT_VIEW_EVENTS_EVENT,
		.limit = LAST_EVENTS,
	};
	const struct ct_view_rows *rows;
	uint64_t row;

	if (ct_view_select(page->view, &request, &rows, NULL))
		return;
	top_lines_heading(page->lines, "Its last events");
	for (row = rows->nr_rows; row > 0; row--)
		add_event(page, rows, row - 1);
	ct_view_rows_free(rows);
}

/* ---------------------------------------------------------------- all of it */

static const struct ct_view_rows *find(struct ct_view *view, struct top_subject subject)
{
	struct ct_view_term terms[] = {
		{CT_VIEW_COROUTINES_PROCESS, CT_VIEW_EQUAL, subject.process, NULL},
		{CT_VIEW_COROUTINES_COROUTINE, CT_VIEW_EQUAL, (int64_t)subject.id, NULL},
	};
	struct ct_view_request request = {
		.size = sizeof(request),
		.table = CT_VIEW_COROUTINES,
		.terms = terms,
		.nr_terms = 2,
		.limit = 1,
	};
	const struct ct_view_rows *rows;

	if (ct_view_select(view, &request, &rows, NULL))
		return NULL;
	if (rows->nr_rows)
		return rows;
	ct_view_rows_free(rows);
	return NULL;
}

void top_page_coroutine(struct top_lines *lines, struct ct_view *view,
	const struct ct_report *report, struct top_subject subject, const struct top_chain *chain)
{
	struct page page = {lines, view, report, subject, find(view, subject)};
	char line[LINE_BYTES];

	if (!page.row) {
		snprintf(line, sizeof(line), "Coroutine %" PRIu64 " is not in this trace.",
			subject.id);
		top_lines_add(lines, TOP_FAINT, NULL, 0, line);
		return;
	}
	add_title(&page);
	add_chain(&page, chain);
	add_times(&page);
	add_facts(&page);
	add_events(&page);
	ct_view_rows_free(page.row);
}
