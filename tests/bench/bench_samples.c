/* SPDX-License-Identifier: MIT */
/*
 * What it costs a thread that the kernel samples where it runs: work for each second of its processor time, in slices
 * with a perf event and slices without, in turns. One loop computes; others hand a byte to a second thread and back:
 * about as often as the engine still samples, and as often as threads can, which the engine does not sample.
 *
 *	bench_samples HZ PAIRS
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel/perf_thread.h"

#define SLICE_NS 40000000
#define THREADS 2u

struct loop {
	const char *name;
	void *(*body[THREADS])(void *); /* NULL: it has one thread */
};

static atomic_ulong nr_done;
static atomic_int tids[THREADS];
static atomic_bool is_over;
static int there[2], back[2];
static volatile unsigned long result;

static void *compute(void *argument)
{
	unsigned long state = 1;
	int i;

	(void)argument;
	atomic_store(&tids[0], (int)syscall(SYS_gettid));
	while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
		for (i = 0; i < 1000; i++)
			state = state * 6364136223846793005u + 1442695040888963407u;
		result = state;
		atomic_fetch_add_explicit(&nr_done, 1, memory_order_relaxed);
	}
	return NULL;
}

static void *ask(void *argument)
{
	char byte = 'a';

	(void)argument;
	atomic_store(&tids[0], (int)syscall(SYS_gettid));
	while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			abort();
		atomic_fetch_add_explicit(&nr_done, 1, memory_order_relaxed);
	}
	close(there[1]);
	return NULL;
}

/* Near the bound above which threads are left alone: computes for half a millisecond before it asks. */
static void *ask_at_times(void *argument)
{
	unsigned long state = 1;
	char byte = 'a';
	int i;

	(void)argument;
	atomic_store(&tids[0], (int)syscall(SYS_gettid));
	while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
		for (i = 0; i < 500000; i++)
			state = state * 6364136223846793005u + 1442695040888963407u;
		result = state;
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			abort();
		atomic_fetch_add_explicit(&nr_done, 1, memory_order_relaxed);
	}
	close(there[1]);
	return NULL;
}

static void *answer(void *argument)
{
	char byte;

	(void)argument;
	atomic_store(&tids[1], (int)syscall(SYS_gettid));
	while (read(there[0], &byte, 1) == 1)
		if (write(back[1], &byte, 1) != 1)
			abort();
	return NULL;
}

static unsigned long long cpu_ns(const pthread_t *threads, unsigned count)
{
	unsigned long long sum = 0;
	struct timespec time;
	clockid_t clock;
	unsigned i;

	for (i = 0; i < count; i++) {
		if (pthread_getcpuclockid(threads[i], &clock) || clock_gettime(clock, &time))
			abort();
		sum += (unsigned long long)time.tv_sec * 1000000000u +
		       (unsigned long long)time.tv_nsec;
	}
	return sum;
}

/* Work for each second of processor time, in one slice. */
static double slice(const pthread_t *threads, unsigned count, unsigned hz)
{
	struct perf_thread watches[THREADS] = {0};
	const struct timespec pause = {0, SLICE_NS};
	unsigned long long ns;
	unsigned long done;
	unsigned i;

	for (i = 0; hz && i < count; i++)
		if (!perf_thread_open(&watches[i], atomic_load(&tids[i]), hz, true)) {
			perror("perf_event_open");
			exit(1);
		}
	ns = cpu_ns(threads, count);
	done = atomic_load(&nr_done);
	nanosleep(&pause, NULL);
	done = atomic_load(&nr_done) - done;
	ns = cpu_ns(threads, count) - ns;
	for (i = 0; i < count; i++)
		perf_thread_close(&watches[i]);
	return (double)done * 1e9 / (double)ns;
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return a < b ? -1 : a > b;
}

static void measure(const struct loop *loop, unsigned hz, unsigned nr_pairs)
{
	double *ratios = calloc(nr_pairs, sizeof(*ratios)), with = 0, without = 0;
	unsigned count = loop->body[1] ? 2 : 1, i;
	pthread_t threads[THREADS];

	if (!ratios || pipe(there) || pipe(back))
		exit(1);
	atomic_store(&is_over, false);
	for (i = 0; i < count; i++) {
		atomic_store(&tids[i], 0);
		pthread_create(&threads[i], NULL, loop->body[i], NULL);
		while (!atomic_load(&tids[i]))
			sched_yield();
	}
	for (i = 0; i < nr_pairs; i++) {
		with = i % 2 ? slice(threads, count, hz) : 0;
		without = slice(threads, count, 0);
		with = i % 2 ? with : slice(threads, count, hz);
		ratios[i] = with / without;
	}
	atomic_store(&is_over, true);
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	qsort(ratios, nr_pairs, sizeof(*ratios), compare);
	printf("{\"loop\": \"%s\", \"hz\": %u, \"pairs\": %u, \"per_cpu_second\": %.0f, \"ratio\": "
	       "%.4f, "
	       "\"quartiles\": [%.4f, %.4f]}\n",
		loop->name, hz, nr_pairs, without, ratios[nr_pairs / 2], ratios[nr_pairs / 4],
		ratios[nr_pairs * 3 / 4]);
	free(ratios);
}

int main(int argc, char **argv)
{
	static const struct loop loops[] = {
		{"compute", {compute, NULL}},
		{"2,000 turns a second", {ask_at_times, answer}},
		{"switches", {ask, answer}},
	};
	size_t i;

	if (argc < 3)
		return 2;
	for (i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		measure(&loops[i], (unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]));
	return 0;
}
