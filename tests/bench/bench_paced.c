/* SPDX-License-Identifier: MIT */
/*
 * The target of `./dev bench paced`: threads that write events at a given rate, or as fast as they can, and
 * count what they wrote.
 *
 *	bench_paced THREADS RATE SECONDS
 *
 * Each thread resumes and suspends 100 coroutines in turn, as a scheduler does. RATE is events a second and thread, 0:
 * as many as it can. Between batches of 64 events a thread busy-waits until the next batch is due; batches that it
 * missed while it was off the processor are not made up for. Prints one JSON object: the number of events given to the
 * probe, the time that this took, the CPU seconds of the program and of its parent, the engine, in that time, and the
 * machine's floor in the same run: one reading of the counter and one record with its release store.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"

#define BATCH 64u
#define COROS 100u
#define THREADS_MAX 64
#define FLOOR_RECORDS 4096u
#define FLOOR_BATCHES 4096u

static uint64_t begin_ns, end_ns;
static uint64_t interval_ns; /* between two batches; 0: none */
static uint64_t emitted[THREADS_MAX];

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void make_coros(uint64_t *coros)
{
	unsigned i;

	for (i = 0; i < COROS; i++) {
		coros[i] = ctp_coro_new();
		ctp_create(coros[i], i, CTP_SITE("coroutine"));
	}
}

/* Two events for each. */
static void write_batch(const uint64_t *coros, uint64_t first)
{
	unsigned i;

	for (i = 0; i < BATCH / 2; i++) {
		uint64_t coro = coros[(first / 2 + i) % COROS];

		ctp_resume(coro, CTP_POINT_YIELD);
		ctp_suspend(coro, 0, CTP_SITE("yield"), CTP_POINT_YIELD);
	}
}

/* Returns when the batch after the one due at `due` is due. */
static uint64_t wait_for_next(uint64_t due)
{
	uint64_t now = now_ns();

	while (now < due + interval_ns)
		now = now_ns();
	return now < due + 2 * interval_ns ? due + interval_ns : now;
}

static void *write_events(void *argument)
{
	uint64_t thread = (uint64_t)(uintptr_t)argument;
	uint64_t coros[COROS], number = 0, due = now_ns();

	make_coros(coros);
	while (due < end_ns) {
		write_batch(coros, number);
		number += BATCH;
		due = wait_for_next(due);
	}
	emitted[thread] = COROS + number;
	return NULL;
}

static double floor_round(struct ctp_record *records, uint64_t *head)
{
	uint64_t begin = now_ns(), i;

	for (i = 0; i < BATCH * 16; i++) {
		struct ctp_record *record = &records[i % FLOOR_RECORDS];

		record->time = ctp_time(CTP_CLOCK_COUNTER);
		record->coro = i;
		record->object = i;
		record->tail = i;
		ctp_store_release(head, i);
	}
	return (double)(now_ns() - begin) / (BATCH * 16);
}

/* The minimum of many short rounds, which was not disturbed. */
static double measure_floor(void)
{
	static struct ctp_record records[FLOOR_RECORDS];
	static uint64_t head;
	double least = 1e9, one;
	unsigned i;

	for (i = 0; i < FLOOR_BATCHES; i++) {
		one = floor_round(records, &head);
		least = one < least ? one : least;
	}
	return least;
}

/* The sum over all threads of a process, including those that have ended. */
static double cpu_seconds(pid_t pid)
{
	struct timespec used = {0, 0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &used);
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static void run_threads(unsigned long nr_threads)
{
	pthread_t threads[THREADS_MAX];
	unsigned long i;

	for (i = 1; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, write_events, (void *)(uintptr_t)i))
			exit(1);
	write_events(NULL);
	for (i = 1; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	unsigned long nr_threads = argc == 4 ? strtoul(argv[1], NULL, 10) : 0, i;
	double rate = argc == 4 ? strtod(argv[2], NULL) : 0;
	double floor_ns, own_before, engine_before;
	uint64_t sum = 0;

	if (nr_threads < 1 || nr_threads > THREADS_MAX)
		return 2;
	floor_ns = measure_floor();
	ctp_attach();
	interval_ns = rate > 0 ? (uint64_t)(BATCH * 1e9 / rate) : 0;
	own_before = cpu_seconds(0);
	engine_before = cpu_seconds(getppid());
	begin_ns = now_ns();
	end_ns = begin_ns + (uint64_t)(strtod(argv[3], NULL) * 1e9);
	run_threads(nr_threads);
	for (i = 0; i < nr_threads; i++)
		sum += emitted[i];
	printf("{\"threads\": %lu, \"emitted\": %" PRIu64 ", \"seconds\": %.4f, ", nr_threads, sum,
		(double)(now_ns() - begin_ns) / 1e9);
	printf("\"cpu_seconds\": %.4f, \"engine_cpu_seconds\": %.4f, ", cpu_seconds(0) - own_before,
		cpu_seconds(getppid()) - engine_before);
	printf("\"floor_ns\": %.2f, \"attached\": %s}\n", floor_ns,
		ctp_is_attached() ? "true" : "false");
	return 0;
}
