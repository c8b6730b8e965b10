/* SPDX-License-Identifier: MIT */
/*
 * The times of coroutines by coroutine, by function, or by where they were started. The last row of each table is of
 * all that are not shown, so that the rows add up to the whole.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/say.h"

#define COLUMNS(headings) (sizeof(headings) / sizeof((headings)[0]))

/* What the first column names. */
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

static void begin(struct table *table, const struct ct_report *report, const char *const *headings,
	size_t nr_headings)
{
	size_t i;

	render_table_init(table, (unsigned)nr_headings + 1,
		(TABLE_RIGHT(nr_headings + 1) - 1) & ~TABLE_RIGHT(0));
	render_table_add(table, heading_of(report->breakdown->by));
	for (i = 0; i < nr_headings; i++)
		render_table_add(table, headings[i]);
}

static void duration_cell(struct table *table, int64_t ns)
{
	if (ns)
		text_duration(&table->cells, ns);
	render_table_end_cell(table);
}

/* ---------------------------------------------------------------- tables */

static void begin_times(struct table *table, const struct ct_report *report)
{
	static const char *const headings[] = {"coroutines", "life", "running", "ready", "waiting",
		"not begun", "resumes", "on another thread", "events"};

	begin(table, report, headings, COLUMNS(headings));
}

static void times_row(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	const struct ct_times *times = &share->times;

	render_table_add_count(table, breakdown->by == CT_BY_COROUTINE ? 0 : share->nr_coros);
	duration_cell(
		table, times->running_ns + times->ready_ns + times->waiting_ns + times->unseen_ns);
	duration_cell(table, times->running_ns);
	duration_cell(table, times->ready_ns);
	duration_cell(table, times->waiting_ns);
	duration_cell(table, times->unseen_ns);
	render_table_add_count(table, share->nr_resumes);
	render_table_add_count(table, share->nr_migrations);
	render_table_add_count(table, share->nr_events);
}

static void begin_reasons(struct table *table, const struct ct_report *report)
{
	static const char *const headings[] = {
		"waiting", "most for", "", "then for", "", "the rest"};

	begin(table, report, headings, COLUMNS(headings));
}

static void reasons_row(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	int64_t rest_ns = 0;
	uint32_t i;

	(void)breakdown;
	duration_cell(table, share->times.waiting_ns);
	for (i = 0; i < 2 || i < share->nr_waits; i++) {
		if (i >= 2) {
			rest_ns += share->waits[i].ns;
			continue;
		}
		if (i < share->nr_waits)
			text_add(&table->cells, share->waits[i].resource
							? ct_resource_name(share->waits[i].resource)
							: "not told");
		render_table_end_cell(table);
		duration_cell(table, i < share->nr_waits ? share->waits[i].ns : 0);
	}
	duration_cell(table, rest_ns);
}

static void begin_distribution(struct table *table, const struct ct_report *report)
{
	static const char *const headings[] = {
		"times", "total", "p50", "p90", "p99", "p99.9", "p99.99", "max"};

	begin(table, report, headings, COLUMNS(headings));
}

static void distribution_row(struct table *table, const struct ct_distribution *distribution)
{
	const int64_t parts[] = {distribution->total_ns, distribution->p50_ns, distribution->p90_ns,
		distribution->p99_ns, distribution->p999_ns, distribution->p9999_ns,
		distribution->max_ns};
	size_t i;

	render_table_add_count(table, distribution->count);
	for (i = 0; i < COLUMNS(parts); i++) {
		if (distribution->count)
			text_duration(&table->cells, parts[i]);
		render_table_end_cell(table);
	}
}

static void runs_row(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	(void)breakdown;
	distribution_row(table, &share->runs);
}

static void waits_row(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	(void)breakdown;
	distribution_row(table, &share->wait_times);
}

static void delays_row(
	struct table *table, const struct ct_breakdown *breakdown, const struct ct_share *share)
{
	(void)breakdown;
	distribution_row(table, &share->delays);
}

void render_facts_breakdown(const struct page *page)
{
	const struct ct_report *report = page->report;
	static const struct {
		const char *title;
		void (*begin)(struct table *table, const struct ct_report *report);
		void (*row)(struct table *table, const struct ct_breakdown *breakdown,
			const struct ct_share *share);
	} tables[] = {
		{"What they did (running, ready, waiting and not begun add up to life)",
			begin_times, times_row},
		{"What they waited for", begin_reasons, reasons_row},
		{"Runs", begin_distribution, runs_row},
		{"Scheduler latency (from ready to running)", begin_distribution, delays_row},
		{"Waits that have ended, up to the wake", begin_distribution, waits_row},
	};
	const struct ct_breakdown *breakdown = report->breakdown;
	struct table table;
	uint32_t row;
	size_t i;

	for (i = 0; breakdown->nr_rows && i < COLUMNS(tables); i++) {
		tables[i].begin(&table, report);
		for (row = 0; row < breakdown->nr_rows; row++) {
			name_cell(&table, report, &breakdown->rows[row]);
			tables[i].row(&table, breakdown, &breakdown->rows[row]);
		}
		if (breakdown->nr_others) {
			name_cell(&table, report, &breakdown->others);
			tables[i].row(&table, breakdown, &breakdown->others);
		}
		render_page_table(page, tables[i].title, &table, 0);
		render_table_fini(&table);
	}
}
