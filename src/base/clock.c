/* SPDX-License-Identifier: MIT */
/*
 * The clocks of this machine.
 */
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/clock.h"

#define ATTEMPTS 8

uint64_t clock_counter(void)
{
#if defined(__x86_64__)
	return __rdtsc();
#else
	uint64_t counter;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(counter));
	return counter;
#endif
}

static uint64_t clock_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return clock_of(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_ns(void)
{
	return clock_of(CLOCK_REALTIME);
}

/* The counter is read between two readings of the clock: half their distance is its largest possible error. */
void clock_glance(struct clock_reading *ret_reading)
{
	uint64_t before = clock_monotonic_ns();
	uint64_t counter = clock_counter();
	uint64_t after = clock_monotonic_ns();

	ret_reading->counter = counter;
	ret_reading->monotonic_ns = before + (after - before) / 2;
	ret_reading->uncertainty_ns = (after - before + 1) / 2;
	ret_reading->realtime_ns = clock_realtime_ns();
}

void clock_read(struct clock_reading *ret_reading)
{
	struct clock_reading attempt;
	int i;

	clock_glance(ret_reading);
	for (i = 1; i < ATTEMPTS; i++) {
		clock_glance(&attempt);
		if (attempt.uncertainty_ns < ret_reading->uncertainty_ns)
			*ret_reading = attempt;
	}
}
