/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <unistd.h>

extern void called_from_c(int number);
void run_threads(int nr_threads);
void nap(void);

static void *thread(void *argument)
{
	int i;

	for (i = 0; i < 5; i++)
		called_from_c(i);
	return argument;
}

/* Threads that were not made by Go call into Go, several times, and end. */
void run_threads(int nr_threads)
{
	pthread_t threads[16];
	int i;

	for (i = 0; i < nr_threads; i++)
		pthread_create(&threads[i], 0, thread, 0);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], 0);
}

void nap(void)
{
	usleep(200);
}
