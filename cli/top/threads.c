/* SPDX-License-Identifier: MIT */
/*
 * Threads of the screens.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "top/threads.h"

enum ct_status top_fail(struct ct_error *reterr, int number, const char *what)
{
	*reterr = (struct ct_error){.status = CT_ERR_SYSTEM, .system_errno = number};
	snprintf(reterr->text, sizeof(reterr->text), "%s: %s", what, strerror(number));
	return CT_ERR_SYSTEM;
}

enum ct_status top_thread_start(
	pthread_t *ret_thread, void *(*function)(void *), void *context, struct ct_error *reterr)
{
	sigset_t all, before;
	int trouble;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	trouble = pthread_create(ret_thread, NULL, function, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return trouble ? top_fail(reterr, trouble, "starting a thread") : CT_OK;
}

uint64_t top_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}
