/* SPDX-License-Identifier: MIT */
/*
 * Where the time went: tables by worker, by place, by coroutine.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/safe.h"
#include "say/say.h"

enum facts_statistic {
	FACTS_WORKERS,
	FACTS_RUN_QUEUES,
	FACTS_WAITS,
	FACTS_DELAYS,
	FACTS_DELAYS_CAUSED,
	FACTS_RUNS,
	FACTS_SPAWNINGS,
	FACTS_BUSIEST,
	FACTS_MOST_DELAYED,
	FACTS_MOST_WAITING,
	FACTS_MOST_MIGRATIONS,
	FACTS_NR_STATISTICS,
};

#define COLUMNS(headings) (sizeof(headings) / sizeof((headings)[0]))

static void duration_cell(struct table *table, int64_t ns)
{
	text_duration(&table->cells, ns);
	render_table_end_cell(table);
}

/* "12.3 %"; nothing of nothing is nothing. */
static void share_cell(struct table *table, double part, double whole)
{
	if (whole > 0 && part > 0)
		text_format(&table->cells, "%.1f %%", 100 * part / whole);
	render_table_end_cell(table);
}

static void site_cell(struct table *table, const struct ct_tables *tables, uint32_t site)
{
	if (site)
		say_place(&table->cells, tables, site);
	else
		text_add(&table->cells, "not known");
	render_table_end_cell(table);
}

/* The percentiles and the maximum: without what still goes on. */
static void distribution_cells(struct table *table, const struct ct_distribution *distribution)
{
	const int64_t parts[] = {distribution->p50_ns, distribution->p99_ns, distribution->p9999_ns,
		distribution->max_ns};
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (distribution->count)
			text_duration(&table->cells, parts[i]);
		render_table_end_cell(table);
	}
}

/* All columns but the first. */
static unsigned all_right(unsigned nr_columns)
{
	return (TABLE_RIGHT(nr_columns) - 1) & ~TABLE_RIGHT(0);
}

static void workers(struct table *table, const struct ct_report *report, uint32_t max)
{
	static const char *const headings[] = {"worker", "observed", "running", "scheduling",
		"in system calls", "idle", "resumes"};
	const struct ct_statistics *statistics = &report->statistics;
	uint32_t i;

	render_table_init_with(table, headings, COLUMNS(headings), all_right(COLUMNS(headings)));
	for (i = 0; i < statistics->nr_workers && i < max; i++) {
		const struct ct_worker *worker = &statistics->workers[i];
		double observed_ns = (double)(worker->until - worker->from);

		say_thread_name(&table->cells, report->tables, worker->thread);
		render_table_end_cell(table);
		duration_cell(table, worker->until - worker->from);
		share_cell(table, (double)worker->running_ns, observed_ns);
		share_cell(table, (double)worker->scheduling_ns, observed_ns);
		share_cell(table, (double)worker->blocked_ns, observed_ns);
		share_cell(table, (double)worker->idle_ns, observed_ns);
		render_table_add_count(table, worker->nr_resumes);
	}
}

static void run_queues(struct table *table, const struct ct_report *report, uint32_t max)
{
	static const char *const headings[] = {
		"queue", "taken from by", "put in", "mean", "p50", "p99", "most"};
	const struct ct_statistics *statistics = &report->statistics;
	uint32_t i;

	render_table_init_with(
		table, headings, COLUMNS(headings), all_right(COLUMNS(headings)) & ~TABLE_RIGHT(1));
	for (i = 0; i < statistics->nr_run_queues && i < max; i++) {
		const struct ct_run_queue *queue = &statistics->run_queues[i];

		say_safe(&table->cells, queue->name);
		render_table_end_cell(table);
		if (queue->thread)
			say_thread(&table->cells, report->tables, queue->thread);
		else
			text_add(&table->cells, "any");
		render_table_end_cell(table);
		render_table_add_count(table, queue->nr_entered);
		say_mean(&table->cells, queue->lengths.mean);
		render_table_end_cell(table);
		text_count(&table->cells, queue->lengths.p50);
		render_table_end_cell(table);
		text_count(&table->cells, queue->lengths.p99);
		render_table_end_cell(table);
		text_count(&table->cells, queue->lengths.max);
		render_table_end_cell(table);
	}
}

/* Which of a place's distributions a table is of. */
static const struct ct_distribution *distribution_of(
	const struct ct_place *place, enum facts_statistic which)
{
	switch (which) {
	case FACTS_DELAYS:
		return &place->delays;
	case FACTS_DELAYS_CAUSED:
		return &place->delays_caused;
	case FACTS_RUNS:
		return &place->runs;
	default:
		return &place->waits;
	}
}

/* How often and how long, with the waits that go on at the end. */
static uint64_t count_of(const struct ct_place *place, enum facts_statistic which)
{
	return distribution_of(place, which)->count +
	       (which == FACTS_WAITS ? place->nr_waiting : 0);
}

