/* SPDX-License-Identifier: MIT */
/*
 * What runtimes did besides running coroutines: a few rows, and tables.
 */
#include <inttypes.h>
#include <string.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/say.h"

static double share_of(int64_t part, int64_t whole)
{
	return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

/* ---------------------------------------------------------------- rows */

static void pauses_row(struct text *rows, const struct ct_runtime *runtime, int64_t observed_ns)
{
	int64_t longest_ns = 0;
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < runtime->nr_ranges; i++) {
		const struct ct_range *range = &runtime->ranges[i];

		if (strcmp(range->kind, ct_range_name(CTP_RANGE_PAUSE)) != 0)
			continue;
		count += range->durations.count + range->open.count;
		if (range->durations.max_ns > longest_ns)
			longest_ns = range->durations.max_ns;
	}
	if (!count)
		return;
	render_facts_begin(rows, "pauses");
	say_count(rows, count, "pause", "pauses");
	text_add(rows, ", ");
	text_duration(rows, runtime->paused_ns);
	text_format(rows, " together (%.2f %% of the time), the longest ",
		share_of(runtime->paused_ns, observed_ns));
	text_duration(rows, longest_ns);
	render_facts_end(rows);
}

static void collection_row(struct text *rows, const struct ct_runtime *runtime, int64_t running_ns)
{
	if (!runtime->nr_utilization)
		return;
	render_facts_begin(rows, "program's share");
	text_format(rows, "%.1f %% of the processors on average", 100 * runtime->utilization_mean);
	if (runtime->assisted_ns) {
		text_add(rows, "; coroutines helped the collection for ");
		text_duration(rows, runtime->assisted_ns);
		text_format(rows, ", %.1f %% of the time in which they ran",
			share_of(runtime->assisted_ns, running_ns));
	}
	render_facts_end(rows);
}

static void idle_row(struct text *rows, const struct ct_runtime *runtime)
{
	if (!runtime->short_ns)
		return;
	render_facts_begin(rows, "idle in vain");
	text_add(rows, "processors stood idle for ");
	text_duration(rows, runtime->idle_ready_ns);
	text_add(rows, " together while coroutines were ready (");
	text_duration(rows, runtime->short_ns);
	text_add(rows, " in which one did)");
	render_facts_end(rows);
}

static void most_row(struct text *rows, const struct ct_runtime *runtime)
{
	if (!runtime->nr_coros_most)
		return;
	render_facts_begin(rows, "most at once");
	say_count(rows, runtime->nr_coros_most, "coroutine", "coroutines");
	text_add(rows, " alive, at ");
	say_time(rows, runtime->coros_most_time);
	render_facts_end(rows);
}

void render_facts_runtimes(struct text *rows, const struct ct_report *report)
{
	int64_t observed_ns = report->quality.observed_until - report->quality.observed_from;
	uint32_t i;

	for (i = 0; i < report->nr_runtimes; i++) {
		const struct ct_runtime *runtime = &report->runtimes[i];

		pauses_row(rows, runtime, observed_ns);
		collection_row(rows, runtime, report->statistics.total.running_ns);
		idle_row(rows, runtime);
		most_row(rows, runtime);
	}
}

/* ---------------------------------------------------------------- tables */

static void processor_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_processor *processor = row;
	double whole = (double)(processor->running_ns + processor->syscall_ns + processor->idle_ns +
				processor->untold_ns);

	(void)report;
	render_cell(table, "%" PRIu64, processor->number);
	render_cell_share(table, (double)processor->running_ns, whole);
	render_cell_share(table, (double)processor->syscall_ns, whole);
	render_cell_share(table, (double)processor->idle_ns, whole);
	render_cell_count(table, processor->nr_taken);
}

static void range_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_range *range = row;
	const struct ct_distribution *durations = &range->durations;

	render_cell(table, "%s", range->kind);
	render_cell_safe(table, range->name);
	render_cell_count(table, durations->count + range->open.count);
	render_cell_duration(table, durations->total_ns + range->open.total_ns, true);
	render_cell_part(table, durations, RENDER_P50);
	render_cell_part(table, durations, RENDER_P99);
	render_cell_part(table, durations, RENDER_MAX);
	render_cell_place(table, report->tables, range->site);
}

static void utilization_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_utilization *utilization = row;

	(void)report;
	render_cell_duration(table, utilization->window_ns, true);
	render_cell(table, "%.1f %%", 100 * utilization->least);
}

static void met_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_met_task *task = row;

	(void)report;
	render_cell(table, "%" PRIu64, task->id);
	render_cell_safe(table, task->name);
	render_cell_time(table, task->begun);
	render_cell_duration(table, task->duration_ns, true);
	render_cell_duration(table, task->paused_ns, task->paused_ns > 0);
	render_cell_share(table, (double)task->paused_ns, (double)task->duration_ns);
	render_cell_duration(table, task->assisted_ns, task->assisted_ns > 0);
	render_cell_share(table, (double)task->assisted_ns, (double)task->duration_ns);
}

static void tables_of(const struct page *page, const struct ct_runtime *runtime)
{
	const struct facts_table tables[] = {
		{"Processors of the scheduler", "processor|>running|>in system calls|>idle|>taken",
			FACTS_ROWS(runtime->processors, runtime->nr_processors), processor_row},
		{"Pauses and collection", "kind|name|>times|>total|>p50|>p99|>max|begun at",
			FACTS_ROWS(runtime->ranges, runtime->nr_ranges), range_row},
		{"The window of each length in which the program had the least of the processors",
			">window|>of the processors",
			FACTS_ROWS(runtime->utilization, runtime->nr_utilization), utilization_row},
		{"Slow tasks that pauses or collection lengthened",
			"task|name|begun|>took|>paused|>of it|>helped the collection|>of it",
			FACTS_ROWS(runtime->met, runtime->nr_met), met_row},
	};
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		render_page_rows(page, &tables[i],
			tables[i].row == utilization_row ? UINT32_MAX : page->options->max_rows);
}

void render_facts_runtime_tables(const struct page *page)
{
	uint32_t i;

	for (i = 0; i < page->report->nr_runtimes; i++)
		tables_of(page, &page->report->runtimes[i]);
}
