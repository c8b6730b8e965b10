/* SPDX-License-Identifier: MIT */
/*
 * The numbers of a report that assertions ask for. A metric yields one value for each place or name that the
 * assertion's pattern matches; the assertion must hold for each of them.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "event/places.h"
#include "render/facts.h"
#include "say/say.h"

/* One value, with its place or name. */
struct sample {
	double value;
	uint32_t site;
	const char *name; /* of a region, task or counter; else NULL */
	/* what goes on at the end makes the value at least this, and breaks the assertion */
	bool is_at_least;
};

struct measuring {
	const struct condition *condition;
	const struct ct_report *report;
	struct ct_assertion *assertion;
	struct arena *told;
	uint32_t nr_samples;
	uint32_t nr_broken;
	/* the value that breaks the assertion most, or comes nearest to breaking it */
	struct sample worst;
	struct ct_going_on going_on; /* sum over all matching places and names */
	VEC(uint32_t) findings;
	bool is_short_of_memory;
};

/*
 * Is the value further on the wrong side than `than`? If the comparison has no sides, the first value stays the
 * worst.
 */
static bool is_worse(const struct condition *condition, double value, double than)
{
	if (condition->comparison[0] == '<')
		return value > than;
	return condition->comparison[0] == '>' && value < than;
}

static void take(struct measuring *measuring, struct sample sample)
{
	bool is_broken = sample.is_at_least || !condition_holds(measuring->condition, sample.value);

	if (measuring->nr_samples++ == 0 || (is_broken && measuring->nr_broken == 0) ||
		is_worse(measuring->condition, sample.value, measuring->worst.value))
		measuring->worst = sample;
	measuring->nr_broken += is_broken;
}

static void take_value(struct measuring *measuring, double value)
{
	take(measuring, (struct sample){.value = value});
}

/* ---------------------------------------------------------------- statistics of many numbers */

static int64_t statistic_of(enum condition_statistic asked, const struct ct_distribution *of)
{
	switch (asked) {
	case CONDITION_STATISTIC_P50:
		return of->p50_ns;
	case CONDITION_STATISTIC_P90:
		return of->p90_ns;
	case CONDITION_STATISTIC_P95:
		return of->p95_ns;
	case CONDITION_STATISTIC_P99:
		return of->p99_ns;
	case CONDITION_STATISTIC_P999:
		return of->p999_ns;
	case CONDITION_STATISTIC_P9999:
		return of->p9999_ns;
	case CONDITION_STATISTIC_MAX:
		return of->max_ns;
	case CONDITION_STATISTIC_MEAN:
		return of->total_ns / (int64_t)of->count;
	case CONDITION_STATISTIC_TOTAL:
		return of->total_ns;
	default:
		return (int64_t)of->count;
	}
}

static void add_going_on(struct ct_going_on *all, const struct ct_going_on *going_on)
{
	all->count += going_on->count;
	all->total_ns += going_on->total_ns;
	if (going_on->longest_ns > all->longest_ns)
		all->longest_ns = going_on->longest_ns;
}

/* If nothing of the kind has ended, only the count is known. */
static void take_spread(struct measuring *measuring, const struct ct_distribution *ended,
	const struct ct_going_on *going_on, struct sample sample)
{
	const struct condition *condition = measuring->condition;
	bool is_known = ended->count || condition->asked == CONDITION_STATISTIC_COUNT;
	double least;

	add_going_on(&measuring->going_on, going_on);
	if (is_known)
		sample.value = (double)statistic_of(condition->asked, ended);
	if ((!is_known || condition_holds(condition, sample.value)) &&
		check_passes_limit(condition, ended, going_on, &least)) {
		sample.value = least;
		sample.is_at_least = is_known = true;
	}
	if (is_known)
		take(measuring, sample);
}

/* ---------------------------------------------------------------- by name */

static bool is_named(const struct measuring *measuring, const char *name)
{
	return fnmatch(measuring->condition->name, name, 0) == 0;
}

static bool is_there(const struct measuring *measuring, uint32_t site)
{
	return place_matches(
		measuring->condition->name, say_peek_site(measuring->report->tables, site));
}

