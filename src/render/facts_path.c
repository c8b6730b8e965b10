/* SPDX-License-Identifier: MIT */
/*
 * A task's critical path: what its duration was made of.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/safe.h"
#include "say/say.h"

#define COLUMNS(headings) (sizeof(headings) / sizeof((headings)[0]))

static void share_row(struct text *rows, const char *label, int64_t ns, int64_t total_ns)
{
	if (!ns)
		return;
	render_facts_begin(rows, label);
	text_duration(rows, ns);
	if (total_ns > 0)
		text_format(rows, " (%.1f %%)", 100 * (double)ns / (double)total_ns);
	render_facts_end(rows);
}

static void yields_row(struct text *rows, const struct ct_path *path)
{
	if (!path->nr_yields)
		return;
	render_facts_begin(rows, "yielded");
	say_count(rows, path->nr_yields, "time", "times");
	text_add(rows, ", and ran again after ");
	text_duration(rows, path->yielded_ns);
	text_add(rows, path->nr_yields == 1 ? " (counted above)" : " in all (counted above)");
	render_facts_end(rows);
}

void render_facts_path(struct text *rows, const struct ct_report *report)
{
	const struct ct_path *path = report->path;
	int64_t duration_ns = path->task.duration_ns;

	render_facts_begin(rows, "task");
	say_safe(rows, path->task.name);
	text_format(rows, " %" PRIu64 " of ", path->task.id);
	say_program(rows, &report->tables->processes[path->task.process]);
	text_add(rows, path->task.is_open ? ": goes on since " : ": took ");
	text_duration(rows, duration_ns);
	text_add(rows, ", from ");
	say_time(rows, path->task.begun);
	text_format(rows, ", event %" PRIu64, path->task.event);
	render_facts_end(rows);
	share_row(rows, "running", path->times.running_ns, duration_ns);
	share_row(rows, "ready", path->times.ready_ns, duration_ns);
	share_row(rows, "waiting", path->times.waiting_ns, duration_ns);
	yields_row(rows, path);
	share_row(rows, "not begun", path->times.unseen_ns, duration_ns);
	share_row(rows, "not told", path->untold_ns, duration_ns);
	if (!path->nr_dropped)
		return;
	render_facts_begin(rows, "not kept");
	say_count(rows, path->nr_dropped, "change", "changes");
	text_add(rows, " of state: what was before is not told");
	render_facts_end(rows);
}

/* ---------------------------------------------------------------- cells */

static void duration_cell(struct table *table, int64_t ns)
{
	text_duration(&table->cells, ns);
	render_table_end_cell(table);
}

static void share_cell(struct table *table, int64_t ns, int64_t total_ns)
{
	if (total_ns > 0)
		text_format(&table->cells, "%.1f %%", 100 * (double)ns / (double)total_ns);
	render_table_end_cell(table);
}

static void place_cell(struct table *table, const struct ct_tables *tables, uint32_t site)
{
	if (site)
		say_place(&table->cells, tables, site);
	render_table_end_cell(table);
}

static void coro_cell(struct table *table, uint64_t coro)
{
	if (coro)
		text_format(&table->cells, "%" PRIu64, coro);
	render_table_end_cell(table);
}

/* "coroutine 5, since take, a.c:20" */
static void holder_cell(
	struct table *table, const struct ct_tables *tables, const struct ct_stretch *stretch)
{
	if (stretch->holder)
		text_format(&table->cells, "coroutine %" PRIu64, stretch->holder);
	if (stretch->holder && stretch->holder_site) {
		text_add(&table->cells, ", since ");
		say_place(&table->cells, tables, stretch->holder_site);
	}
	render_table_end_cell(table);
}

/* "coroutine 5, give, a.c:30"; a thread outside of coroutines by its name */
static void waker_cell(
	struct table *table, const struct ct_tables *tables, const struct ct_stretch *stretch)
{
	bool is_told = stretch->state == CT_STATE_WAITING && stretch->waker_thread;

	if (is_told && stretch->waker)
		text_format(&table->cells, "coroutine %" PRIu64, stretch->waker);
	else if (is_told)
		say_thread(&table->cells, tables, stretch->waker_thread);
	if (is_told && stretch->waker_site) {
		text_add(&table->cells, ", ");
		say_place(&table->cells, tables, stretch->waker_site);
	}
	render_table_end_cell(table);
}

