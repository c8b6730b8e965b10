/* SPDX-License-Identifier: MIT */
/*
 * What the program said of itself: tasks and regions by name, the slowest tasks, counters.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/safe.h"
#include "say/say.h"

static void length_cell(struct table *table, int64_t ns, bool is_known)
{
	if (is_known)
		text_duration(&table->cells, ns);
	render_table_end_cell(table);
}

static void safe_cell(struct table *table, const char *words)
{
	say_safe(&table->cells, words);
	render_table_end_cell(table);
}

static void place_cell(struct table *table, const struct ct_tables *tables, uint32_t site)
{
	if (site)
		say_line(&table->cells, tables, site);
	render_table_end_cell(table);
}

static void spans(struct table *table, const struct ct_report *report)
{
	static const char *const headings[] = {
		"", "name", "ended", "open", "total", "p50", "p99", "max", "first at"};
	uint32_t i;

	render_table_init_with(table, headings, sizeof(headings) / sizeof(headings[0]),
		TABLE_RIGHT(2) | TABLE_RIGHT(3) | TABLE_RIGHT(4) | TABLE_RIGHT(5) | TABLE_RIGHT(6) |
			TABLE_RIGHT(7));
	for (i = 0; i < report->nr_spans && i < FACTS_MAX_LIST; i++) {
		const struct ct_span *span = &report->spans[i];
		bool has_ended = span->nr_ended > 0;

		render_table_add(table, span->is_task ? "task" : "region");
		safe_cell(table, span->name);
		render_table_add_count(table, span->nr_ended);
		render_table_add_count(table, span->nr_open);
		length_cell(table, span->durations.total_ns, has_ended);
		length_cell(table, span->durations.p50_ns, has_ended);
		length_cell(table, span->durations.p99_ns, has_ended);
		length_cell(table, span->durations.max_ns, has_ended);
		place_cell(table, report->tables, span->site);
	}
}

static void slowest(struct table *table, const struct ct_report *report)
{
	static const char *const headings[] = {"task", "took", "began", "", "event"};
	uint32_t i;

	render_table_init_with(table, headings, sizeof(headings) / sizeof(headings[0]),
		TABLE_RIGHT(1) | TABLE_RIGHT(2) | TABLE_RIGHT(4));
	for (i = 0; i < report->nr_slowest; i++) {
		const struct ct_task *task = &report->slowest[i];

		say_safe(&table->cells, task->name);
		text_format(&table->cells, " %" PRIu64, task->id);
		render_table_end_cell(table);
		length_cell(table, task->duration_ns, true);
		say_time(&table->cells, task->begun);
		render_table_end_cell(table);
		render_table_add(table, task->is_open ? "goes on" : "");
		text_format(&table->cells, "%" PRIu64, task->event);
		render_table_end_cell(table);
	}
}

/* ---------------------------------------------------------------- where their time went */

#define COLUMNS(headings) (sizeof(headings) / sizeof((headings)[0]))

/* All columns but the first `nr_left`, and but the last where that is told. */
static unsigned right_columns(size_t nr_columns, unsigned nr_left, bool is_last_left)
{
	unsigned last = (unsigned)nr_columns - is_last_left;

	return (TABLE_RIGHT(last) - 1) & ~(TABLE_RIGHT(nr_left) - 1);
}

static void durations(struct table *table, const struct ct_report *report, uint32_t max)
{
	static const char *const headings[] = {"", "name", "ended", "open", "total", "mean", "p50",
		"p90", "p99", "p99.9", "p99.99", "max"};
	uint32_t i, at;

	render_table_init_with(
		table, headings, COLUMNS(headings), right_columns(COLUMNS(headings), 2, false));
	for (i = 0; i < report->nr_spans && i < max; i++) {
		const struct ct_span *span = &report->spans[i];
		const struct ct_distribution *of = &span->durations;
		const int64_t parts[] = {of->total_ns,
			of->count ? of->total_ns / (int64_t)of->count : 0, of->p50_ns, of->p90_ns,
			of->p99_ns, of->p999_ns, of->p9999_ns, of->max_ns};

		render_table_add(table, span->is_task ? "task" : "region");
		safe_cell(table, span->name);
		render_table_add_count(table, span->nr_ended);
		render_table_add_count(table, span->nr_open);
		for (at = 0; at < sizeof(parts) / sizeof(parts[0]); at++)
			length_cell(table, parts[at], of->count > 0);
	}
}

static int64_t all_of(const struct ct_times *times)
{
	return times->unseen_ns + times->ready_ns + times->running_ns + times->waiting_ns;
}

static void times_cells(struct table *table, const struct ct_times *times)
{
	bool is_known = all_of(times) != 0;

	length_cell(table, times->running_ns, is_known);
	length_cell(table, times->ready_ns, is_known);
	length_cell(table, times->waiting_ns, is_known);
	length_cell(table, times->unseen_ns, times->unseen_ns != 0);
}