static void measure_spans(struct measuring *measuring)
{
	const struct ct_report *report = measuring->report;
	bool is_task = measuring->condition->metric == CONDITION_TASK;
	uint32_t i;

	for (i = 0; i < report->nr_spans; i++)
		if (report->spans[i].is_task == is_task &&
			is_named(measuring, report->spans[i].name))
			take_spread(measuring, &report->spans[i].durations, &report->spans[i].open,
				(struct sample){.site = report->spans[i].site,
					.name = report->spans[i].name});
}

static void measure_counters(struct measuring *measuring)
{
	const struct ct_report *report = measuring->report;
	uint32_t i;

	for (i = 0; i < report->nr_counters; i++)
		if (is_named(measuring, report->counters[i].name))
			take(measuring, (struct sample){.value = (double)report->counters[i].last,
						.site = report->counters[i].site,
						.name = report->counters[i].name});
}

/* ---------------------------------------------------------------- by place */

static void measure_place(struct measuring *measuring, const struct ct_place *place)
{
	const struct sample sample = {.site = place->site};

	switch (measuring->condition->metric) {
	case CONDITION_WAIT:
		take_spread(measuring, &place->waits, &place->waiting, sample);
		return;
	case CONDITION_DELAY:
		take_spread(measuring, &place->delays, &place->ready, sample);
		return;
	default:
		take_spread(measuring, &place->runs, &place->running, sample);
		return;
	}
}

static void measure_places(struct measuring *measuring)
{
	const struct ct_statistics *statistics = &measuring->report->statistics;
	uint32_t i;

	for (i = 0; i < statistics->nr_places; i++)
		if (is_there(measuring, statistics->places[i].site))
			measure_place(measuring, &statistics->places[i]);
}

/* A place that the trace does not have is a spelling mistake. */
static bool is_known(const struct measuring *measuring)
{
	uint32_t i;

	for (i = 1; i < measuring->report->tables->nr_sites; i++)
		if (is_there(measuring, i))
			return true;
	return false;
}

/* The longest wait at the place, or the number of coroutines that wait there. */
static void measure_waiting(struct measuring *measuring)
{
	const struct ct_report *report = measuring->report;
	bool is_counted = measuring->condition->unit == CONDITION_COUNT;
	double nr_waiting = 0;
	uint32_t site = 0, i;

	for (i = 0; i < report->nr_waiting; i++) {
		const struct ct_waiting *waiting = &report->waiting[i];

		if (!is_there(measuring, waiting->site))
			continue;
		site = site ? site : waiting->site;
		nr_waiting += (double)waiting->nr_coros;
		if (!is_counted)
			take(measuring, (struct sample){.value = (double)ct_time_between(
								waiting->since, waiting->until),
						.site = waiting->site});
	}
	if (nr_waiting > 0 ? is_counted : report->quality.nr_coros && is_known(measuring))
		take(measuring, (struct sample){.value = nr_waiting, .site = site});
}

/* The delays, including all coroutines that are ready at the end, wherever they waited before. */
static void measure_sched_latency(struct measuring *measuring)
{
	const struct ct_statistics *statistics = &measuring->report->statistics;
	struct ct_going_on ready = {0};
	uint32_t i;

	for (i = 0; i < statistics->nr_places; i++)
		add_going_on(&ready, &statistics->places[i].ready);
	take_spread(measuring, &statistics->delays, &ready, (struct sample){0});
}

static void measure_spawnings(struct measuring *measuring)
{
	const struct ct_statistics *statistics = &measuring->report->statistics;
	bool is_alive = measuring->condition->metric == CONDITION_ALIVE;
	uint32_t i;

	for (i = 0; i < statistics->nr_spawnings; i++) {
		const struct ct_spawning *at = &statistics->spawnings[i];

		if (!is_there(measuring, at->site))
			continue;
		if (measuring->condition->metric == CONDITION_LIFE)
			take_spread(measuring, &at->lives, &at->alive,
				(struct sample){.site = at->site});
		else
			take(measuring,
				(struct sample){.value = (double)(is_alive ? at->alive.count
									   : at->nr_started),
					.site = at->site});
	}
}

/* ---------------------------------------------------------------- findings */

static bool is_asked_for(const struct measuring *measuring, const struct ct_finding *finding)
{
	return finding->grade >= measuring->condition->least &&
	       (measuring->condition->metric == CONDITION_FINDINGS ||
		       is_named(measuring, ct_rule_name(finding->rule)));
}

