/* SPDX-License-Identifier: MIT */
#include "top/endings.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "top/threads.h"

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define NR_ENDING (sizeof(ending) / sizeof(ending[0]))

static struct sigaction before[NR_ENDING];
static volatile sig_atomic_t caught;
static int caught_descriptor = -1;

static void on_signal(int number)
{
	int kept = errno;

	caught = number;
	(void)!write(caught_descriptor, &(uint64_t){1}, sizeof(uint64_t));
	errno = kept;
}

enum ct_status top_endings_catch(struct ct_error *reterr)
{
	struct sigaction action = {.sa_handler = on_signal};
	size_t i;

	caught = 0;
	caught_descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (caught_descriptor < 0)
		return top_fail(reterr, errno, "preparing for signals");
	for (i = 0; i < NR_ENDING; i++) {
		sigaction(ending[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(ending[i], &action, NULL);
	}
	return CT_OK;
}

int top_endings_release(void)
{
	size_t i;

	for (i = 0; i < NR_ENDING; i++)
		sigaction(ending[i], &before[i], NULL);
	close(caught_descriptor);
	caught_descriptor = -1;
	return caught;
}

bool top_endings_caught(void)
{
	return caught != 0;
}

int top_endings_descriptor(void)
{
	return caught_descriptor;
}
