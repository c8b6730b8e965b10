/* SPDX-License-Identifier: MIT */
/*
 * What an event of version 1 costs in the target at full speed. Rounds alternate with rounds of the machine's floor:
 * one reading of the clock and one slot with its release store, in memory of its own. Run by tests/bench/run-v1 under
 * the engine; the coroutines are served in turn, by one thread.
 *
 *	bench_v1 COROUTINES EVENTS ROUNDS [gettid]
 *
 * EVENTS is for all coroutines together, in each round. With `gettid` every event asks the kernel for the
 * thread's id, as probes in the field do. Prints one JSON object.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "version1_write.h"

#define ROUNDS_MAX 101

static double write_round(
	struct version1_station *stations, uint64_t nr_coroutines, uint64_t first, uint64_t nr_each)
{
	uint64_t begin = now(), number, i;

	for (number = first; number < first + nr_each; number++)
		for (i = 0; i < nr_coroutines; i++)
			write_event(&stations[i], number);
	return (double)(now() - begin) / (double)(nr_each * nr_coroutines);
}

static double floor_round(
	struct version1_station *stations, uint64_t nr_coroutines, uint64_t nr_each)
{
	uint64_t begin = now(), number, i;

	for (number = 0; number < nr_each; number++)
		for (i = 0; i < nr_coroutines; i++)
			fill(&stations[i].slots[(number + 1) % VERSION1_SLOTS], number);
	return (double)(now() - begin) / (double)(nr_each * nr_coroutines);
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

int main(int argc, char **argv)
{
	double cost[ROUNDS_MAX], least[ROUNDS_MAX];
	uint64_t nr_coroutines, nr_each;
	struct version1_station *stations, *own;
	size_t nr_rounds, round;

	asks_kernel = argc == 5 && strcmp(argv[4], "gettid") == 0;
	if (argc != 4 + asks_kernel || !find_engine())
		return 2;
	nr_coroutines = strtoull(argv[1], NULL, 10);
	nr_each = strtoull(argv[2], NULL, 10) / nr_coroutines;
	nr_rounds = strtoull(argv[3], NULL, 10);
	if (nr_rounds > ROUNDS_MAX)
		return 2;
	tid = (uint64_t)syscall(SYS_gettid);
	own = aligned_alloc(64, nr_coroutines * sizeof(*own));
	if (!own)
		return 2;
	memset(own, 0, nr_coroutines * sizeof(*own));
	stations = take_stations(nr_coroutines);
	for (round = 0; round < nr_rounds; round++) {
		least[round] = floor_round(own, nr_coroutines, nr_each);
		cost[round] = write_round(stations, nr_coroutines, round * nr_each, nr_each);
	}
	printf("{\"coroutines\": %llu, \"events\": %llu, \"event_ns\": %.1f, \"floor_ns\": %.1f}\n",
		(unsigned long long)nr_coroutines,
		(unsigned long long)(nr_coroutines * nr_each * nr_rounds), median(cost, nr_rounds),
		median(least, nr_rounds));
	return 0;
}