static int64_t total_of(const struct ct_place *place, enum facts_statistic which)
{
	return distribution_of(place, which)->total_ns +
	       (which == FACTS_WAITS ? place->waiting_ns : 0);
}

static bool has_row(const struct ct_place *place, enum facts_statistic which)
{
	return count_of(place, which) > 0;
}

static void longest_cell(
	struct table *table, const struct ct_place *place, enum facts_statistic which)
{
	if (which == FACTS_RUNS && place->longest_coro)
		text_format(&table->cells, "%" PRIu64, place->longest_coro);
	render_table_end_cell(table);
}

/* In a table the greater total comes first; of equal ones, the one that the report has first. */
static bool comes_before(
	const struct ct_statistics *statistics, enum facts_statistic which, uint32_t a, uint32_t b)
{
	int64_t total_a = total_of(&statistics->places[a], which);
	int64_t total_b = total_of(&statistics->places[b], which);

	return total_a == total_b ? a < b : total_a > total_b;
}

/* The place of the row behind that of `last`; NONE: there is none. Begin with NONE. */
#define NONE UINT32_MAX

static uint32_t next_place(
	const struct ct_statistics *statistics, enum facts_statistic which, uint32_t last)
{
	uint32_t next = NONE, i;

	for (i = 0; i < statistics->nr_places; i++) {
		if (!has_row(&statistics->places[i], which))
			continue;
		if (last != NONE && !comes_before(statistics, which, last, i))
			continue;
		if (next == NONE || comes_before(statistics, which, i, next))
			next = i;
	}
	return next;
}

static void places(struct table *table, const struct ct_report *report, enum facts_statistic which,
	uint32_t max)
{
	static const char *const headings[] = {
		"", "times", "total", "p50", "p99", "p99.99", "max", "of coroutine", "go on"};
	const struct ct_statistics *statistics = &report->statistics;
	uint32_t at = next_place(statistics, which, NONE), nr;

	render_table_init_with(table, headings, COLUMNS(headings), all_right(COLUMNS(headings)));
	for (nr = 0; nr < max && at != NONE; nr++) {
		const struct ct_place *place = &statistics->places[at];

		site_cell(table, report->tables, place->site);
		render_table_add_count(table, count_of(place, which));
		duration_cell(table, total_of(place, which));
		distribution_cells(table, distribution_of(place, which));
		longest_cell(table, place, which);
		render_table_add_count(table, which == FACTS_WAITS ? place->nr_waiting : 0);
		at = next_place(statistics, which, at);
	}
}

static void spawnings(struct table *table, const struct ct_report *report, uint32_t max)
{
	static const char *const headings[] = {"started at", "started", "a second", "alive",
		"median life", "longest life", "of all events"};
	const struct ct_statistics *statistics = &report->statistics;
	uint32_t i;

	render_table_init_with(table, headings, COLUMNS(headings), all_right(COLUMNS(headings)));
	for (i = 0; i < statistics->nr_spawnings && i < max; i++) {
		const struct ct_spawning *spawning = &statistics->spawnings[i];

		if (spawning->site)
			say_place(&table->cells, report->tables, spawning->site);
		else
			text_add(&table->cells, "not known");
		render_table_end_cell(table);
		render_table_add_count(table, spawning->nr_started);
		say_mean(&table->cells, spawning->per_second);
		render_table_end_cell(table);
		render_table_add_count(table, spawning->nr_alive);
		if (spawning->lives.count)
			text_duration(&table->cells, spawning->lives.p50_ns);
		render_table_end_cell(table);
		if (spawning->lives.count)
			text_duration(&table->cells, spawning->lives.max_ns);
		render_table_end_cell(table);
		share_cell(table, (double)spawning->nr_events, (double)report->quality.nr_events);
	}
}

static void coroutines(struct table *table, const struct ct_report *report,
	const struct ct_coro_times *coros, uint32_t count)
{
	static const char *const headings[] = {"coroutine", "function", "running", "ready",
		"waiting", "not begun", "resumes", "on another thread"};
	uint32_t i;

	render_table_init_with(
		table, headings, COLUMNS(headings), all_right(COLUMNS(headings)) & ~TABLE_RIGHT(1));
	for (i = 0; i < count; i++) {
		text_format(&table->cells, "%" PRIu64, coros[i].id);
		render_table_end_cell(table);
		if (coros[i].function_site)
			say_site_function(&table->cells, report->tables, coros[i].function_site);
		render_table_end_cell(table);
		duration_cell(table, coros[i].times.running_ns);
		duration_cell(table, coros[i].times.ready_ns);
		duration_cell(table, coros[i].times.waiting_ns);
		duration_cell(table, coros[i].times.unseen_ns);
		render_table_add_count(table, coros[i].nr_resumes);
		render_table_add_count(table, coros[i].nr_migrations);
	}
}

