/* SPDX-License-Identifier: MIT */
/*
 * Compares a trace of tests/targets/publisher.c with what the publisher counted.
 *
 *	check_published TRACE COUNTERS THREADS [late]
 *
 * Each thread's events must be 1, 2, 3, ... without gaps, except losses that the trace counts, and every event that the
 * publisher counted must be there. With `late` the first event may have any number, and exactly the events that the
 * trace counts as lost are missing behind it. Prints one line; exits 0 if everything holds.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "corotracer/ct.h"

#define THREADS_MAX 64

struct tally {
	uint64_t last; /* number of the last event seen */
	uint64_t received;
	uint64_t missing; /* skipped numbers */
	uint64_t wrong;   /* events out of order, or seen twice */
};

static struct tally tallies[THREADS_MAX + 1];
static uint64_t told_lost;
static bool is_late;

static void take(const struct ct_event *event)
{
	struct tally *tally;

	if (event->kind == CTP_KIND_LOST)
		told_lost += event->object;
	if (event->kind != CTP_KIND_COUNTER || event->coro < 1 || event->coro > THREADS_MAX)
		return;
	tally = &tallies[event->coro];
	if (is_late && !tally->received)
		tally->last = event->object - 1;
	if (event->object <= tally->last) {
		tally->wrong++;
		return;
	}
	tally->received++;
	tally->missing += event->object - tally->last - 1;
	tally->last = event->object;
}

static bool read_counters(const char *path, uint64_t *counters, size_t nr_words)
{
	FILE *file = fopen(path, "rb");
	bool is_read = file && fread(counters, sizeof(*counters), nr_words, file) == nr_words;

	if (file)
		fclose(file);
	return is_read;
}

static int judge(const uint64_t *counters, unsigned long nr_threads)
{
	uint64_t published = 0, received = 0, missing = 0, wrong = 0, unseen = 0;
	unsigned long thread;
	bool is_short = false;

	for (thread = 1; thread <= nr_threads; thread++) {
		published += counters[thread];
		received += tallies[thread].received;
		missing += tallies[thread].missing;
		wrong += tallies[thread].wrong;
		if (tallies[thread].last < counters[thread])
			unseen += counters[thread] - tallies[thread].last;
		/* Events at the end may be missing only if the trace counts them as lost. */
		if (tallies[thread].last < counters[thread])
			is_short = counters[thread] - tallies[thread].last > told_lost - missing;
	}
	printf("published %" PRIu64 ", received %" PRIu64 ", lost and told %" PRIu64
	       ", skipped %" PRIu64 ", wrong %" PRIu64 "\n",
		published, received, told_lost, missing, wrong);
	if (is_late && unseen + missing != told_lost)
		return 1;
	return is_short || wrong || missing > told_lost;
}

int main(int argc, char **argv)
{
	uint64_t counters[THREADS_MAX + 1];
	const struct ct_tables *tables;
	const struct ct_event *event;
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status;
	unsigned long nr_threads;
	uint32_t i;

	is_late = argc == 5;
	if (argc != 4 && !is_late)
		return 2;
	nr_threads = strtoul(argv[3], NULL, 10);
	if (nr_threads > THREADS_MAX || !read_counters(argv[2], counters, 1 + nr_threads))
		return 2;
	if (ct_trace_open(argv[1], NULL, &trace, &error)) {
		fprintf(stderr, "check_published: %s\n", error.text);
		return 1;
	}
	while ((status = ct_trace_next(trace, &event, &error)) == CT_OK)
		take(event);
	tables = ct_trace_tables(trace);
	for (i = 0; i < tables->nr_losses; i++)
		if (tables->losses[i].reason != CTP_LOSS_BEFORE)
			told_lost += tables->losses[i].count;
	if (status != CT_END)
		fprintf(stderr, "check_published: %s\n", error.text);
	ct_trace_close(trace);
	return status != CT_END || judge(counters, nr_threads);
}
