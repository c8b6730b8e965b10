/* SPDX-License-Identifier: MIT */
/*
 * Where the time went: tables by worker, by place, by coroutine.
 */
#include <inttypes.h>
#include <stddef.h>

#include "render/facts.h"
#include "render/page.h"
#include "say/say.h"

/* The share of a zero total is not printed, nor is a share of zero. */
static void part_cell(struct table *table, double part, double whole)
{
	render_cell_share(table, part, part > 0 ? whole : 0);
}

static void site_cell(struct table *table, const struct ct_tables *tables, uint32_t site)
{
	if (site)
		say_place(&table->cells, tables, site);
	else
		text_add(&table->cells, "not known");
	render_table_end_cell(table);
}

static void mean_cell(struct table *table, double mean)
{
	say_mean(&table->cells, mean);
	render_table_end_cell(table);
}

/* Prints a number even if it is 0. */
static void number_cell(struct table *table, uint64_t number)
{
	text_count(&table->cells, number);
	render_table_end_cell(table);
}

/* ---------------------------------------------------------------- rows */

static void worker_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_worker *worker = row;
	double observed_ns = (double)(worker->until - worker->from);

	say_thread_name(&table->cells, report->tables, worker->thread);
	render_table_end_cell(table);
	render_cell_duration(table, worker->until - worker->from, true);
	part_cell(table, (double)worker->running_ns, observed_ns);
	part_cell(table, (double)worker->scheduling_ns, observed_ns);
	part_cell(table, (double)worker->blocked_ns, observed_ns);
	part_cell(table, (double)worker->idle_ns, observed_ns);
	part_cell(table, (double)worker->starved_ns, observed_ns);
	render_cell_count(table, worker->nr_resumes);
}

static void run_queue_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_run_queue *queue = row;

	render_cell_safe(table, queue->name);
	if (queue->thread)
		say_thread(&table->cells, report->tables, queue->thread);
	else
		text_add(&table->cells, "any");
	render_table_end_cell(table);
	render_cell_count(table, queue->nr_entered);
	mean_cell(table, queue->lengths.mean);
	number_cell(table, queue->lengths.p50);
	number_cell(table, queue->lengths.p99);
	number_cell(table, queue->lengths.max);
}

static void spawning_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_spawning *spawning = row;

	site_cell(table, report->tables, spawning->site);
	render_cell_count(table, spawning->nr_started);
	mean_cell(table, spawning->per_second);
	render_cell_count(table, spawning->alive.count);
	render_cell_duration(table, spawning->lives.p50_ns, spawning->lives.count > 0);
	render_cell_duration(table, spawning->lives.max_ns, spawning->lives.count > 0);
	part_cell(table, (double)spawning->nr_events, (double)report->quality.nr_events);
}

static void frames_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_frame_sizes *sizes = row;

	site_cell(table, report->tables, sizes->site);
	render_cell_count(table, sizes->nr_coros);
	number_cell(table, sizes->least_bytes);
	number_cell(table, sizes->most_bytes);
	number_cell(table, sizes->bytes);
	number_cell(table, sizes->half_bytes);
	number_cell(table, sizes->peak_bytes);
	render_cell_time(table, sizes->peak_time);
}

static void coroutine_row(struct table *table, const struct ct_report *report, const void *row)
{
	const struct ct_coro_times *coro = row;

	render_cell(table, "%" PRIu64, coro->id);
	render_cell_function(table, report->tables, coro->function_site);
	render_cell_duration(table, coro->times.running_ns, true);
	render_cell_duration(table, coro->times.ready_ns, true);
	render_cell_duration(table, coro->times.waiting_ns, true);
	render_cell_duration(table, coro->times.unseen_ns, true);
	render_cell_count(table, coro->nr_resumes);
	render_cell_count(table, coro->nr_migrations);
}

/* ---------------------------------------------------------------- places */

/* A distribution of a place, named by its offset in the struct. */
#define WAITS offsetof(struct ct_place, waits)
#define DELAYS offsetof(struct ct_place, delays)
#define RUNS offsetof(struct ct_place, runs)

