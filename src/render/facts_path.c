/* SPDX-License-Identifier: MIT */
/*
 * A task's critical path: what its duration consisted of.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/safe.h"
#include "say/say.h"

/* A part that took no time is left out. */
static void share_row(struct text *rows, const char *label, int64_t ns, int64_t total_ns)
{
	if (ns)
		render_facts_share(rows, label, ns, total_ns);
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
	if (path->times.syscall_ns)
		share_row(rows, "in system calls", path->times.syscall_ns, duration_ns);
	yields_row(rows, path);
	share_row(rows, "not begun", path->times.unseen_ns, duration_ns);
	share_row(rows, "not recorded", path->untold_ns, duration_ns);
	if (!path->nr_dropped)
		return;
	render_facts_begin(rows, "not kept");
	say_count(rows, path->nr_dropped, "change", "changes");
	text_add(rows, " of state: what was before is not known");
	render_facts_end(rows);
}

/* ---------------------------------------------------------------- tables */

static void total_cells(
	struct table *table, const struct ct_report *report, const struct ct_path_part *part)
{
	render_cell_duration(table, part->total_ns, true);
	render_cell_share(table, (double)part->total_ns, (double)report->path->task.duration_ns);
	render_cell_count(table, part->count);
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

/* "coroutine 5, give, a.c:30"; for a thread outside of coroutines, the thread's name. */
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
		return "not recorded";
	if (stretch->has_yielded)
		return stretch->state == CT_STATE_READY ? "ready, having yielded"
							: "waiting, having yielded";
	return render_state(stretch->state);
}

static void wait_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_path_part *part = row;

	total_cells(table, report, part);
	render_cell_safe(table, part->resource);
	holder_cell(table, report->tables, &part->longest);
	render_cell_place(table, report->tables, part->longest.site);
	waker_cell(table, report->tables, &part->longest);
}

static void part_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_path_part *part = row;

	total_cells(table, report, part);
	coro_cell(table, part->longest.coro);
	render_cell(table, "%s", state_words(&part->longest));
	render_cell_safe(table, part->resource);
	render_cell_place(table, report->tables, part->longest.site);
}

static void stretch_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_stretch *stretch = row;

	render_cell_time(table, stretch->from);
	render_cell_duration(table, stretch->until - stretch->from, true);
	render_cell(table, "%.*s", (int)stretch->depth, ">>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>");
	coro_cell(table, stretch->coro);
	render_cell(table, "%s", state_words(stretch));
	if (stretch->state == CT_STATE_WAITING)
		say_resource(&table->cells, stretch->object);
	render_table_end_cell(table);
	render_cell_place(table, report->tables, stretch->site);
	waker_cell(table, report->tables, stretch);
}

void render_facts_path_tables(const struct page *page)
{
	const struct ct_path *path = page->report->path;
	const struct facts_table tables[] = {
		{"What it waited for", ">waited|>|>times|for|held by|at|woken by",
			FACTS_ROWS(path->waits, path->nr_waits), wait_row},
		{"Where the time went: waits followed to what happened meanwhile",
			">took|>|>times|>coroutine|was|for|from",
			FACTS_ROWS(path->parts, path->nr_parts), part_row},
		{"From beginning to end; below a wait, marked >, what happened meanwhile",
			">from|>took||coroutine|was|for|at|woken by",
			FACTS_ROWS(path->stretches, path->nr_stretches), stretch_row},
	};
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		render_page_rows(page, &tables[i], page->options->max_rows);
}
