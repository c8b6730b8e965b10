/* SPDX-License-Identifier: MIT */
/*
 * A coroutine locks a mutex of the C library and is suspended with it; another one waits for that mutex on a thread of
 * its own. Prints the kernel ids of both threads as a line of JSON, and ends when its input does.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"
#include "need.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier; /* the mutex is held, and by a coroutine that waits */
static pid_t holder;

static void begin(uint64_t coro)
{
	ctp_create(coro, 0, CTP_SITE("start"));
	ctp_resume(coro, CTP_POINT_INITIAL);
}

static void *hold(void *unused)
{
	uint64_t coro = ctp_coro_new();

	begin(coro);
	holder = gettid();
	pthread_mutex_lock(&mutex);
	ctp_suspend(coro, 0, CTP_SITE("wait with the mutex"), CTP_POINT_AWAIT);
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return unused;
}

static void *wait_for_it(void *unused)
{
	begin(ctp_coro_new());
	printf("{\"holder\": %d, \"waiter\": %d}\n", (int)holder, (int)gettid());
	fflush(stdout);
	pthread_mutex_lock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t holding, waiting;

	ctp_attach();
	NEED(pthread_barrier_init(&barrier, NULL, 2) == 0);
	NEED(pthread_create(&holding, NULL, hold, NULL) == 0);
	pthread_barrier_wait(&barrier);
	NEED(pthread_create(&waiting, NULL, wait_for_it, NULL) == 0);
	while (getchar() != EOF)
		;
	return 0;
}