static const struct ct_distribution *distribution_of(const struct ct_place *place, size_t which)
{
	const void *at = (const char *)place + which;

	return at;
}

/* Waits, delays or runs that have not ended and so are not in the distribution. */
static const struct ct_going_on *not_ended_of(const struct ct_place *place, size_t which)
{
	static const struct ct_going_on none;

	return which == WAITS    ? &place->waiting
	       : which == DELAYS ? &place->ready
	       : which == RUNS   ? &place->running
				 : &none;
}

/* Those that have not ended count too: a place at which all coroutines hang comes first. */
static uint64_t count_of(const struct ct_place *place, size_t which)
{
	return distribution_of(place, which)->count + not_ended_of(place, which)->count;
}

static int64_t total_of(const struct ct_place *place, size_t which)
{
	return distribution_of(place, which)->total_ns + not_ended_of(place, which)->total_ns;
}

static uint32_t nr_places(const struct ct_statistics *statistics, size_t which)
{
	uint32_t count = 0, i;

	for (i = 0; i < statistics->nr_places; i++)
		count += count_of(&statistics->places[i], which) > 0;
	return count;
}

static void place_row(struct table *table, const struct ct_report *report,
	const struct ct_place *place, size_t which)
{
	const struct ct_distribution *of = distribution_of(place, which);
	const struct ct_going_on *not_ended = not_ended_of(place, which);
	static const enum render_part parts[] = {RENDER_P50, RENDER_P99, RENDER_P9999, RENDER_MAX};
	size_t i;

	site_cell(table, report->tables, place->site);
	render_cell_count(table, of->count);
	render_cell_duration(table, of->total_ns, of->count);
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		render_cell_part(table, of, parts[i]);
	if (which == RUNS && place->longest_coro)
		text_format(&table->cells, "%" PRIu64, place->longest_coro);
	render_table_end_cell(table);
	render_cell_count(table, not_ended->count);
	render_cell_duration(table, not_ended->total_ns, not_ended->count);
	render_cell_duration(table, not_ended->longest_ns, not_ended->count);
}

/* The place with the larger total comes first in a table; equal totals keep the report's order. */
static bool comes_before(const struct ct_place *a, const struct ct_place *b, size_t which)
{
	int64_t total_a = total_of(a, which), total_b = total_of(b, which);

	return total_a == total_b ? a < b : total_a > total_b;
}

/* The place of the next row after `last`; NULL: there is none. Begin with NULL. */
static const struct ct_place *next_place(
	const struct ct_statistics *statistics, size_t which, const struct ct_place *last)
{
	const struct ct_place *next = NULL;
	uint32_t i;

	for (i = 0; i < statistics->nr_places; i++) {
		const struct ct_place *place = &statistics->places[i];

		if (!count_of(place, which) || (last && !comes_before(last, place, which)))
			continue;
		if (!next || comes_before(place, next, which))
			next = place;
	}
	return next;
}

static void print_places(const struct page *page, const char *title, size_t which, uint32_t nr_rows)
{
	const struct ct_statistics *statistics = &page->report->statistics;
	const struct ct_place *place = NULL;
	uint32_t max = page->options->max_rows, i;
	struct table table;

	if (!nr_rows)
		return;
	render_table_init(&table,
		"|>ended|>total|>p50|>p99|>p99.99|>max|>of coroutine|>not ended|>total so "
		"far|>longest so far");
	for (i = 0; i < nr_rows && i < max; i++) {
		place = next_place(statistics, which, place);
		place_row(&table, page->report, place, which);
	}
	render_page_table(page, title, &table, nr_rows - i);
	render_table_fini(&table);
}

/* ---------------------------------------------------------------- all tables */

_Static_assert(
	CT_BUSIEST == 10, "headings of lists of coroutines, and the help of --rows, say ten");

struct statistics_table {
	enum ct_by by; /* what the table is grouped by */
	size_t which;  /* for places: which distribution; else 0 */
	struct facts_table table;
};

struct statistics_tables {
	struct statistics_table at[12];
};

static struct statistics_table of_places(
	const struct ct_statistics *of, enum ct_by by, size_t which, const char *title)
{
	return (struct statistics_table){
		by, which, {.title = title, .nr_rows = nr_places(of, which)}};
}

