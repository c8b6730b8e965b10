/* SPDX-License-Identifier: MIT */
/*
 * Calls of a function that does nothing, compiled with -pg and run by other_tracers.py under uftrace, which writes an
 * event at each entry and each return.
 *
 *	other_uftrace CALLS ROUNDS
 *
 * Prints the cost of one call in nanoseconds of the thread's CPU time: the median over the rounds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long sum;

__attribute__((noinline)) static void called(unsigned long number)
{
	sum += number;
	__asm__ volatile("" ::: "memory");
}

__attribute__((no_instrument_function)) static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

__attribute__((no_instrument_function)) static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	unsigned long nr_calls = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, i;
	unsigned long nr_rounds = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, round;
	double *costs = calloc(nr_rounds + 1, sizeof(*costs)), begin;

	if (!costs || nr_calls == 0 || nr_rounds == 0)
		return 2;
	for (round = 0; round < nr_rounds; round++) {
		begin = now_ns();
		for (i = 0; i < nr_calls; i++)
			called(i);
		costs[round] = (now_ns() - begin) / (double)nr_calls;
	}
	qsort(costs, nr_rounds, sizeof(*costs), compare);
	fprintf(stderr, "%.2f\n", costs[nr_rounds / 2]);
	free(costs);
	return 0;
}
