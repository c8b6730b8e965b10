/* SPDX-License-Identifier: MIT */
/*
 * The clock of a page: what a browser tells of the time. There is no counter to read.
 */
#include <time.h>

#include "base/clock.h"

uint64_t clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}
