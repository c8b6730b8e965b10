/* SPDX-License-Identifier: MIT */
/*
 * Two coroutines wait for each other's lock; they were started at a function that is known by its address. The program
 * prints "ready", and runs until its input ends.
 */
#include <stdio.h>

#include "corotracer/ctp_probe.h"

static void take_then_wait(uint64_t coro, uint64_t own, uint64_t other)
{
	ctp_create(coro, 0,
		ctp_site_address((const void *)(uintptr_t)take_then_wait, CTP_SITE_FUNCTION));
	ctp_resume(coro, CTP_POINT_INITIAL);
	ctp_acquire(coro, CTP_HANDLE(CTP_RESOURCE_LOCK, own), CTP_SITE("take"));
	ctp_suspend(coro, CTP_HANDLE(CTP_RESOURCE_LOCK, other), CTP_SITE("take the other one"),
		CTP_POINT_AWAIT);
}

int main(void)
{
	ctp_attach(); /* a refused program runs on untraced */
	take_then_wait(ctp_coro_new(), 1, 2);
	take_then_wait(ctp_coro_new(), 2, 1);
	printf("ready\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	return 0;
}