static const char *place_title(enum facts_statistic which)
{
	switch (which) {
	case FACTS_WAITS:
		return "Waits, by where they waited (percentiles and max: of those that have "
		       "ended)";
	case FACTS_DELAYS:
		return "Scheduler latency (from ready to running), by where they had waited";
	case FACTS_DELAYS_CAUSED:
		return "Scheduler latency, by where they were woken";
	default:
		return "Runs, by where they went on from";
	}
}

/* How many rows the whole table has. */
static uint32_t nr_rows(const struct ct_statistics *statistics, enum facts_statistic which)
{
	uint32_t count = 0, i;

	switch (which) {
	case FACTS_WORKERS:
		return statistics->nr_workers;
	case FACTS_RUN_QUEUES:
		return statistics->nr_run_queues;
	case FACTS_SPAWNINGS:
		return statistics->nr_spawnings;
	case FACTS_BUSIEST:
		return statistics->nr_busiest;
	case FACTS_MOST_DELAYED:
		return statistics->nr_delayed;
	case FACTS_MOST_WAITING:
		return statistics->nr_waiters;
	case FACTS_MOST_MIGRATIONS:
		return statistics->nr_movers;
	default:
		for (i = 0; i < statistics->nr_places; i++)
			count += has_row(&statistics->places[i], which);
		return count;
	}
}

_Static_assert(
	CT_BUSIEST == 10, "headings of lists of coroutines, and the help of --rows, say ten");

/* Returns its heading. */
static const char *fill(struct table *table, const struct ct_report *report,
	enum facts_statistic which, uint32_t count, uint32_t max)
{
	const struct ct_statistics *statistics = &report->statistics;

	switch (which) {
	case FACTS_WORKERS:
		workers(table, report, max);
		return "Workers";
	case FACTS_RUN_QUEUES:
		run_queues(table, report, max);
		return "Queues of ready coroutines: how many lay in each at once, by time";
	case FACTS_SPAWNINGS:
		spawnings(table, report, max);
		return "Started";
	case FACTS_BUSIEST:
		coroutines(table, report, statistics->busiest, count < max ? count : max);
		return "Coroutines that ran for the longest time (at most ten)";
	case FACTS_MOST_DELAYED:
		coroutines(table, report, statistics->delayed, count < max ? count : max);
		return "Coroutines that were ready, and did not run, for the longest time (at most "
		       "ten)";
	case FACTS_MOST_WAITING:
		coroutines(table, report, statistics->waiters, count < max ? count : max);
		return "Coroutines that waited for the longest time (at most ten)";
	case FACTS_MOST_MIGRATIONS:
		coroutines(table, report, statistics->movers, count < max ? count : max);
		return "Coroutines that went from thread to thread most often (at most ten)";
	default:
		places(table, report, which, max);
		return place_title(which);
	}
}

/* By what it is told apart. */
static enum ct_by by_of(enum facts_statistic which)
{
	switch (which) {
	case FACTS_WORKERS:
	case FACTS_RUN_QUEUES:
		return CT_BY_WORKER;
	case FACTS_WAITS:
	case FACTS_DELAYS:
	case FACTS_RUNS:
		return CT_BY_PLACE;
	case FACTS_DELAYS_CAUSED:
		return CT_BY_WAKER;
	case FACTS_SPAWNINGS:
		return CT_BY_SITE;
	default:
		return CT_BY_NONE;
	}
}

static bool has_tables(const struct ct_report *report, enum ct_by by)
{
	int which;

	if (report->breakdown && report->breakdown->by == by)
		return report->breakdown->nr_rows;
	for (which = 0; which < FACTS_NR_STATISTICS; which++)
		if (by_of((enum facts_statistic)which) == by &&
			nr_rows(&report->statistics, (enum facts_statistic)which))
			return true;
	return render_facts_has_spans(report, by);
}

void render_facts_by(struct text *rows, const struct ct_report *report, enum ct_by by)
{
	if (!by || has_tables(report, by))
		return;
	render_facts_begin(rows, "by");
	text_format(rows, "the trace tells of no %s", ct_by_name(by));
	render_facts_end(rows);
}

void render_facts_statistics(const struct page *page)
{
	const struct ct_report *report = page->report;
	uint32_t max = page->options->max_rows;
	enum ct_by by = page->options->by;
	struct table table;
	int which;

	if (report->breakdown && report->breakdown->by == by)
		render_facts_breakdown(page);
	for (which = 0; which < FACTS_NR_STATISTICS; which++) {
		uint32_t count = nr_rows(&report->statistics, (enum facts_statistic)which);
		const char *title;

		if (!count || (by && by_of((enum facts_statistic)which) != by))
			continue;
		title = fill(&table, report, (enum facts_statistic)which, count, max);
		render_page_table(page, title, &table, count > max ? count - max : 0);
		render_table_fini(&table);
	}
	render_facts_spans(page);
}
