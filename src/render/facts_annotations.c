/* SPDX-License-Identifier: MIT */
/*
 * Annotations of the program: tasks and regions by name, the slowest tasks, counters.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/safe.h"
#include "say/say.h"

static const char *word_of(const struct ct_span *span)
{
	return span->is_task ? "task" : "region";
}

static void task_cell(struct table *table, const struct ct_task *task)
{
	say_safe(&table->cells, task->name);
	render_cell(table, " %" PRIu64, task->id);
}

/* A site that has only a name has no place. */
static void first_at_cell(struct table *table, const struct ct_tables *tables, uint32_t site)
{
	const struct ct_site *first = say_peek_site(tables, site);

	if (*first->file || *first->module || first->address)
		say_line(&table->cells, tables, site);
	render_table_end_cell(table);
}

/* ---------------------------------------------------------------- the report's tables */

static void span_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_span *span = row;
	bool has_ended = span->nr_ended > 0;

	render_cell(table, "%s", word_of(span));
	render_cell_safe(table, span->name);
	render_cell_count(table, span->nr_ended);
	render_cell_count(table, span->open.count);
	render_cell_duration(table, span->durations.total_ns, has_ended);
	render_cell_duration(table, span->durations.p50_ns, has_ended);
	render_cell_duration(table, span->durations.p99_ns, has_ended);
	render_cell_duration(table, span->durations.max_ns, has_ended);
	first_at_cell(table, report->tables, span->site);
}

static void slowest_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_task *task = row;

	(void)report;
	task_cell(table, task);
	render_cell_duration(table, task->duration_ns, true);
	render_cell_time(table, task->begun);
	render_cell(table, "%s", task->is_open ? "goes on" : "");
	render_cell(table, "%" PRIu64, task->event);
}

static void counter_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_counter *counter = row;

	render_cell_safe(table, counter->name);
	render_cell(table, "%" PRId64, counter->last);
	render_cell_time(table, counter->last_time);
	render_cell(table, "%" PRId64, counter->least);
	render_cell(table, "%" PRId64, counter->greatest);
	render_cell_count(table, counter->nr_values);
	first_at_cell(table, report->tables, counter->site);
}

void render_facts_annotations(const struct page *page)
{
	const struct ct_report *report = page->report;
	const struct facts_table tables[] = {
		{"Tasks and regions", "|name|>ended|>open|>total|>p50|>p99|>max|first at",
			FACTS_ROWS(report->spans, report->nr_spans), span_row},
		{"The slowest tasks", "task|>took|>began||>event",
			FACTS_ROWS(report->slowest, report->nr_slowest), slowest_row},
		{"Counters", "counter|>last|>since|>least|>greatest|>values|first at",
			FACTS_ROWS(report->counters, report->nr_counters), counter_row},
	};
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		render_page_rows(page, &tables[i], FACTS_MAX_LIST);
}

/* ---------------------------------------------------------------- the tables of statistics */

static void durations_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_span *span = row;
	const struct ct_distribution *of = &span->durations;
	static const enum render_part parts[] = {RENDER_TOTAL, RENDER_MEAN, RENDER_P50, RENDER_P90,
		RENDER_P99, RENDER_P999, RENDER_P9999, RENDER_MAX};
	size_t i;

	(void)report;
	render_cell(table, "%s", word_of(span));
	render_cell_safe(table, span->name);
	render_cell_count(table, span->nr_ended);
	render_cell_count(table, span->open.count);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		render_cell_part(table, of, parts[i]);
}

static void times_cells(struct table *table, const struct ct_times *times)
{
	bool is_known = render_facts_life_ns(times) != 0;

	render_cell_duration(table, times->running_ns, is_known);
	render_cell_duration(table, times->ready_ns, is_known);
	render_cell_duration(table, times->waiting_ns, is_known);
	render_cell_duration(table, times->unseen_ns, times->unseen_ns != 0);
}

/* "lock 91.2 %, channel 8.8 %" */
static void waits_cell(struct table *table, const struct ct_span *span)
{
	uint32_t i;

	for (i = 0; i < span->nr_waits && i < FACTS_WAITED_FOR && span->times.waiting_ns > 0; i++)
		text_format(&table->cells, "%s%s %.1f %%", i ? ", " : "",
			render_facts_waited_for(&span->waits[i]),
			100 * (double)span->waits[i].ns / (double)span->times.waiting_ns);
	render_table_end_cell(table);
}

static void span_times_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_span *span = row;

	(void)report;
	render_cell(table, "%s", word_of(span));
	render_cell_safe(table, span->name);
	times_cells(table, &span->times);
	waits_cell(table, span);
}

static void task_times_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_task *task = row;

	(void)report;
	task_cell(table, task);
	render_cell_duration(table, task->duration_ns, true);
	times_cells(table, &task->times);
	render_cell(table, "%s", task->is_open ? "goes on" : "");
}

/* Tasks stand before regions in the list. */
static uint32_t nr_tasks(const struct ct_report *report)
{
	uint32_t count = 0;

	while (count < report->nr_spans && report->spans[count].is_task)
		count++;
	return count;
}

/* All spans, or only tasks, or only regions, as `by` says. */
static struct ct_report spans_by(const struct ct_report *whole, enum ct_by by)
{
	struct ct_report part = *whole;
	uint32_t count = nr_tasks(whole);

	if (by == CT_BY_TASK) {
		part.nr_spans = count;
	} else if (by == CT_BY_REGION) {
		part.spans += part.nr_spans ? count : 0;
		part.nr_spans -= count;
		part.nr_slowest = 0;
	} else if (by) {
		part.nr_spans = part.nr_slowest = 0;
	}
	return part;
}

bool render_facts_has_spans(const struct ct_report *whole, enum ct_by by)
{
	const struct ct_report part = spans_by(whole, by);

	return part.nr_spans || part.nr_slowest;
}

void render_facts_spans(const struct page *page)
{
	const struct ct_report part = spans_by(page->report, page->options->by);
	const struct facts_table tables[] = {
		{"Tasks and regions: how long",
			"|name|>ended|>open|>total|>mean|>p50|>p90|>p99|>p99.9|>p99.99|>max",
			FACTS_ROWS(part.spans, part.nr_spans), durations_row},
		{"Tasks and regions: what their coroutines did",
			"|name|>running|>ready|>waiting|>not begun|waiting for",
			FACTS_ROWS(part.spans, part.nr_spans), span_times_row},
		{"The slowest tasks: what their coroutines did",
			"task|>took|>running|>ready|>waiting|>not begun|",
			FACTS_ROWS(part.slowest, part.nr_slowest), task_times_row},
	};
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		render_page_rows(page, &tables[i], page->options->max_rows);
}
