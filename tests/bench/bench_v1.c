/* SPDX-License-Identifier: MIT */
/*
 * What an event of version 1 costs in the target, at full speed, in rounds that take turns with the
 * machine's own floor: one reading of the clock and one slot with its release store, in memory of its own.
 * Run by tests/bench/run-v1 under the engine; the coroutines are served in turn, by one thread.
 *
 *	bench_v1 COROUTINES EVENTS ROUNDS [gettid]
 *
 * EVENTS is for all coroutines together, in each round. With `gettid` every event asks the kernel for the
 * thread's id, as probes in the field do. Prints one JSON object.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../../src/proto/version1.h"

#define ROUNDS_MAX 101

static struct version1_header *header;
static int engine = -1;
static uint64_t tid;
static bool asks_kernel;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int find_engine(void)
{
	const char *path = getenv("CTP_SHM_PATH"), *socket_path = getenv("CTP_SOCK_PATH");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct stat status;
	int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;

	if (file < 0 || !socket_path || fstat(file, &status))
		return 0;
	header = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	engine = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", socket_path);
	return header != MAP_FAILED &&
	       connect(engine, (const struct sockaddr *)&address, sizeof(address)) == 0;
}

static inline void fill(struct version1_slot *slot, uint64_t number)
{
	slot->timestamp = now();
	slot->tid = tid;
	slot->addr = number % 2 ? 0 : (uint64_t)(uintptr_t)slot;
	slot->is_active = number % 2;
	__atomic_store_n(&slot->seq, number + 1, __ATOMIC_RELEASE);
}

static inline void write_event(struct version1_station *station, uint64_t number)
{
	uint32_t asleep = 1;

	if (asks_kernel)
		tid = (uint64_t)syscall(SYS_gettid);
	fill(&station->slots[(number + 1) % VERSION1_SLOTS], number);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&header->tracer_sleeping, __ATOMIC_RELAXED) == 1 &&
		__atomic_compare_exchange_n(&header->tracer_sleeping, &asleep, 0, 0,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		(void)!send(engine, "1", 1, MSG_NOSIGNAL);
}

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
	uint64_t nr_coroutines, nr_each, i;
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
	stations = (struct version1_station *)(header + 1) +
		   __atomic_fetch_add(
			   &header->allocated_count, (uint32_t)nr_coroutines, __ATOMIC_SEQ_CST);
	for (i = 0; i < nr_coroutines; i++)
		stations[i].probe_id = i + 1, stations[i].birth_ts = now();
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