static void measure_findings(struct measuring *measuring)
{
	const struct ct_report *report = measuring->report;
	bool is_counted = measuring->condition->unit == CONDITION_COUNT;
	enum ct_grade gravest = CT_GRADE_NONE;
	uint32_t i, site = 0;

	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];

		if (!is_asked_for(measuring, finding))
			continue;
		if (!site)
			site = finding->cause_site ? finding->cause_site : finding->wait_site;
		gravest = finding->grade > gravest ? finding->grade : gravest;
		measuring->is_short_of_memory |= !vec_push(&measuring->findings, i);
	}
	/* In a program without coroutines no finding means nothing, except that a crash may be found there as well. */
	if (measuring->findings.count == 0 && report->quality.nr_coros == 0)
		return;
	take(measuring, (struct sample){.value = is_counted ? (double)measuring->findings.count
							    : (double)gravest,
				.site = site});
}

/* ---------------------------------------------------------------- numbers of their own */

static void measure_utilisation(struct measuring *measuring)
{
	const struct ct_statistics *statistics = &measuring->report->statistics;
	double running = 0, observed = 0;
	uint32_t i;

	for (i = 0; i < statistics->nr_workers; i++) {
		running += (double)statistics->workers[i].running_ns;
		observed += (double)(statistics->workers[i].until - statistics->workers[i].from);
	}
	if (observed > 0)
		take_value(measuring, running / observed);
}

static double nr_living(const struct ct_quality *quality)
{
	return (double)(quality->nr_coros - quality->nr_by_state[CT_STATE_DESTROYED] -
			quality->nr_by_state[CT_STATE_DONE]);
}

/* The end of the program itself: the first process of the trace. */
static void measure_exit(struct measuring *measuring)
{
	const struct ct_tables *tables = measuring->report->tables;
	const struct ct_process *process = &tables->processes[1];

	if (tables->nr_processes < 2)
		return;
	if (process->ending == CT_ENDING_EXITED)
		take_value(measuring, process->ending_value);
	else if (process->ending == CT_ENDING_SIGNALED)
		take_value(measuring, 128 + process->ending_value);
}

/* A number of coroutines. If no coroutine was seen, the number is not 0 but unknown. */
static void take_of_coros(struct measuring *measuring, double value)
{
	if (measuring->report->quality.nr_coros)
		take_value(measuring, value);
}

static void measure(struct measuring *measuring)
{
	const struct ct_quality *quality = &measuring->report->quality;
	const struct ct_statistics *statistics = &measuring->report->statistics;

	switch (measuring->condition->metric) {
	case CONDITION_SCHED_LATENCY:
		measure_sched_latency(measuring);
		return;
	case CONDITION_REGION:
	case CONDITION_TASK:
		measure_spans(measuring);
		return;
	case CONDITION_COUNTER:
		measure_counters(measuring);
		return;
	case CONDITION_LIVE_COROUTINES:
		take_of_coros(measuring, nr_living(quality));
		return;
	case CONDITION_WAITING:
		measure_waiting(measuring);
		return;
	case CONDITION_FINDING:
	case CONDITION_FINDINGS:
		measure_findings(measuring);
		return;
	case CONDITION_WAIT:
	case CONDITION_DELAY:
	case CONDITION_RUN:
		measure_places(measuring);
		return;
	case CONDITION_LIFE:
	case CONDITION_STARTED:
	case CONDITION_ALIVE:
		measure_spawnings(measuring);
		return;
	case CONDITION_READY:
		take_of_coros(measuring, (double)statistics->ready.max);
		return;
	case CONDITION_UTILISATION:
		measure_utilisation(measuring);
		return;
	case CONDITION_MIGRATIONS:
		take_of_coros(measuring, (double)statistics->nr_migrations);
		return;
	case CONDITION_COROUTINES:
		take_value(measuring, (double)quality->nr_coros);
		return;
	case CONDITION_DESTROYED_WAITING:
		take_of_coros(measuring, (double)quality->nr_destroyed_waiting);
		return;
	case CONDITION_EVENTS:
		take_value(measuring, (double)quality->nr_events);
		return;
	case CONDITION_LOST:
		take_value(measuring, (double)quality->nr_lost);
		return;
	case CONDITION_OBSERVED:
		if (quality->observed_from != CT_NO_TIME && quality->observed_until != CT_NO_TIME)
			take_value(measuring, (double)ct_time_between(quality->observed_from,
						      quality->observed_until));
		return;
	case CONDITION_EXIT_STATUS:
		measure_exit(measuring);
		return;
	case CONDITION_STALLED:
	case CONDITION_NO_PROGRESS:
	case CONDITION_NR_METRICS:
		break;
	}
}

