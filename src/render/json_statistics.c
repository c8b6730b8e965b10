/* SPDX-License-Identifier: MIT */
/*
 * Where the time went, as JSON (docs/spec/report-json.md, "statistics").
 */
#include "render/json_member.h"
#include "render/report.h"

void render_json_distribution(
	struct json *json, const char *key, const struct ct_distribution *distribution)
{
	json_key(json, key);
	json_open(json, '{');
	render_count_member(json, "count", distribution->count);
	render_time_member(json, "total_ns", distribution->total_ns);
	render_time_member(json, "p50_ns", distribution->p50_ns);
	render_time_member(json, "p90_ns", distribution->p90_ns);
	render_time_member(json, "p99_ns", distribution->p99_ns);
	render_time_member(json, "p999_ns", distribution->p999_ns);
	render_time_member(json, "p9999_ns", distribution->p9999_ns);
	render_time_member(json, "max_ns", distribution->max_ns);
	json_close(json, '}');
}

void render_json_times(struct json *json, const struct ct_times *times)
{
	render_time_member(json, "unseen_ns", times->unseen_ns);
	render_time_member(json, "ready_ns", times->ready_ns);
	render_time_member(json, "running_ns", times->running_ns);
	render_time_member(json, "waiting_ns", times->waiting_ns);
}

void render_json_waits(struct json *json, const struct ct_wait_time *waits, uint32_t nr_waits)
{
	uint32_t i;

	json_key(json, "waits");
	json_open(json, '[');
	for (i = 0; i < nr_waits; i++) {
		json_open(json, '{');
		render_text_member(json, "for", ct_resource_name(waits[i].resource));
		render_time_member(json, "ns", waits[i].ns);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void ready_member(struct json *json, const char *key, const struct ct_ready *ready)
{
	json_key(json, key);
	json_open(json, '{');
	render_time_member(json, "observed_ns", ready->observed_ns);
	json_key(json, "mean");
	json_real(json, ready->mean);
	render_count_member(json, "p50", ready->p50);
	render_count_member(json, "p99", ready->p99);
	render_count_member(json, "max", ready->max);
	json_close(json, '}');
}

static void run_queues_member(struct json *json, const struct ct_statistics *statistics)
{
	uint32_t i;

	json_key(json, "run_queues");
	json_open(json, '[');
	for (i = 0; i < statistics->nr_run_queues; i++) {
		const struct ct_run_queue *queue = &statistics->run_queues[i];

		json_open(json, '{');
		render_text_member(json, "name", queue->name);
		render_hex_member(json, "queue", queue->handle);
		render_index_member(json, "process", queue->process);
		render_index_member(json, "thread", queue->thread);
		render_count_member(json, "entered", queue->nr_entered);
		ready_member(json, "lengths", &queue->lengths);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void workers_member(struct json *json, const struct ct_statistics *statistics)
{
	uint32_t i;

	json_key(json, "workers");
	json_open(json, '[');
	for (i = 0; i < statistics->nr_workers; i++) {
		const struct ct_worker *worker = &statistics->workers[i];

		json_open(json, '{');
		render_index_member(json, "thread", worker->thread);
		render_time_member(json, "from_ns", worker->from);
		render_time_member(json, "until_ns", worker->until);
		render_time_member(json, "running_ns", worker->running_ns);
		render_time_member(json, "scheduling_ns", worker->scheduling_ns);
		render_time_member(json, "blocked_ns", worker->blocked_ns);
		render_time_member(json, "idle_ns", worker->idle_ns);
		render_count_member(json, "resumes", worker->nr_resumes);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void places_member(struct json *json, const struct ct_statistics *statistics)
{
	uint32_t i;

	json_key(json, "places");
	json_open(json, '[');
	for (i = 0; i < statistics->nr_places; i++) {
		const struct ct_place *place = &statistics->places[i];

		json_open(json, '{');
		render_index_member(json, "site", place->site);
		render_index_member(json, "process", place->process);
		render_count_member(json, "waiting", place->nr_waiting);
		render_time_member(json, "waiting_ns", place->waiting_ns);
		render_json_distribution(json, "waits", &place->waits);
		render_json_distribution(json, "delays", &place->delays);
		render_json_distribution(json, "runs", &place->runs);
		render_json_distribution(json, "delays_caused", &place->delays_caused);
		render_sequence_member(json, "longest_run_coroutine",
			place->longest_coro ? place->longest_coro : UINT64_MAX);
		render_index_member(json, "longest_run_thread", place->longest_thread);
		render_time_member(json, "longest_run_until_ns", place->longest_until);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void spawnings_member(struct json *json, const struct ct_statistics *statistics)
{
	uint32_t i;

	json_key(json, "spawnings");
	json_open(json, '[');
	for (i = 0; i < statistics->nr_spawnings; i++) {
		const struct ct_spawning *spawning = &statistics->spawnings[i];

		json_open(json, '{');
		render_index_member(json, "site", spawning->site);
		render_index_member(json, "process", spawning->process);
		render_count_member(json, "started", spawning->nr_started);
		json_key(json, "per_second");
		json_real(json, spawning->per_second);
		render_count_member(json, "alive", spawning->nr_alive);
		render_count_member(json, "events", spawning->nr_events);
		render_json_distribution(json, "lives", &spawning->lives);
		render_end_element(json);
	}
	json_close(json, ']');
}

static void coroutines_member(
	struct json *json, const char *key, const struct ct_coro_times *coros, uint32_t count)
{
	uint32_t i;

	json_key(json, key);
	json_open(json, '[');
	for (i = 0; i < count; i++) {
		json_open(json, '{');
		render_count_member(json, "id", coros[i].id);
		render_index_member(json, "process", coros[i].process);
		render_index_member(json, "function_site", coros[i].function_site);
		render_index_member(json, "spawn_site", coros[i].spawn_site);
		render_json_times(json, &coros[i].times);
		render_count_member(json, "resumes", coros[i].nr_resumes);
		render_count_member(json, "migrations", coros[i].nr_migrations);
		render_count_member(json, "events", coros[i].nr_events);
		render_end_element(json);
	}
	json_close(json, ']');
}

void render_json_statistics(struct json *json, const struct ct_statistics *statistics)
{
	json_key(json, "statistics");
	json_open(json, '{');
	render_json_times(json, &statistics->total);
	render_count_member(json, "resumes", statistics->nr_resumes);
	render_count_member(json, "migrations", statistics->nr_migrations);
	render_count_member(json, "refused", statistics->nr_refused);
	render_count_member(json, "changes_before", statistics->nr_before);
	render_json_distribution(json, "delays", &statistics->delays);
	ready_member(json, "ready", &statistics->ready);
	run_queues_member(json, statistics);
	workers_member(json, statistics);
	places_member(json, statistics);
	spawnings_member(json, statistics);
	coroutines_member(json, "busiest", statistics->busiest, statistics->nr_busiest);
	coroutines_member(json, "most_delayed", statistics->delayed, statistics->nr_delayed);
	coroutines_member(json, "most_waiting", statistics->waiters, statistics->nr_waiters);
	coroutines_member(json, "most_migrations", statistics->movers, statistics->nr_movers);
	json_close(json, '}');
}
