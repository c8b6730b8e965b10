/* SPDX-License-Identifier: MIT */
/*
 * How a probe of version 1 finds its engine and writes an event, by the description of that version; for benchmarks
 * that compare with it. One thread writes.
 */
#ifndef BENCH_VERSION1_WRITE_H
#define BENCH_VERSION1_WRITE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "../../src/version1/version1.h"

static struct version1_header *header;
static int engine = -1;
static uint64_t tid;
static bool asks_kernel; /* asks for the thread's id at every event, as probes in the field do */

static inline uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* find_engine: returns 0 if there is no engine. */
static inline int find_engine(void)
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

/* take_stations: takes one station for each coroutine, which begins now. */
static inline struct version1_station *take_stations(uint64_t nr_coroutines)
{
	struct version1_station *stations = (struct version1_station *)(header + 1) +
					    __atomic_fetch_add(&header->allocated_count,
						    (uint32_t)nr_coroutines, __ATOMIC_SEQ_CST);
	uint64_t i;

	for (i = 0; i < nr_coroutines; i++)
		stations[i].probe_id = i + 1, stations[i].birth_ts = now();
	return stations;
}

#endif
