/* SPDX-License-Identifier: MIT */
/*
 * A target that publishes numbered events as fast as it can, on several threads, and counts what it has
 * published in a file of its own, which outlives it. The program never ends by itself: a test kills it.
 *
 *	publisher COUNTERS THREADS PAUSE
 *
 * COUNTERS is a file of 1 + THREADS 64-bit words: the process id, then for each thread the number of
 * the last event that was published before the word was stored. Thread t writes counter events with
 * coroutine t and the object 1, 2, 3, ...; PAUSE empty rounds lie between two of them.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"

#define THREADS_MAX 64

static uint64_t *counters;
static unsigned long pause_rounds;

static void *publish(void *argument)
{
	uint64_t thread = (uint64_t)(uintptr_t)argument;
	uint64_t number;
	unsigned long round;

	for (number = 1;; number++) {
		ctp_emit(thread, number, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
		__atomic_store_n(&counters[thread], number, __ATOMIC_RELEASE);
		for (round = 0; round < pause_rounds; round++)
			__asm__ volatile("" ::: "memory");
	}
	return NULL;
}

static uint64_t *map_counters(const char *path, size_t nr_words)
{
	size_t nr_bytes = nr_words * sizeof(uint64_t);
	int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	void *mapped;

	if (descriptor < 0 || ftruncate(descriptor, (off_t)nr_bytes) < 0)
		return NULL;
	mapped = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	close(descriptor);
	return mapped == MAP_FAILED ? NULL : mapped;
}

int main(int argc, char **argv)
{
	unsigned long nr_threads, thread;
	pthread_t id;

	if (argc != 4)
		return 2;
	nr_threads = strtoul(argv[2], NULL, 10);
	pause_rounds = strtoul(argv[3], NULL, 10);
	counters = map_counters(argv[1], 1 + nr_threads);
	if (nr_threads < 1 || nr_threads > THREADS_MAX || !counters || !ctp_attach()) {
		fprintf(stderr, "publisher: cannot start\n");
		return 1;
	}
	for (thread = 2; thread <= nr_threads; thread++) {
		if (pthread_create(&id, NULL, publish, (void *)(uintptr_t)thread))
			return 1;
	}
	__atomic_store_n(&counters[0], (uint64_t)getpid(), __ATOMIC_RELEASE);
	publish((void *)(uintptr_t)1);
	return 0;
}
