/* SPDX-License-Identifier: MIT */
/*
 * An event of LTTng-UST with the same words as one of our events; compiled and run by other_tracers.py.
 *
 *	other_lttng EVENTS ROUNDS
 *
 * Prints the cost of one event in nanoseconds of the thread's CPU time: the median over the rounds.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "other_lttng.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	unsigned long nr_events = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, i;
	unsigned long nr_rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, round;
	double *costs = calloc(nr_rounds + 1, sizeof(*costs)), begin;

	if (!costs || nr_events == 0 || nr_rounds == 0)
		return 2;
	for (round = 0; round < nr_rounds; round++) {
		begin = now_ns();
		for (i = 0; i < nr_events; i++)
			lttng_ust_tracepoint(corotracer_bench, event, i, i + 1, 7);
		costs[round] = (now_ns() - begin) / (double)nr_events;
	}
	qsort(costs, nr_rounds, sizeof(*costs), compare);
	printf("%.2f\n", costs[nr_rounds / 2]);
	free(costs);
	return 0;
}
