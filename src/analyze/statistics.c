/* SPDX-License-Identifier: MIT */
/*
 * How the time was spent, for the report: by worker, by place, by coroutine.
 */
#include <stdlib.h>

#include "analyze/parts.h"

/* ---------------------------------------------------------------- distributions */

struct ct_distribution analyze_statistics_distribution(const struct histogram *histogram)
{
	static const double shares[] = {0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};
	uint64_t values[sizeof(shares) / sizeof(shares[0])];

	if (histogram->count == 0)
		return (struct ct_distribution){0};
	histogram_each(histogram, shares, sizeof(shares) / sizeof(shares[0]), values);
	return (struct ct_distribution){
		.count = histogram->count,
		.total_ns = (int64_t)histogram->sum,
		.p50_ns = (int64_t)values[0],
		.p90_ns = (int64_t)values[1],
		.p95_ns = (int64_t)values[2],
		.p99_ns = (int64_t)values[3],
		.p999_ns = (int64_t)values[4],
		.p9999_ns = (int64_t)values[5],
		.max_ns = (int64_t)histogram->max,
	};
}

struct ct_times analyze_statistics_times(const int64_t *spent)
{
	return (struct ct_times){
		.unseen_ns = spent[CT_STATE_UNSEEN],
		.ready_ns = spent[CT_STATE_READY],
		.running_ns = spent[CT_STATE_RUNNING],
		.waiting_ns = spent[CT_STATE_WAITING],
		.syscall_ns = spent[CT_STATE_SYSCALL],
	};
}

/* The distribution of how many of something existed at the same time. */
static struct ct_ready levels(const struct histogram *by_time)
{
	return (struct ct_ready){
		.observed_ns = (int64_t)by_time->count,
		.mean = by_time->count ? (double)by_time->sum / (double)by_time->count : 0,
		.p50 = histogram_at(by_time, 0.5),
		.p99 = histogram_at(by_time, 0.99),
		.max = by_time->max,
	};
}

static void add_up_processes(struct analysis *analysis, struct ct_statistics *statistics)
{
	struct histogram *delays = analyze_scratch(analysis, 1, sizeof(*delays));
	struct histogram *ready = analyze_scratch(analysis, 1, sizeof(*ready));
	uint32_t i;

	if (!delays || !ready)
		return;
	for (i = 0; i < analysis->model->nr_processes; i++) {
		histogram_merge(delays, &analysis->model->processes[i].delays);
		histogram_merge(ready, &analysis->model->processes[i].ready);
	}
	statistics->delays = analyze_statistics_distribution(delays);
	statistics->ready = levels(ready);
}

/* ---------------------------------------------------------------- queues */

/* A queue without a name is named by its owner. */
static const char *words_queue(struct analysis *analysis, const struct model_run_queue *queue)
{
	const char *name = model_resource_name(analysis->model, queue->process, queue->handle);

	if (!queue->handle)
		return queue->thread ? "its own" : "not named";
	return analyze_say(analysis, "%s%s%s", analyze_words_resource(analysis, queue->handle, 0),
		*name ? " " : "", name);
}

static int compare_run_queues(const void *left, const void *right)
{
	const struct ct_run_queue *a = left, *b = right;

	if (a->lengths.mean != b->lengths.mean)
		return a->lengths.mean < b->lengths.mean ? 1 : -1;
	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->handle != b->handle)
		return a->handle < b->handle ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static void export_run_queues(struct analysis *analysis, struct ct_statistics *statistics)
{
	const struct model *model = analysis->model;
	struct ct_run_queue *queues =
		analyze_array(analysis, model->run_queues.count, sizeof(*queues));
	size_t i;

	if (!queues)
		return;
	for (i = 1; i < model->run_queues.count; i++) {
		const struct model_run_queue *queue = &model->run_queues.at[i];

		queues[statistics->nr_run_queues++] = (struct ct_run_queue){
			.handle = queue->handle,
			.process = queue->process,
			.thread = queue->thread,
			.name = words_queue(analysis, queue),
			.nr_entered = queue->nr_entered,
			.lengths = levels(queue->lengths),
		};
	}
	qsort(queues, statistics->nr_run_queues, sizeof(*queues), compare_run_queues);
	statistics->run_queues = queues;
}

/* ---------------------------------------------------------------- workers */

/* The row with more of something comes first; with the same amount, the smaller number. */
static int more_first(int64_t a, int64_t b, uint64_t number_a, uint64_t number_b)
{
	if (a != b)
		return a < b ? 1 : -1;
	return number_a < number_b ? -1 : number_a > number_b;
}

