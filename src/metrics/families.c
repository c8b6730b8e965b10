/* SPDX-License-Identifier: MIT */
/*
 * The content of each family. Labels come from the program, so each family has a maximum number of them; those beyond
 * the maximum are counted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/failure.h"
#include "corotracer/version.h"
#include "metrics/sums.h"
#include "say/say.h"

#define PLACES_MAX 50u
#define WORKERS_MAX 64u
#define COUNTERS_MAX 64u

struct page {
	const struct metrics *metrics;
	const struct metrics_given *given;
	const struct ct_report *report; /* NULL: nothing was judged yet */
	struct metrics_writer *writer;
	uint64_t nr_left_out[METRICS_NR_FAMILIES];
};

static void tell(
	struct page *page, const struct metrics_label *labels, unsigned nr_labels, double value)
{
	metrics_sample(page->writer, labels, nr_labels, value, NULL);
}

static void tell_alone(struct page *page, double value)
{
	tell(page, NULL, 0, value);
}

static void tell_by(struct page *page, const char *label, const char *of, double value)
{
	const struct metrics_label labels[] = {{label, of}};

	tell(page, labels, 1, value);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

/* ---------------------------------------------------------------- families of coroutines */

static void tell_BUILD(struct page *page)
{
	tell_by(page, "version", CT_VERSION_TEXT, 1);
}

static void tell_COROUTINES(struct page *page)
{
	unsigned state;

	for (state = CT_STATE_UNSEEN; page->report && state <= CT_STATE_WAITING; state++)
		tell_by(page, "state", ct_state_name((enum ct_state)state),
			(double)page->report->quality.nr_by_state[state]);
}

struct place {
	char *name;
	uint64_t nr_coros;
};

static int compare_names(const void *one, const void *other)
{
	return strcmp(((const struct place *)one)->name, ((const struct place *)other)->name);
}

/* Instances of a template have different places with the same name; such places are written once. */
static void tell_places(struct page *page, struct place *places, uint32_t count)
{
	uint64_t nr_coros = 0;
	uint32_t i;

	qsort(places, count, sizeof(*places), compare_names);
	for (i = 0; i < count; i++) {
		nr_coros += places[i].nr_coros;
		if (i + 1 < count && compare_names(&places[i], &places[i + 1]) == 0)
			continue;
		tell_by(page, "place", places[i].name, (double)nr_coros);
		nr_coros = 0;
	}
}

static void tell_COROUTINES_WAITING(struct page *page)
{
	const struct ct_report *report = page->report;
	uint32_t count = report ? report->nr_waiting : 0, i;
	struct place places[PLACES_MAX];
	uint64_t nr_others = 0;
	uint32_t nr_told = 0;
	struct text name;

	for (i = 0; i < count; i++) {
		if (i >= PLACES_MAX) {
			nr_others += report->waiting[i].nr_coros;
			page->nr_left_out[METRICS_FAMILY_COROUTINES_WAITING]++;
			continue;
		}
		name = (struct text){0};
		say_place(&name, report->tables, report->waiting[i].site);
		if (text_status(&name, NULL) || !name.at) {
			text_fini(&name);
			nr_others += report->waiting[i].nr_coros;
			continue;
		}
		places[nr_told++] = (struct place){name.at, report->waiting[i].nr_coros};
	}
	tell_places(page, places, nr_told);
	for (i = 0; i < nr_told; i++)
		free(places[i].name);
	if (nr_others)
		tell_by(page, "place", "other", (double)nr_others);
}

static void tell_SCHEDULER_LATENCY(struct page *page)
{
	metrics_histogram(page->writer, &page->metrics->delays,
		page->report ? (int64_t)page->report->tables->epoch_realtime_ns : 0);
}

/* ---------------------------------------------------------------- families of findings */

struct found_now {
	uint64_t nr_findings[CT_NR_RULES][CT_GRADE_PROVEN + 1];
	uint64_t nr_members[CT_NR_RULES][CT_GRADE_PROVEN + 1];
};

static void count_findings(const struct ct_report *report, struct found_now *ret_now)
{
	const struct ct_finding *finding;
	uint32_t i;

	memset(ret_now, 0, sizeof(*ret_now));
	for (i = 0; report && i < report->nr_findings; i++) {
		finding = &report->findings[i];
		ret_now->nr_findings[finding->rule][finding->grade]++;
		ret_now->nr_members[finding->rule][finding->grade] += finding->nr_members;
	}
}

/* Each rule and grade has a sample even if it is 0, because an increase from a missing sample would not be seen. */
static void tell_of_rule(struct page *page, unsigned rule, unsigned grade, uint64_t count,
	const struct metrics_exemplar *exemplar)
{
	const struct metrics_label labels[] = {
		{"rule", ct_rule_name((enum ct_rule)rule)},
		{"grade", ct_grade_name((enum ct_grade)grade)},
	};

	metrics_sample(page->writer, labels, 2, (double)count, exemplar);
}

static void tell_by_rule(struct page *page, uint64_t counts[CT_NR_RULES][CT_GRADE_PROVEN + 1])
{
	unsigned rule, grade;

	for (rule = CT_RULE_NONE + 1; rule < CT_NR_RULES; rule++)
		for (grade = CT_GRADE_SUSPECT; grade <= CT_GRADE_PROVEN; grade++)
			tell_of_rule(page, rule, grade, counts[rule][grade], NULL);
}

static void tell_FINDINGS(struct page *page)
{
	struct found_now now;

	count_findings(page->report, &now);
	tell_by_rule(page, now.nr_findings);
}

static void tell_FINDING_COROUTINES(struct page *page)
{
	struct found_now now;

	count_findings(page->report, &now);
	tell_by_rule(page, now.nr_members);
}

static void tell_found(struct page *page, unsigned rule, unsigned grade)
{
	const struct metrics_found *found = &page->metrics->found[rule][grade];
	const struct ct_tables *tables = page->report ? page->report->tables : NULL;
	const struct metrics_exemplar exemplar = {
		.label = {"finding", found->address},
		.value = 1,
		.at = tables && tables->epoch_realtime_ns
			      ? ((double)tables->epoch_realtime_ns + (double)found->at) / 1e9
			      : 0,
	};

	tell_of_rule(page, rule, grade, found->count, *found->address ? &exemplar : NULL);
}

static void tell_FINDINGS_FOUND(struct page *page)
{
	unsigned rule, grade;

	for (rule = CT_RULE_NONE + 1; rule < CT_NR_RULES; rule++)
		for (grade = CT_GRADE_SUSPECT; grade <= CT_GRADE_PROVEN; grade++)
			tell_found(page, rule, grade);
}

/* ---------------------------------------------------------------- families of the program */

static void tell_worker(
	struct page *page, const struct ct_worker *worker, const struct ct_thread *thread)
{
	const struct {
		const char *activity;
		int64_t ns;
	} parts[] = {
		{"running", worker->running_ns},
		{"scheduling", worker->scheduling_ns},
		{"blocked", worker->blocked_ns},
		{"idle", worker->idle_ns},
	};
	double observed_ns = (double)(worker->until - worker->from);
	char tid[24];
	struct metrics_label labels[] = {{"thread", thread->name}, {"tid", tid}, {"activity", ""}};
	size_t i;

	snprintf(tid, sizeof(tid), "%llu", (unsigned long long)thread->tid);
	for (i = 0; observed_ns > 0 && i < sizeof(parts) / sizeof(parts[0]); i++) {
		labels[2].value = parts[i].activity;
		tell(page, labels, 3, (double)parts[i].ns / observed_ns);
	}
}

static const struct ct_thread *thread_of(const struct ct_report *report, uint32_t worker)
{
	uint32_t thread = report->statistics.workers[worker].thread;

	return thread < report->tables->nr_threads ? &report->tables->threads[thread] : NULL;
}

/* The kernel reuses the id of a thread that has ended; two samples with the same labels would be refused. */
static bool is_told(const struct ct_report *report, uint32_t worker, const struct ct_thread *thread)
{
	const struct ct_thread *other;
	uint32_t i;

	for (i = 0; i < worker; i++) {
		other = thread_of(report, i);
		if (other && other->tid == thread->tid && strcmp(other->name, thread->name) == 0)
			return true;
	}
	return false;
}

static void tell_WORKER_TIME(struct page *page)
{
	const struct ct_statistics *statistics = page->report ? &page->report->statistics : NULL;
	uint32_t count = statistics ? statistics->nr_workers : 0, i;
	const struct ct_thread *thread;

	for (i = 0; i < count && i < WORKERS_MAX; i++) {
		thread = thread_of(page->report, i);
		if (thread && !is_told(page->report, i, thread))
			tell_worker(page, &statistics->workers[i], thread);
		else
			page->nr_left_out[METRICS_FAMILY_WORKER_TIME]++;
	}
	page->nr_left_out[METRICS_FAMILY_WORKER_TIME] += count - i;
}

static void tell_PROGRAM_COUNTER(struct page *page)
{
	const struct ct_report *report = page->report;
	uint32_t count = report ? report->nr_counters : 0, i;
	struct metrics_label labels[2];
	char pid[24];

	for (i = 0; i < count && i < COUNTERS_MAX; i++) {
		snprintf(pid, sizeof(pid), "%llu",
			(unsigned long long)(report->counters[i].process <
							     report->tables->nr_processes
						     ? report->tables
							       ->processes[report->counters[i]
										   .process]
							       .pid
						     : 0));
		labels[0] = (struct metrics_label){"name", report->counters[i].name};
		labels[1] = (struct metrics_label){"pid", pid};
		tell(page, labels, 2, (double)report->counters[i].last);
	}
	page->nr_left_out[METRICS_FAMILY_PROGRAM_COUNTER] += count - i;
}

/* ---------------------------------------------------------------- families of the observation */

static void tell_EVENTS(struct page *page)
{
	const struct ct_record_now *now = page->given->now;

	tell_alone(page, (double)(now ? now->nr_events : page->metrics->nr_events));
}

static void tell_EVENTS_LOST(struct page *page)
{
	const struct ct_record_now *now = page->given->now;

	tell_alone(page, (double)(now ? now->nr_lost : page->metrics->nr_lost));
}

static void tell_EVENTS_LEFT_OUT(struct page *page)
{
	const struct ct_record_now *now = page->given->now;

	tell_alone(page, (double)(now ? now->nr_left_out : page->metrics->nr_left_out));
}

static void tell_JUDGED(struct page *page)
{
	const struct ct_quality *quality = page->report ? &page->report->quality : NULL;

	if (quality && quality->observed_from != CT_NO_TIME &&
		quality->observed_until != CT_NO_TIME)
		tell_alone(page,
			seconds((uint64_t)(quality->observed_until - quality->observed_from)));
}

static void tell_JUDGED_AGE(struct page *page)
{
	if (page->report && page->given->has_engine)
		tell_alone(page, seconds(page->given->judged_ago_ns));
}

static void tell_JUDGING(struct page *page)
{
	if (page->report && page->given->has_engine)
		tell_alone(page, seconds(page->given->judging_took_ns));
}

static void tell_UNJUDGED(struct page *page)
{
	tell_alone(page, seconds(page->metrics->unjudged_ns));
}

static void tell_ENGINE_CPU(struct page *page)
{
	struct rusage usage;

	if (!page->given->has_engine || getrusage(RUSAGE_SELF, &usage))
		return;
	tell_alone(page, (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
				 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
}

static void tell_ENGINE_MEMORY(struct page *page)
{
	unsigned long long resident = 0;
	FILE *file = page->given->has_engine ? fopen("/proc/self/statm", "re") : NULL;

	if (!file)
		return;
	if (fscanf(file, "%*u %llu", &resident) == 1)
		tell_alone(page, (double)resident * (double)sysconf(_SC_PAGESIZE));
	fclose(file);
}

static void tell_LEFT_OUT(struct page *page)
{
	tell_by(page, "metric", "corotracer_coroutines_waiting",
		(double)page->nr_left_out[METRICS_FAMILY_COROUTINES_WAITING]);
	tell_by(page, "metric", "corotracer_worker_time_ratio",
		(double)page->nr_left_out[METRICS_FAMILY_WORKER_TIME]);
	tell_by(page, "metric", "corotracer_program_counter",
		(double)page->nr_left_out[METRICS_FAMILY_PROGRAM_COUNTER]);
}

static void (*const tells[])(struct page *page) = {
#define M(NAME, type, name, meaning) tell_##NAME,
#include "corotracer/def/metric_families.def"
#undef M
};

static void tell_all(const struct metrics *metrics, const struct metrics_given *given,
	struct metrics_writer *writer)
{
	struct page page = {
		.metrics = metrics, .given = given, .report = given->report, .writer = writer};
	unsigned family;

	for (family = 0; family < METRICS_NR_FAMILIES; family++) {
		metrics_begin(writer, (enum metrics_family)family);
		tells[family](&page);
	}
	metrics_end(writer);
}

enum ct_status metrics_write(struct metrics *metrics, const struct metrics_given *given,
	enum ct_metrics_format format, struct text *text, struct ct_error *reterr)
{
	struct metrics_writer writer = {.text = text, .format = format};
	enum ct_status status = CT_OK;

	if ((unsigned)format >= CT_NR_METRICS_FORMATS)
		return ct_fail(reterr, CT_ERR_USAGE, "there is no such form of metrics");
	pthread_mutex_lock(&metrics->lock);
	if (given->view && given->generation > metrics->generation)
		status = metrics_add_up(metrics, given, reterr);
	if (status == CT_OK) {
		tell_all(metrics, given, &writer);
		status = text_status(text, reterr);
	}
	pthread_mutex_unlock(&metrics->lock);
	return status;
}
