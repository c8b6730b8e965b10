/* SPDX-License-Identifier: MIT */
/*
 * Where the time went, as JSON (docs/spec/report-json.md, "statistics").
 */
#include "json_member.h"
#include "report.h"

void json_distribution(
	struct json *json, const char *key, const struct ct_distribution *distribution)
{
	json_key(json, key);
	json_open(json, '{');
	count_member(json, "count", distribution->count);
	time_member(json, "total_ns", distribution->total_ns);
	time_member(json, "p50_ns", distribution->p50_ns);
	time_member(json, "p90_ns", distribution->p90_ns);
	time_member(json, "p99_ns", distribution->p99_ns);
	time_member(json, "p999_ns", distribution->p999_ns);
	time_member(json, "p9999_ns", distribution->p9999_ns);
	time_member(json, "max_ns", distribution->max_ns);
	json_close(json, '}');
}

void json_times(struct json *json, const struct ct_times *times)
{
	time_member(json, "unseen_ns", times->unseen_ns);
	time_member(json, "ready_ns", times->ready_ns);
	time_member(json, "running_ns", times->running_ns);
	time_member(json, "waiting_ns", times->waiting_ns);
}

void json_waits(struct json *json, const struct ct_wait_time *waits, uint32_t nr_waits)
{
	uint32_t i;

	json_key(json, "waits");
	json_open(json, '[');
	for (i = 0; i < nr_waits; i++) {
		json_open(json, '{');
		text_member(json, "for", ct_resource_name(waits[i].resource));
		time_member(json, "ns", waits[i].ns);
		end_element(json);
	}
	json_close(json, ']');
}

static void ready_member(struct json *json, const char *key, const struct ct_ready *ready)
{
	json_key(json, key);
	json_open(json, '{');
	time_member(json, "observed_ns", ready->observed_ns);
	json_key(json, "mean");
	json_real(json, ready->mean);
	count_member(json, "p50", ready->p50);
	count_member(json, "p99", ready->p99);
	count_member(json, "max", ready->max);
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
		text_member(json, "name", queue->name);
		hex_member(json, "queue", queue->handle);
		index_member(json, "process", queue->process);
		index_member(json, "thread", queue->thread);
		count_member(json, "entered", queue->nr_entered);
		ready_member(json, "lengths", &queue->lengths);
		end_element(json);
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
		index_member(json, "thread", worker->thread);
		time_member(json, "from_ns", worker->from);
		time_member(json, "until_ns", worker->until);
		time_member(json, "running_ns", worker->running_ns);
		time_member(json, "scheduling_ns", worker->scheduling_ns);
		time_member(json, "blocked_ns", worker->blocked_ns);
		time_member(json, "idle_ns", worker->idle_ns);
		count_member(json, "resumes", worker->nr_resumes);
		end_element(json);
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
		index_member(json, "site", place->site);
		index_member(json, "process", place->process);
		count_member(json, "waiting", place->nr_waiting);
		time_member(json, "waiting_ns", place->waiting_ns);
		json_distribution(json, "waits", &place->waits);
		json_distribution(json, "delays", &place->delays);
		json_distribution(json, "runs", &place->runs);
		json_distribution(json, "delays_caused", &place->delays_caused);
		sequence_member(json, "longest_run_coroutine",
			place->longest_coro ? place->longest_coro : UINT64_MAX);
		index_member(json, "longest_run_thread", place->longest_thread);
		time_member(json, "longest_run_until_ns", place->longest_until);
		end_element(json);
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
		index_member(json, "site", spawning->site);
		index_member(json, "process", spawning->process);
		count_member(json, "started", spawning->nr_started);
		json_key(json, "per_second");
		json_real(json, spawning->per_second);
		count_member(json, "alive", spawning->nr_alive);
		count_member(json, "events", spawning->nr_events);
		json_distribution(json, "lives", &spawning->lives);
		end_element(json);
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
		count_member(json, "id", coros[i].id);
		index_member(json, "process", coros[i].process);
		index_member(json, "function_site", coros[i].function_site);
		index_member(json, "spawn_site", coros[i].spawn_site);
		json_times(json, &coros[i].times);
		count_member(json, "resumes", coros[i].nr_resumes);
		count_member(json, "migrations", coros[i].nr_migrations);
		count_member(json, "events", coros[i].nr_events);
		end_element(json);
	}
	json_close(json, ']');
}

void json_statistics(struct json *json, const struct ct_statistics *statistics)
{
	json_key(json, "statistics");
	json_open(json, '{');
	json_times(json, &statistics->total);
	count_member(json, "resumes", statistics->nr_resumes);
	count_member(json, "migrations", statistics->nr_migrations);
	count_member(json, "refused", statistics->nr_refused);
	count_member(json, "changes_before", statistics->nr_before);
	json_distribution(json, "delays", &statistics->delays);
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
