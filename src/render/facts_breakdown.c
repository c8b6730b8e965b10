/* SPDX-License-Identifier: MIT */
/*
 * The times of coroutines by coroutine, by function, or by spawn place. The last row of each table sums all that are
 * not shown, so the rows add up to the total.
 */
#include <inttypes.h>
#include <stdio.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/say.h"

/* The heading of the first column. */
static const char *heading_of(enum ct_by by)
{
	switch (by) {
	case CT_BY_FUNCTION:
		return "function";
	case CT_BY_SITE:
		return "started at";
	default:
		return "coroutine";
	}
}

static void name_cell(
	struct table *table, const struct ct_report *report, const struct ct_share *share)
{
	const struct ct_breakdown *breakdown = report->breakdown;

	if (share == &breakdown->others) {
		text_char(&table->cells, '(');
		say_count(&table->cells, breakdown->nr_others, "other", "others");
		text_char(&table->cells, ')');
	} else if (breakdown->by == CT_BY_COROUTINE) {
		text_format(&table->cells, "%" PRIu64, share->coro);
		if (share->site) {
			text_char(&table->cells, ' ');
			say_site_function(&table->cells, report->tables, share->site);
		}
	} else if (!share->site) {
		text_add(&table->cells, "not known");
	} else if (breakdown->by == CT_BY_FUNCTION) {
		say_site_function(&table->cells, report->tables, share->site);
	} else {
		say_place(&table->cells, report->tables, share->site);
	}
	render_table_end_cell(table);
}

/* ---------------------------------------------------------------- the cells behind the name */

static void times_cells(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	const struct ct_times *times = &share->times;
	const int64_t parts[] = {render_facts_life_ns(times), times->running_ns, times->ready_ns,
		times->waiting_ns, times->unseen_ns};
	size_t i;

	render_cell_count(table, breakdown->by == CT_BY_COROUTINE ? 0 : share->nr_coros);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		render_cell_duration(table, parts[i], parts[i] != 0);
	render_cell_count(table, share->nr_resumes);
	render_cell_count(table, share->nr_migrations);
	render_cell_count(table, share->nr_events);
}

/* The two things waited for longest, and the sum of all others. */
static void waits_cells(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	int64_t rest_ns = 0;
	uint32_t i;

	(void)breakdown;
	render_cell_duration(table, share->times.waiting_ns, share->times.waiting_ns != 0);
	for (i = 0; i < 2; i++) {
		bool is_there = i < share->nr_waits;
		int64_t ns = is_there ? share->waits[i].ns : 0;

		render_cell(table, "%s", is_there ? render_facts_waited_for(&share->waits[i]) : "");
		render_cell_duration(table, ns, ns != 0);
	}
	for (; i < share->nr_waits; i++)
		rest_ns += share->waits[i].ns;
	render_cell_duration(table, rest_ns, rest_ns != 0);
}

static void distribution_cells(struct table *table, const struct ct_distribution *of)
{
	static const enum render_part parts[] = {RENDER_TOTAL, RENDER_P50, RENDER_P90, RENDER_P99,
		RENDER_P999, RENDER_P9999, RENDER_MAX};
	size_t i;

	render_cell_count(table, of->count);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		render_cell_part(table, of, parts[i]);
}

static void run_cells(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	(void)breakdown;
	distribution_cells(table, &share->runs);
}

static void wait_cells(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	(void)breakdown;
	distribution_cells(table, &share->wait_times);
}

static void delay_cells(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	(void)breakdown;
	distribution_cells(table, &share->delays);
}

/* ---------------------------------------------------------------- tables */

#define DISTRIBUTION ">times|>total|>p50|>p90|>p99|>p99.9|>p99.99|>max"

static const struct breakdown_table {
	const char *title;
	const char *headings; /* the headings behind the name */
	void (*cells)(struct table *table, const struct ct_breakdown *breakdown,
		const struct ct_share *share);
} tables[] = {
	{"What they did (running, ready, waiting and not begun add up to life)",
		">coroutines|>life|>running|>ready|>waiting|>not begun|>resumes|"
		">on another thread|>events",
		times_cells},
	{"What they waited for", ">waiting|>most for|>|>then for|>|>the rest", waits_cells},
	{"Runs", DISTRIBUTION, run_cells},
	{"Scheduler latency (from ready to running)", DISTRIBUTION, delay_cells},
	{"Waits that have ended, up to the wake", DISTRIBUTION, wait_cells},
};

static void one_row(struct table *table, const struct breakdown_table *of,
	const struct ct_report *report, const struct ct_share *share)
{
	name_cell(table, report, share);
	of->cells(table, report->breakdown, share);
}

static void one_table(const struct page *page, const struct breakdown_table *of)
{
	const struct ct_breakdown *breakdown = page->report->breakdown;
	char headings[160];
	struct table table;
	uint32_t i;

	snprintf(headings, sizeof(headings), "%s|%s", heading_of(breakdown->by), of->headings);
	render_table_init(&table, headings);
	for (i = 0; i < breakdown->nr_rows; i++)
		one_row(&table, of, page->report, &breakdown->rows[i]);
	if (breakdown->nr_others)
		one_row(&table, of, page->report, &breakdown->others);
	render_page_table(page, of->title, &table, 0);
	render_table_fini(&table);
}

void render_facts_breakdown(const struct page *page)
{
	size_t i;

	for (i = 0; page->report->breakdown->nr_rows && i < sizeof(tables) / sizeof(tables[0]); i++)
		one_table(page, &tables[i]);
}
