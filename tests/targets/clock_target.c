/* SPDX-License-Identifier: MIT */
/*
 * Measures how far the times of events are from CLOCK_MONOTONIC.
 *
 *	clock_target write SECONDS	attaches; a thousand times a second writes an event between two readings of the
 *				clock, and another one that carries them
 *	clock_target check TRACE	prints, for the events of `write`: their number, by how many nanoseconds the
 *				worst of them lies outside its two readings, the median distance of these
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "corotracer/ct.h"
#include "corotracer/ctp_probe.h"
#include "need.h"

#define MILLISECOND_NS 1000000

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static int write_events(long seconds)
{
	const struct timespec pause = {0, MILLISECOND_NS};
	int64_t end = now_ns() + seconds * INT64_C(1000000000), before, after;

	NEED(ctp_attach());
	do {
		before = now_ns();
		ctp_emit(0, 0, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
		after = now_ns();
		ctp_emit((uint64_t)before, (uint64_t)after, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
		nanosleep(&pause, NULL);
	} while (after < end);
	return 0;
}

struct result {
	uint64_t nr_events;
	int64_t outside_ns;
	uint64_t widths[64]; /* how many pairs of readings were up to 2^n apart */
};

static void take_pair(struct result *result, int64_t time, int64_t before, int64_t after)
{
	int64_t outside = time < before ? before - time : time > after ? time - after : 0;
	unsigned width = 0;

	while ((INT64_C(1) << width) < after - before)
		width++;
	result->nr_events++;
	result->widths[width]++;
	if (outside > result->outside_ns)
		result->outside_ns = outside;
}

static uint64_t median_width(const struct result *result)
{
	uint64_t seen = 0;
	unsigned i;

	for (i = 0; i < 63 && (seen += result->widths[i]) * 2 < result->nr_events; i++)
		;
	return UINT64_C(1) << i;
}

static int check(const char *path)
{
	struct result result = {0};
	const struct ct_event *event;
	struct ct_trace *trace;
	struct ct_error error;
	int64_t epoch, time = 0;

	NEED(ct_trace_open(path, NULL, &trace, &error) == CT_OK);
	epoch = ct_trace_tables(trace)->epoch_monotonic_ns;
	while (ct_trace_next(trace, &event, &error) == CT_OK) {
		if (event->kind != CTP_KIND_COUNTER)
			continue;
		if (event->object == 0)
			time = event->time + epoch;
		else if (time)
			take_pair(&result, time, (int64_t)event->coro, (int64_t)event->object);
	}
	ct_trace_close(trace);
	printf("%" PRIu64 " %" PRId64 " %" PRIu64 "\n", result.nr_events, result.outside_ns,
		median_width(&result));
	return result.nr_events == 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "write") == 0)
		return write_events(strtol(argv[2], NULL, 10));
	return argc == 3 ? check(argv[2]) : 2;
}
