/* SPDX-License-Identifier: MIT */
/*
 * Emits the events of a trace as tracepoints of LTTng-UST, which `./dev bench store` records in a session; prints the
 * cost of one event as JSON.
 *
 *	bench_ctf TRACE EVENTS
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ctf_event.h"
#include "workload.h"

static uint64_t spent_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void emit(const struct ct_batch *batch)
{
	size_t i;

	for (i = 0; i < batch->nr_records; i++)
		lttng_ust_tracepoint(corotracer, record, batch->records[i].coro,
			batch->records[i].object, batch->records[i].tail);
}

int main(int argc, char **argv)
{
	struct workload workload;
	uint64_t start;
	size_t i;

	if (argc != 3)
		return 2;
	workload_load(&workload, argv[1], (size_t)strtoull(argv[2], NULL, 10));
	start = spent_ns();
	for (i = 0; i < workload.steps.count; i++)
		emit(&workload.steps.at[i].batch);
	printf("{\"events\": %zu, \"write_ns_per_event\": %.2f}\n", workload.nr_events,
		(double)(spent_ns() - start) / (double)workload.nr_events);
	workload_fini(&workload);
	return 0;
}