static struct statistics_table of_coroutines(
	const struct ct_coro_times *coros, uint32_t count, const char *title)
{
	return (struct statistics_table){CT_BY_NONE, 0,
		{title,
			"coroutine|function|>running|>ready|>waiting|>not begun|>resumes|"
			">on another thread",
			FACTS_ROWS(coros, count), coroutine_row}};
}

static struct statistics_tables tables_of(const struct ct_statistics *of)
{
	return (struct statistics_tables){{
		{CT_BY_WORKER, 0,
			{"Workers",
				"worker|>observed|>running|>scheduling|>in system calls|>idle|"
				">no processor|>resumes",
				FACTS_ROWS(of->workers, of->nr_workers), worker_row}},
		{CT_BY_WORKER, 0,
			{"Queues of ready coroutines: how many lay in each at once, by time",
				"queue|taken from by|>put in|>mean|>p50|>p99|>most",
				FACTS_ROWS(of->run_queues, of->nr_run_queues), run_queue_row}},
		of_places(of, CT_BY_PLACE, WAITS,
			"Waits, by where they waited (times: of those that have ended)"),
		of_places(of, CT_BY_PLACE, DELAYS,
			"Scheduler latency (from ready to running), by where they had waited"),
		of_places(of, CT_BY_WAKER, offsetof(struct ct_place, delays_caused),
			"Scheduler latency, by where they were woken"),
		of_places(of, CT_BY_PLACE, RUNS, "Runs, by where they went on from"),
		{CT_BY_SITE, 0,
			{"Started",
				"started at|>started|>a second|>alive|>median life|>longest life|"
				">of all events",
				FACTS_ROWS(of->spawnings, of->nr_spawnings), spawning_row}},
		{CT_BY_FUNCTION, 0,
			{"Bytes of frames, by what they run: at the end, in the middle, and at "
			 "most",
				"function|>coroutines|>smallest|>largest|>together|>middle|>most|"
				"at",
				FACTS_ROWS(of->frames, of->nr_frames), frames_row}},
		of_coroutines(of->busiest, of->nr_busiest,
			"Coroutines that ran for the longest time (at most ten)"),
		of_coroutines(of->delayed, of->nr_delayed,
			"Coroutines that were ready, and did not run, for the longest time (at "
			"most "
			"ten)"),
		of_coroutines(of->waiters, of->nr_waiters,
			"Coroutines that waited for the longest time (at most ten)"),
		of_coroutines(of->movers, of->nr_movers,
			"Coroutines that went from thread to thread most often (at most ten)"),
	}};
}

#define NR_TABLES(tables) (sizeof((tables).at) / sizeof((tables).at[0]))

static bool has_tables(const struct ct_report *report, enum ct_by by)
{
	const struct statistics_tables tables = tables_of(&report->statistics);
	size_t i;

	if (report->breakdown && report->breakdown->by == by)
		return report->breakdown->nr_rows;
	for (i = 0; i < NR_TABLES(tables); i++)
		if (tables.at[i].by == by && tables.at[i].table.nr_rows)
			return true;
	return render_facts_has_spans(report, by);
}

void render_facts_by(struct text *rows, const struct ct_report *report, enum ct_by by)
{
	if (!by || has_tables(report, by))
		return;
	render_facts_row(rows, "by", "the trace has no %s", ct_by_name(by));
}

void render_facts_statistics(const struct page *page)
{
	const struct ct_report *report = page->report;
	const struct statistics_tables tables = tables_of(&report->statistics);
	enum ct_by by = page->options->by;
	size_t i;

	if (report->breakdown && report->breakdown->by == by)
		render_facts_breakdown(page);
	for (i = 0; i < NR_TABLES(tables); i++) {
		const struct statistics_table *of = &tables.at[i];

		if (by && of->by != by)
			continue;
		if (of->which)
			print_places(page, of->table.title, of->which, of->table.nr_rows);
		else
			render_page_rows(page, &of->table, page->options->max_rows);
	}
	render_facts_spans(page);
	if (!by || by == CT_BY_WORKER)
		render_facts_runtime_tables(page);
}
