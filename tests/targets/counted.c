/* SPDX-License-Identifier: MIT */
/*
 * A target that writes a known number of events while its engine is stopped, so that its rings fill.
 *
 *	counted THREADS EVENTS
 *
 * Waits until the engine has given its orders, stops it, writes EVENTS counter events on each of THREADS
 * threads (coroutine: the thread's number; object: 1, 2, 3, ...), and lets the engine go on.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"
#include "need.h"

#define THREADS_MAX 64

static uint64_t nr_events;

static void *write_events(void *argument)
{
	uint64_t thread = (uint64_t)(uintptr_t)argument, number;

	for (number = 1; number <= nr_events; number++)
		ctp_emit(thread, number, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
	return NULL;
}

/* The state of the engine's main thread, which reads the rings: "pid (name) T ...". */
static bool is_stopped(pid_t pid)
{
	char path[32], text[256] = "";
	const char *behind_name;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	NEED(file >= 0 && read(file, text, sizeof(text) - 1) > 0);
	close(file);
	behind_name = strrchr(text, ')');
	return behind_name && behind_name[1] == ' ' && behind_name[2] == 'T';
}

static void stop_engine(void)
{
	while (ctp_load_relaxed(&ctp_orders_page.orders.engine_pid) == 0)
		sched_yield();
	NEED(kill(getppid(), SIGSTOP) == 0);
	while (!is_stopped(getppid()))
		sched_yield();
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	unsigned long nr_threads, i;

	NEED(argc == 3);
	nr_threads = strtoul(argv[1], NULL, 10);
	nr_events = strtoull(argv[2], NULL, 10);
	NEED(nr_threads >= 1 && nr_threads <= THREADS_MAX && ctp_attach());
	stop_engine();
	for (i = 0; i < nr_threads; i++)
		NEED(pthread_create(&threads[i], NULL, write_events, (void *)(uintptr_t)(i + 1)) ==
			0);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	NEED(kill(getppid(), SIGCONT) == 0);
	return 0;
}