/* "lock 91.2 %, channel 8.8 %" */
static void waits_cell(struct table *table, const struct ct_span *span)
{
	uint32_t i;

	for (i = 0; i < span->nr_waits && i < FACTS_EXAMPLES + 1 && span->times.waiting_ns > 0; i++)
		text_format(&table->cells, "%s%s %.1f %%", i ? ", " : "",
			span->waits[i].resource ? ct_resource_name(span->waits[i].resource)
						: "not told",
			100 * (double)span->waits[i].ns / (double)span->times.waiting_ns);
	render_table_end_cell(table);
}

static void span_times(struct table *table, const struct ct_report *report, uint32_t max)
{
	static const char *const headings[] = {
		"", "name", "running", "ready", "waiting", "not begun", "waiting for"};
	uint32_t i;

	render_table_init_with(
		table, headings, COLUMNS(headings), right_columns(COLUMNS(headings), 2, true));
	for (i = 0; i < report->nr_spans && i < max; i++) {
		render_table_add(table, report->spans[i].is_task ? "task" : "region");
		safe_cell(table, report->spans[i].name);
		times_cells(table, &report->spans[i].times);
		waits_cell(table, &report->spans[i]);
	}
}

static void slowest_times(struct table *table, const struct ct_report *report, uint32_t max)
{
	static const char *const headings[] = {
		"task", "took", "running", "ready", "waiting", "not begun", ""};
	uint32_t i;

	render_table_init_with(
		table, headings, COLUMNS(headings), right_columns(COLUMNS(headings), 1, true));
	for (i = 0; i < report->nr_slowest && i < max; i++) {
		const struct ct_task *task = &report->slowest[i];

		say_safe(&table->cells, task->name);
		text_format(&table->cells, " %" PRIu64, task->id);
		render_table_end_cell(table);
		length_cell(table, task->duration_ns, true);
		times_cells(table, &task->times);
		render_table_add(table, task->is_open ? "goes on" : "");
	}
}

/* Tasks come before regions. */
static struct ct_report with_spans(const struct ct_report *report, enum ct_by by)
{
	struct ct_report part = *report;
	uint32_t nr_tasks = 0;

	while (nr_tasks < report->nr_spans && report->spans[nr_tasks].is_task)
		nr_tasks++;
	if (by == CT_BY_TASK) {
		part.nr_spans = nr_tasks;
	} else if (by) {
		part.spans += part.nr_spans ? nr_tasks : 0;
		part.nr_spans = by == CT_BY_REGION ? part.nr_spans - nr_tasks : 0;
		part.nr_slowest = 0;
	}
	return part;
}

bool render_facts_has_spans(const struct ct_report *whole, enum ct_by by)
{
	const struct ct_report part = with_spans(whole, by);

	return part.nr_spans || part.nr_slowest;
}

void render_facts_spans(const struct page *page)
{
	const struct ct_report part = with_spans(page->report, page->options->by), *report = &part;
	uint32_t max = page->options->max_rows;
	const struct {
		const char *title;
		uint32_t nr_rows;
		void (*fill)(struct table *table, const struct ct_report *report, uint32_t max);
	} tables[] = {
		{"Tasks and regions: how long", report->nr_spans, durations},
		{"Tasks and regions: what their coroutines did", report->nr_spans, span_times},
		{"The slowest tasks: what their coroutines did", report->nr_slowest, slowest_times},
	};
	struct table table;
	size_t i;

	for (i = 0; i < COLUMNS(tables); i++) {
		if (!tables[i].nr_rows)
			continue;
		tables[i].fill(&table, report, max);
		render_page_table(page, tables[i].title, &table,
			tables[i].nr_rows > max ? tables[i].nr_rows - max : 0);
		render_table_fini(&table);
	}
}

/* ---------------------------------------------------------------- counters */

static void number_cell(struct table *table, int64_t number)
{
	text_signed(&table->cells, number);
	render_table_end_cell(table);
}

static void counters(struct table *table, const struct ct_report *report)
{
	static const char *const headings[] = {
		"counter", "last", "since", "least", "greatest", "values", "first at"};
	uint32_t i;

	render_table_init_with(table, headings, sizeof(headings) / sizeof(headings[0]),
		TABLE_RIGHT(1) | TABLE_RIGHT(2) | TABLE_RIGHT(3) | TABLE_RIGHT(4) | TABLE_RIGHT(5));
	for (i = 0; i < report->nr_counters && i < FACTS_MAX_LIST; i++) {
		const struct ct_counter *counter = &report->counters[i];

		safe_cell(table, counter->name);
		number_cell(table, counter->last);
		say_time(&table->cells, counter->last_time);
		render_table_end_cell(table);
		number_cell(table, counter->least);
		number_cell(table, counter->greatest);
		render_table_add_count(table, counter->nr_values);
		place_cell(table, report->tables, counter->site);
	}
}

void render_facts_annotations(const struct page *page)
{
	const struct ct_report *report = page->report;
	const struct {
		const char *title;
		uint32_t nr_rows;
		void (*fill)(struct table *table, const struct ct_report *report);
	} tables[] = {
		{"Tasks and regions", report->nr_spans, spans},
		{"The slowest tasks", report->nr_slowest, slowest},
		{"Counters", report->nr_counters, counters},
	};
	struct table table;
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (!tables[i].nr_rows)
			continue;
		tables[i].fill(&table, report);
		render_page_table(page, tables[i].title, &table, 0);
		render_table_fini(&table);
	}
}
