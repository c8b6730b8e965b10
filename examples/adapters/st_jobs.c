/* SPDX-License-Identifier: MIT */
/*
 * State Threads, traced by its adapter: workers wait for jobs, and move papers from one desk to another one.
 *
 * usage: example-st-jobs [cross | lose]
 *
 * cross: half of the workers take the two desks in the other order. Two of them soon hold one desk each, and wait for
 * the other one.
 *
 * lose: a worker that finds the office shut hangs up its coat, and then waits without another look. The office is
 * opened meanwhile, which is told to nobody.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corotracer/state_threads.h"

#define NR_WORKERS 20

struct office {
	st_cond_t opened;
	bool is_open;
	st_mutex_t desks[2];
	bool crosses;
	bool loses;
	int nr_moved;
};

static struct office office;

static void move_papers(st_mutex_t from, st_mutex_t to)
{
	st_mutex_lock(from);
	st_usleep(ST_UTIME_NO_WAIT);
	st_mutex_lock(to);
	office.nr_moved++;
	st_mutex_unlock(to);
	st_mutex_unlock(from);
}

/* Takes until the office is open. */
static void hang_up_coat(void)
{
	do
		st_usleep(ST_UTIME_NO_WAIT);
	while (!office.is_open);
}

static void await_opening(void)
{
	bool is_open = office.is_open;

	if (office.loses)
		hang_up_coat();
	while (!is_open) {
		st_cond_wait(office.opened);
		is_open = office.is_open;
	}
}

static void *work(void *argument)
{
	const int *number = argument;
	int from = office.crosses ? *number % 2 : 0;

	await_opening();
	move_papers(office.desks[from], office.desks[!from]);
	return NULL;
}

static void *open_office(void *argument)
{
	(void)argument;
	st_usleep(1000);
	office.is_open = true;
	st_cond_broadcast(office.opened);
	return NULL;
}

int main(int argc, char **argv)
{
	int numbers[NR_WORKERS];
	st_thread_t threads[NR_WORKERS + 1];
	int i;

	if (st_init() != 0)
		return EXIT_FAILURE;
	office.crosses = argc > 1 && strcmp(argv[1], "cross") == 0;
	office.loses = argc > 1 && strcmp(argv[1], "lose") == 0;
	office.opened = st_cond_new();
	office.desks[0] = st_mutex_new();
	office.desks[1] = st_mutex_new();
	for (i = 0; i < NR_WORKERS; i++) {
		numbers[i] = i;
		threads[i] = st_thread_create(work, &numbers[i], 1, 0);
	}
	threads[NR_WORKERS] = st_thread_create(open_office, NULL, 1, 0);
	for (i = 0; i <= NR_WORKERS; i++)
		st_thread_join(threads[i], NULL);
	printf("%d moved\n", office.nr_moved);
	return office.nr_moved == NR_WORKERS ? EXIT_SUCCESS : EXIT_FAILURE;
}
