/* SPDX-License-Identifier: MIT */
/*
 * Where the time went, in a few rows: for a report, and above the tables of statistics.
 */
#include <inttypes.h>

#include "render/facts.h"
#include "say/safe.h"
#include "say/say.h"

static void levels(struct text *rows, const struct ct_ready *ready)
{
	say_mean(rows, ready->mean);
	text_add(rows, " on average; 99 % of the time at most ");
	text_count(rows, ready->p99);
	text_add(rows, "; at most ");
	text_count(rows, ready->max);
}

static void ready_row(struct text *rows, const struct ct_ready *ready)
{
	if (!ready->max)
		return;
	render_facts_begin(rows, "ready at once");
	levels(rows, ready);
	render_facts_end(rows);
}

int64_t render_facts_life_ns(const struct ct_times *times)
{
	return times->unseen_ns + times->ready_ns + times->running_ns + times->waiting_ns +
	       times->syscall_ns;
}

const char *render_facts_waited_for(const struct ct_wait_time *wait)
{
	return wait->resource ? ct_resource_name(wait->resource) : "something not recorded";
}

static void brief_states(struct text *rows, const struct ct_report *report)
{
	const struct ct_times *total = &report->statistics.total;
	double whole = (double)render_facts_life_ns(total) / 100;

	render_facts_begin(rows, "coroutines");
	text_format(rows, "%.1f %% running, %.1f %% ready, %.1f %% waiting",
		(double)total->running_ns / whole, (double)total->ready_ns / whole,
		(double)total->waiting_ns / whole);
	if (total->syscall_ns)
		text_format(rows, ", %.1f %% in system calls", (double)total->syscall_ns / whole);
	if ((double)total->unseen_ns >= 0.05 * whole)
		text_format(rows, ", %.1f %% not begun", (double)total->unseen_ns / whole);
	text_add(rows, " of ");
	text_duration(rows, render_facts_life_ns(total));
	text_add(rows, " together");
	render_facts_end(rows);
}

/* The place with the longest total wait, including waits that have not ended; NULL: nothing waited. */
static const struct ct_place *most_waited(const struct ct_statistics *statistics)
{
	uint32_t i;

	for (i = 0; i < statistics->nr_places; i++)
		if (statistics->places[i].waits.count + statistics->places[i].waiting.count)
			return &statistics->places[i];
	return NULL;
}

static void brief_waits(struct text *rows, const struct ct_report *report)
{
	const struct ct_place *place = most_waited(&report->statistics);

	if (!place)
		return;
	render_facts_begin(rows, "most waited");
	text_duration(rows, place->waits.total_ns + place->waiting.total_ns);
	text_add(rows, " in ");
	say_count(rows, place->waits.count + place->waiting.count, "wait", "waits");
	if (place->waiting.count) {
		text_add(rows, " (");
		text_count(rows, place->waiting.count);
		text_format(rows, " %s on)", place->waiting.count == 1 ? "goes" : "go");
	}
	text_add(rows, " at ");
	if (place->site)
		say_place(rows, report->tables, place->site);
	else
		text_add(rows, "places not known");
	render_facts_end(rows);
}

static void brief_delays(struct text *rows, const struct ct_distribution *delays)
{
	if (!delays->count)
		return;
	render_facts_begin(rows, "latency");
	if (render_has_part(delays, RENDER_P50)) {
		text_duration(rows, delays->p50_ns);
		text_add(rows, " in the median, ");
	}
	if (render_has_part(delays, RENDER_P99)) {
		text_add(rows, "99 % within ");
		text_duration(rows, delays->p99_ns);
		text_add(rows, ", ");
	}
	text_duration(rows, delays->max_ns);
	text_add(rows, " at most from ready to running");
	render_facts_end(rows);
}

static void brief_run_queues(struct text *rows, const struct ct_statistics *statistics)
{
	const struct ct_run_queue *longest = statistics->run_queues;

	ready_row(rows, &statistics->ready);
	if (!statistics->nr_run_queues || !longest->lengths.max)
		return;
	render_facts_begin(rows, "longest queue");
	say_safe(rows, longest->name);
	text_add(rows, ": ");
	levels(rows, &longest->lengths);
	render_facts_end(rows);
}

