/* SPDX-License-Identifier: MIT */
/*
 * What the program said of itself: tasks and regions by name, the slowest tasks, counters.
 */
#include <inttypes.h>

#include "facts.h"
#include "phrase.h"
#include "safe.h"

static void length_cell(struct table *table, int64_t ns, bool is_known)
{
	if (is_known)
		text_duration(&table->cells, ns);
	table_end_cell(table);
}

static void safe_cell(struct table *table, const char *words)
{
	render_safe(&table->cells, words);
	table_end_cell(table);
}

static void place_cell(struct table *table, const struct ct_tables *tables, uint32_t site)
{
	if (site)
		phrase_short_line(&table->cells, tables, site);
	table_end_cell(table);
}

static void spans(struct table *table, const struct ct_report *report)
{
	static const char *const headings[] = {
		"", "name", "ended", "open", "total", "p50", "p99", "max", "first at"};
	uint32_t i;

	table_init_with(table, headings, sizeof(headings) / sizeof(headings[0]),
		TABLE_RIGHT(2) | TABLE_RIGHT(3) | TABLE_RIGHT(4) | TABLE_RIGHT(5) | TABLE_RIGHT(6) |
			TABLE_RIGHT(7));
	for (i = 0; i < report->nr_spans && i < FACTS_MAX_LIST; i++) {
		const struct ct_span *span = &report->spans[i];
		bool has_ended = span->nr_ended > 0;

		table_add(table, span->is_task ? "task" : "region");
		safe_cell(table, span->name);
		table_add_count(table, span->nr_ended);
		table_add_count(table, span->nr_open);
		length_cell(table, span->total_ns, has_ended);
		length_cell(table, span->p50_ns, has_ended);
		length_cell(table, span->p99_ns, has_ended);
		length_cell(table, span->max_ns, has_ended);
		place_cell(table, report->tables, span->site);
	}
}

static void slowest(struct table *table, const struct ct_report *report)
{
	static const char *const headings[] = {"task", "took", "began", "", "event"};
	uint32_t i;

	table_init_with(table, headings, sizeof(headings) / sizeof(headings[0]),
		TABLE_RIGHT(1) | TABLE_RIGHT(2) | TABLE_RIGHT(4));
	for (i = 0; i < report->nr_slowest; i++) {
		const struct ct_task *task = &report->slowest[i];

		render_safe(&table->cells, task->name);
		text_format(&table->cells, " %" PRIu64, task->id);
		table_end_cell(table);
		length_cell(table, task->duration_ns, true);
		phrase_time(&table->cells, task->begun);
		table_end_cell(table);
		table_add(table, task->is_open ? "goes on" : "");
		text_format(&table->cells, "%" PRIu64, task->event);
		table_end_cell(table);
	}
}

static void number_cell(struct table *table, int64_t number)
{
	text_signed(&table->cells, number);
	table_end_cell(table);
}

static void counters(struct table *table, const struct ct_report *report)
{
	static const char *const headings[] = {
		"counter", "last", "since", "least", "greatest", "values", "first at"};
	uint32_t i;

	table_init_with(table, headings, sizeof(headings) / sizeof(headings[0]),
		TABLE_RIGHT(1) | TABLE_RIGHT(2) | TABLE_RIGHT(3) | TABLE_RIGHT(4) | TABLE_RIGHT(5));
	for (i = 0; i < report->nr_counters && i < FACTS_MAX_LIST; i++) {
		const struct ct_counter *counter = &report->counters[i];

		safe_cell(table, counter->name);
		number_cell(table, counter->last);
		phrase_time(&table->cells, counter->last_time);
		table_end_cell(table);
		number_cell(table, counter->least);
		number_cell(table, counter->greatest);
		table_add_count(table, counter->nr_values);
		place_cell(table, report->tables, counter->site);
	}
}

void facts_annotations(const struct facts_printer *printer, const struct ct_report *report)
{
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
		printer->print(printer->context, tables[i].title, &table, 0);
		table_fini(&table);
	}
}