static const char *state_words(const struct ct_stretch *stretch)
{
	if (!stretch->coro)
		return "not told";
	if (stretch->has_yielded)
		return stretch->state == CT_STATE_READY ? "ready, having yielded"
							: "waiting, having yielded";
	return stretch->state == CT_STATE_UNSEEN ? "not begun" : ct_state_name(stretch->state);
}

/* ---------------------------------------------------------------- tables */

static uint32_t waits(struct table *table, const struct ct_report *report, uint32_t max)
{
	static const char *const headings[] = {
		"waited", "", "times", "for", "held by", "at", "woken by"};
	const struct ct_path *path = report->path;
	uint32_t i;

	render_table_init_with(table, headings, COLUMNS(headings),
		TABLE_RIGHT(0) | TABLE_RIGHT(1) | TABLE_RIGHT(2));
	for (i = 0; i < path->nr_waits && i < max; i++) {
		const struct ct_path_part *part = &path->waits[i];

		duration_cell(table, part->total_ns);
		share_cell(table, part->total_ns, path->task.duration_ns);
		render_table_add_count(table, part->count);
		say_safe(&table->cells, part->resource);
		render_table_end_cell(table);
		holder_cell(table, report->tables, &part->longest);
		place_cell(table, report->tables, part->longest.site);
		waker_cell(table, report->tables, &part->longest);
	}
	return path->nr_waits;
}

static uint32_t parts(struct table *table, const struct ct_report *report, uint32_t max)
{
	static const char *const headings[] = {
		"took", "", "times", "coroutine", "was", "for", "from"};
	const struct ct_path *path = report->path;
	uint32_t i;

	render_table_init_with(table, headings, COLUMNS(headings), TABLE_RIGHT(4) - 1);
	for (i = 0; i < path->nr_parts && i < max; i++) {
		const struct ct_path_part *part = &path->parts[i];

		duration_cell(table, part->total_ns);
		share_cell(table, part->total_ns, path->task.duration_ns);
		render_table_add_count(table, part->count);
		coro_cell(table, part->longest.coro);
		render_table_add(table, state_words(&part->longest));
		say_safe(&table->cells, part->resource);
		render_table_end_cell(table);
		place_cell(table, report->tables, part->longest.site);
	}
	return path->nr_parts;
}

static uint32_t stretches(struct table *table, const struct ct_report *report, uint32_t max)
{
	static const char *const headings[] = {
		"from", "took", "", "coroutine", "was", "for", "at", "woken by"};
	const struct ct_path *path = report->path;
	uint32_t i;

	render_table_init_with(table, headings, COLUMNS(headings), TABLE_RIGHT(0) | TABLE_RIGHT(1));
	for (i = 0; i < path->nr_stretches && i < max; i++) {
		const struct ct_stretch *stretch = &path->stretches[i];

		say_time(&table->cells, stretch->from);
		render_table_end_cell(table);
		duration_cell(table, stretch->until - stretch->from);
		text_format(&table->cells, "%.*s", (int)stretch->depth,
			">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>");
		render_table_end_cell(table);
		coro_cell(table, stretch->coro);
		render_table_add(table, state_words(stretch));
		if (stretch->state == CT_STATE_WAITING)
			say_resource(&table->cells, stretch->object);
		render_table_end_cell(table);
		place_cell(table, report->tables, stretch->site);
		waker_cell(table, report->tables, stretch);
	}
	return path->nr_stretches;
}

void render_facts_path_tables(const struct page *page)
{
	uint32_t max = page->options->max_rows;
	static const struct {
		const char *title;
		uint32_t (*fill)(struct table *table, const struct ct_report *report, uint32_t max);
	} tables[] = {
		{"What it waited for", waits},
		{"Where the time went: waits followed to what came to pass meanwhile", parts},
		{"From beginning to end; behind a wait, marked >, what came to pass meanwhile",
			stretches},
	};
	struct table table;
	uint32_t count;
	size_t i;

	for (i = 0; i < COLUMNS(tables); i++) {
		count = tables[i].fill(&table, page->report, max);
		if (count)
			render_page_table(
				page, tables[i].title, &table, count > max ? count - max : 0);
		render_table_fini(&table);
	}
}
