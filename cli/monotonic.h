/* SPDX-License-Identifier: MIT */
#ifndef CLI_MONOTONIC_H
#define CLI_MONOTONIC_H

#include <stdint.h>
#include <time.h>

/* monotonic_ns: CLOCK_MONOTONIC in nanoseconds. */
static inline int64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

#endif
