/* SPDX-License-Identifier: MIT */
/* Starting a thread with all signals blocked. */
#include <signal.h>

#include "base/thread.h"

int thread_start(pthread_t *ret_thread, void *(*function)(void *), void *context)
{
	sigset_t all, before;
	int problem;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	problem = pthread_create(ret_thread, NULL, function, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return problem;
}
