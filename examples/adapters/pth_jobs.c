/* SPDX-License-Identifier: MIT */
/*
 * GNU Pth, traced by its adapter: workers wait for jobs, and move papers from one desk to another one.
 *
 * usage: example-pth-jobs [cross | lose]
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

#include "corotracer/pth.h"

#define NR_WORKERS 20

struct office {
	pth_mutex_t lock;
	pth_cond_t opened;
	bool is_open;
	pth_mutex_t desks[2];
	bool crosses;
	bool loses;
	int nr_moved;
};

static struct office office = {
	PTH_MUTEX_INIT, PTH_COND_INIT, false, {PTH_MUTEX_INIT, PTH_MUTEX_INIT}, false, false, 0};

static void move_papers(pth_mutex_t *from, pth_mutex_t *to)
{
	pth_mutex_acquire(from, FALSE, NULL);
	pth_yield(NULL);
	pth_mutex_acquire(to, FALSE, NULL);
	office.nr_moved++;
	pth_mutex_release(to);
	pth_mutex_release(from);
}

/* Takes until the office is open. */
static void hang_up_coat(void)
{
	do
		pth_yield(NULL);
	while (!office.is_open);
}

static void await_opening(void)
{
	bool is_open = office.is_open;

	if (office.loses)
		hang_up_coat();
	pth_mutex_acquire(&office.lock, FALSE, NULL);
	while (!is_open) {
		pth_cond_await(&office.opened, &office.lock, NULL);
		is_open = office.is_open;
	}
	pth_mutex_release(&office.lock);
}

static void *work(void *argument)
{
	const int *number = argument;
	int from = office.crosses ? *number % 2 : 0;

	await_opening();
	move_papers(&office.desks[from], &office.desks[!from]);
	return NULL;
}

static void *open_office(void *argument)
{
	(void)argument;
	pth_usleep(1000);
	pth_mutex_acquire(&office.lock, FALSE, NULL);
	office.is_open = true;
	pth_cond_notify(&office.opened, TRUE);
	pth_mutex_release(&office.lock);
	return NULL;
}

int main(int argc, char **argv)
{
	int numbers[NR_WORKERS];
	pth_t threads[NR_WORKERS + 1];
	int i;

	if (!pth_init())
		return EXIT_FAILURE;
	office.crosses = argc > 1 && strcmp(argv[1], "cross") == 0;
	office.loses = argc > 1 && strcmp(argv[1], "lose") == 0;
	for (i = 0; i < NR_WORKERS; i++) {
		numbers[i] = i;
		threads[i] = pth_spawn(PTH_ATTR_DEFAULT, work, &numbers[i]);
	}
	threads[NR_WORKERS] = pth_spawn(PTH_ATTR_DEFAULT, open_office, NULL);
	for (i = 0; i <= NR_WORKERS; i++)
		pth_join(threads[i], NULL);
	printf("%d moved\n", office.nr_moved);
	return office.nr_moved == NR_WORKERS ? EXIT_SUCCESS : EXIT_FAILURE;
}