/* ---------------------------------------------------------------- the sentence of the verdict */

/* Writes the limit, and the distance of the value from it if both print the same. */
static void tell_limit(const struct condition *condition, double value, struct text *text)
{
	struct text measured = {0}, limit = {0};

	condition_tell_value(condition, value, &measured);
	condition_tell_value(condition, condition->limit, &limit);
	text_format(text, ", asked for was %s %s", condition->comparison, text_peek(&limit));
	if (value != condition->limit && strcmp(text_peek(&measured), text_peek(&limit)) == 0) {
		text_add(text, ", missed by ");
		condition_tell_value(condition, fabs(value - condition->limit), text);
	}
	text->is_broken |= measured.is_broken || limit.is_broken;
	text_fini(&measured);
	text_fini(&limit);
}

/* "is 62.1 ms, asked for was < 50.0 ms, at handle, server.cpp:120; 2 of 5 are so". */
static void tell_measured(const struct measuring *measuring, struct text *text)
{
	const struct condition *condition = measuring->condition;
	const struct sample *worst = &measuring->worst;

	condition_tell_asked(condition, text);
	text_add(text, worst->is_at_least ? " is at least " : " is ");
	condition_tell_value(condition, worst->value, text);
	if (measuring->nr_broken)
		tell_limit(condition, worst->value, text);
	if (worst->name && strcmp(worst->name, condition->name) != 0) {
		text_add(text, ", of ");
		say_name(text, worst->name);
	}
	if (worst->site && !measuring->findings.count) {
		text_add(text, ", at ");
		say_place(text, measuring->report->tables, worst->site);
	}
	if (measuring->nr_broken && measuring->nr_samples > 1)
		text_format(text, "; %u of %u are so", measuring->nr_broken, measuring->nr_samples);
}

static void tell_unknown(const struct measuring *measuring, struct text *text)
{
	const char *unseen = render_facts_unseen(measuring->report);

	text_add(text, "nothing was measured of ");
	condition_tell_asked(measuring->condition, text);
	if (measuring->condition->metric == CONDITION_EXIT_STATUS)
		text_add(text, ": the trace does not say how the program ended");
	else if (unseen)
		text_format(text, ": %s", unseen);
	else if (*measuring->condition->name)
		text_add(text, ": the trace has no such name or place, or none that ended");
	else
		text_add(text, ": it did not happen even once");
}

static void tell(const struct measuring *measuring, struct text *text)
{
	if (measuring->nr_samples)
		tell_measured(measuring, text);
	else
		tell_unknown(measuring, text);
	check_tell_going_on(&measuring->going_on, text);
}

static enum ct_verdict verdict_of(const struct measuring *measuring)
{
	if (!measuring->nr_samples)
		return CT_VERDICT_UNKNOWN;
	return measuring->nr_broken ? CT_VERDICT_BROKEN : CT_VERDICT_HOLDS;
}

/* Copies names and findings, which the assertion needs longer. False: out of memory. */
static bool keep(struct measuring *measuring, const struct text *text)
{
	struct ct_assertion *assertion = measuring->assertion;
	size_t count = measuring->nr_broken ? measuring->findings.count : 0;
	uint32_t *findings = NULL;

	assertion->told = arena_text(measuring->told, text_peek(text), text->length);
	if (count) {
		findings = arena_array(measuring->told, count, sizeof(*findings));
		if (!findings)
			return false;
		memcpy(findings, measuring->findings.at, count * sizeof(*findings));
	}
	assertion->findings = findings;
	assertion->nr_findings = (uint32_t)count;
	return assertion->told && !measuring->is_short_of_memory;
}

bool check_measure(struct check_asked *asked, const struct ct_report *report, struct arena *told)
{
	struct measuring measuring = {
		.condition = &asked->condition,
		.report = report,
		.assertion = &asked->assertion,
		.told = told,
	};
	struct text text = {0};
	bool is_kept;

	measure(&measuring);
	tell(&measuring, &text);
	asked->assertion.verdict = verdict_of(&measuring);
	asked->assertion.site = measuring.worst.site;
	is_kept = keep(&measuring, &text);
	text_fini(&text);
	vec_fini(&measuring.findings);
	return is_kept;
}