static int compare_workers(const void *left, const void *right)
{
	const struct ct_worker *a = left, *b = right;

	return more_first(a->running_ns, b->running_ns, a->thread, b->thread);
}

static struct ct_worker export_worker(const struct model *model, uint32_t index)
{
	const struct model_thread *thread = &model->threads[index];

	return (struct ct_worker){
		.thread = index,
		.from = thread->counted_from,
		.until = thread->counted,
		.running_ns = thread->spent[MODEL_ACTIVITY_RUNNING],
		.scheduling_ns = thread->spent[MODEL_ACTIVITY_SCHEDULING],
		.blocked_ns = thread->spent[MODEL_ACTIVITY_BLOCKED],
		.idle_ns = thread->spent[MODEL_ACTIVITY_IDLE],
		.nr_resumes = thread->nr_resumes,
		.starved_ns = (int64_t)model_account_whole(model, index).waited_ns,
	};
}

static void export_workers(struct analysis *analysis, struct ct_statistics *statistics)
{
	const struct model *model = analysis->model;
	struct ct_worker *workers = analyze_array(analysis, model->nr_threads, sizeof(*workers));
	uint32_t i;

	if (!workers)
		return;
	for (i = 1; i < model->nr_threads; i++)
		if (model->threads[i].is_worker && model->threads[i].counted != CT_NO_TIME)
			workers[statistics->nr_workers++] = export_worker(model, i);
	qsort(workers, statistics->nr_workers, sizeof(*workers), compare_workers);
	statistics->workers = workers;
}

/* ---------------------------------------------------------------- places */

static uint32_t process_of(const struct analysis *analysis, uint32_t site)
{
	return site < analysis->tables->nr_sites ? analysis->tables->sites[site].process : 0;
}

static struct ct_place export_place(
	const struct analysis *analysis, const struct model_place_times *times, uint32_t site)
{
	return (struct ct_place){
		.site = site,
		.process = process_of(analysis, site),
		.waits = analyze_statistics_distribution(model_histogram(times->waits)),
		.delays = analyze_statistics_distribution(model_histogram(times->delays)),
		.runs = analyze_statistics_distribution(model_histogram(times->runs)),
		.delays_caused =
			analyze_statistics_distribution(model_histogram(times->delays_caused)),
		.waiting = times->waiting,
		.ready = times->ready,
		.running = times->running,
		.longest_coro = analysis->model->coros.at[times->longest.coro].id,
		.longest_thread = times->longest.thread,
		.longest_until = times->longest.coro ? times->longest.until : CT_NO_TIME,
	};
}

static int compare_places(const void *left, const void *right)
{
	const struct ct_place *a = left, *b = right;
	int64_t waited_a = a->waits.total_ns + a->waiting.total_ns;
	int64_t waited_b = b->waits.total_ns + b->waiting.total_ns;

	if (waited_a == waited_b)
		return more_first(a->runs.total_ns, b->runs.total_ns, a->site, b->site);
	return more_first(waited_a, waited_b, a->site, b->site);
}

static bool is_of_interest(const struct model_place_times *times)
{
	return times && (times->waits || times->delays || times->runs || times->delays_caused ||
				times->waiting.count || times->ready.count || times->running.count);
}

static void export_places(struct analysis *analysis, struct ct_statistics *statistics)
{
	const struct model *model = analysis->model;
	struct ct_place *places =
		analyze_array(analysis, model->nr_place_times + 1, sizeof(*places));
	uint32_t site;

	if (!places)
		return;
	for (site = 0; site < analysis->tables->nr_sites; site++)
		if (is_of_interest(model->place_times[site]))
			places[statistics->nr_places++] =
				export_place(analysis, model->place_times[site], site);
	qsort(places, statistics->nr_places, sizeof(*places), compare_places);
	statistics->places = places;
}

static struct ct_spawning export_spawning(
	const struct analysis *analysis, const struct model_place_times *times, uint32_t site)
{
	const struct model *model = analysis->model;
	int64_t observed_ns = model_end_of(model, process_of(analysis, site)) - model->from;

	return (struct ct_spawning){
		.site = site,
		.process = process_of(analysis, site),
		.nr_started = times->nr_started,
		.alive = times->living,
		.nr_events = times->nr_events,
		.per_second = model->from != CT_NO_TIME && observed_ns > 0
				      ? (double)(times->nr_started - times->nr_started_before) *
						1e9 / (double)observed_ns
				      : 0,
		.lives = analyze_statistics_distribution(model_histogram(times->lives)),
	};
}