/* Without a record of sleep, the rest of a worker's time may be sleep as well as scheduling. */
static void rest_of_workers(
	struct text *rows, bool is_one, double idle, double blocked, double rest)
{
	if (idle > 0)
		text_format(rows,
			", and %s idle for %.1f %%; scheduling %.1f %%, in system calls %.1f %%",
			is_one ? "was" : "were", idle, rest, blocked);
	else
		text_format(rows,
			", and %s in system calls for %.1f %%; no sleep of %s is recorded: the "
			"other %.1f %% may be sleep or scheduling",
			is_one ? "was" : "were", blocked, is_one ? "it" : "them", rest);
}

static void brief_workers(struct text *rows, const struct ct_statistics *statistics)
{
	double observed_ns = 0, running_ns = 0, idle_ns = 0, blocked_ns = 0;
	uint32_t i;

	for (i = 0; i < statistics->nr_workers; i++) {
		observed_ns += (double)(statistics->workers[i].until - statistics->workers[i].from);
		running_ns += (double)statistics->workers[i].running_ns;
		idle_ns += (double)statistics->workers[i].idle_ns;
		blocked_ns += (double)statistics->workers[i].blocked_ns;
	}
	if (observed_ns <= 0)
		return;
	render_facts_begin(rows, "workers");
	say_count(rows, statistics->nr_workers, "worker", "workers");
	text_format(rows, ", which ran coroutines for %.1f %% of %s time",
		100 * running_ns / observed_ns, statistics->nr_workers == 1 ? "its" : "their");
	rest_of_workers(rows, statistics->nr_workers == 1, 100 * idle_ns / observed_ns,
		100 * blocked_ns / observed_ns,
		100 * (observed_ns - running_ns - idle_ns - blocked_ns) / observed_ns);
	render_facts_end(rows);
}

/* A flight recorder's trace contains events from before observation began; their durations are not counted. */
static void before_row(struct text *rows, const struct ct_statistics *statistics)
{
	if (!statistics->nr_before)
		return;
	render_facts_begin(rows, "before that");
	say_count(rows, statistics->nr_before, "change", "changes");
	text_add(rows,
		" of state, recorded of the time before the observation: their durations are in no "
		"sum and no percentile");
	render_facts_end(rows);
}

void render_facts_time_went(struct text *rows, const struct ct_report *report)
{
	const struct ct_statistics *statistics = &report->statistics;

	if (render_facts_life_ns(&statistics->total) <= 0)
		return;
	brief_states(rows, report);
	render_facts_runtimes(rows, report);
	before_row(rows, statistics);
	brief_waits(rows, report);
	brief_delays(rows, &statistics->delays);
	brief_run_queues(rows, statistics);
	brief_workers(rows, statistics);
	if (!report->nr_slowest)
		return;
	render_facts_begin(rows, "longest task");
	say_safe(rows, report->slowest[0].name);
	text_format(rows, " %" PRIu64 ", ", report->slowest[0].id);
	text_duration(rows, report->slowest[0].duration_ns);
	text_format(rows, "%s; 'corotracer stats --task %" PRIu64 "' shows where that time went",
		report->slowest[0].is_open ? ", and goes on" : "", report->slowest[0].id);
	render_facts_end(rows);
}

void render_facts_times(struct text *rows, const struct ct_report *report)
{
	const struct ct_statistics *statistics = &report->statistics;
	const struct ct_times *total = &statistics->total;
	int64_t lives_ns = render_facts_life_ns(total);

	render_facts_begin(rows, "lives");
	text_duration(rows, lives_ns);
	text_add(rows, ", of ");
	say_count(rows, report->quality.nr_coros, "coroutine", "coroutines");
	text_add(rows, " together");
	render_facts_end(rows);
	render_facts_share(rows, "running", total->running_ns, lives_ns);
	render_facts_share(rows, "ready", total->ready_ns, lives_ns);
	render_facts_share(rows, "waiting", total->waiting_ns, lives_ns);
	if (total->syscall_ns)
		render_facts_share(rows, "in system calls", total->syscall_ns, lives_ns);
	render_facts_share(rows, "not begun", total->unseen_ns, lives_ns);
	render_facts_begin(rows, "resumes");
	text_count(rows, statistics->nr_resumes);
	text_add(rows, ", ");
	text_count(rows, statistics->nr_migrations);
	text_add(rows, " of them on another thread than the one before");
	render_facts_end(rows);
	render_facts_runtimes(rows, report);
	before_row(rows, statistics);
	ready_row(rows, &statistics->ready);
	if (statistics->nr_refused) {
		render_facts_begin(rows, "not counted");
		say_count(rows, statistics->nr_refused, "time", "times");
		text_add(rows, ": there are too many places to count them by");
		render_facts_end(rows);
	}
}