static int compare_spawnings(const void *left, const void *right)
{
	const struct ct_spawning *a = left, *b = right;

	return more_first((int64_t)a->nr_started, (int64_t)b->nr_started, a->site, b->site);
}

static void export_spawnings(struct analysis *analysis, struct ct_statistics *statistics)
{
	const struct model *model = analysis->model;
	struct ct_spawning *spawnings =
		analyze_array(analysis, model->nr_place_times + 1, sizeof(*spawnings));
	uint32_t site;

	if (!spawnings)
		return;
	for (site = 0; site < analysis->tables->nr_sites; site++)
		if (model->place_times[site] && model->place_times[site]->nr_started)
			spawnings[statistics->nr_spawnings++] =
				export_spawning(analysis, model->place_times[site], site);
	qsort(spawnings, statistics->nr_spawnings, sizeof(*spawnings), compare_spawnings);
	statistics->spawnings = spawnings;
}

/* ---------------------------------------------------------------- coroutines */

static struct ct_coro_times export_coro(const struct model *model, uint32_t index)
{
	const struct model_coro *coro = &model->coros.at[index];
	int64_t spent[CT_STATE_DESTROYED];

	model_spent_all(model, coro, spent);
	return (struct ct_coro_times){
		.id = coro->id,
		.process = coro->process,
		.function_site = coro->rare->function_site,
		.spawn_site = coro->spawn_site,
		.times = analyze_statistics_times(spent),
		.nr_resumes = coro->nr_resumes,
		.nr_migrations = coro->turns->nr_migrations,
		.nr_events = model_nr_events(coro),
	};
}

static const struct ct_coro_times *export_most(
	struct analysis *analysis, const struct model_most *most, uint32_t *ret_count)
{
	struct ct_coro_times *rows = analyze_array(analysis, CT_BUSIEST, sizeof(*rows));
	uint32_t i;

	*ret_count = rows ? most->count : 0;
	for (i = 0; i < *ret_count; i++)
		rows[i] = export_coro(analysis->model, most->coros[i]);
	return rows;
}

/* The few coroutines with the most of each measure, in order. */
static void export_coros(struct analysis *analysis, struct ct_statistics *statistics)
{
	struct model_most most[MODEL_NR_MEASURES];

	model_most_of(analysis->model, CT_STATE_UNSEEN, most);
	statistics->busiest =
		export_most(analysis, &most[MODEL_MEASURE_RUNNING], &statistics->nr_busiest);
	statistics->delayed =
		export_most(analysis, &most[MODEL_MEASURE_READY], &statistics->nr_delayed);
	statistics->waiters =
		export_most(analysis, &most[MODEL_MEASURE_WAITING], &statistics->nr_waiters);
	statistics->movers =
		export_most(analysis, &most[MODEL_MEASURE_MIGRATIONS], &statistics->nr_movers);
}

static void sum_up(const struct model *model, struct ct_statistics *statistics)
{
	size_t i;

	statistics->total = analyze_statistics_times(model->ended.spent);
	statistics->nr_resumes = model->ended.nr_resumes;
	statistics->nr_migrations = model->ended.nr_migrations;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (model_is_of_runtime(coro))
			continue;
		statistics->total.unseen_ns += model_spent(model, coro, CT_STATE_UNSEEN);
		statistics->total.ready_ns += model_spent(model, coro, CT_STATE_READY);
		statistics->total.running_ns += model_spent(model, coro, CT_STATE_RUNNING);
		statistics->total.waiting_ns += model_spent(model, coro, CT_STATE_WAITING);
		statistics->total.syscall_ns += model_spent(model, coro, CT_STATE_SYSCALL);
		statistics->nr_resumes += coro->nr_resumes;
		statistics->nr_migrations += coro->turns->nr_migrations;
	}
}

void analyze_statistics_export(struct analysis *analysis, struct ct_statistics *statistics)
{
	sum_up(analysis->model, statistics);
	add_up_processes(analysis, statistics);
	export_run_queues(analysis, statistics);
	export_workers(analysis, statistics);
	export_places(analysis, statistics);
	export_spawnings(analysis, statistics);
	analyze_sizes_export(analysis, statistics);
	export_coros(analysis, statistics);
	statistics->nr_refused = analysis->model->nr_times_refused;
	if (!analysis->tables->nr_carried)
		statistics->nr_before = analysis->model->nr_changes_before;
}
