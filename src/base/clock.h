/* SPDX-License-Identifier: MIT */
/*
 * The clocks of this machine, read by the engine: the same counter that targets read.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* One instant on three clocks. `uncertainty_ns`: the largest error of the instant. */
struct clock_reading {
	uint64_t counter; /* rdtsc or cntvct_el0 */
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
	uint64_t uncertainty_ns;
};

uint64_t clock_counter(void);
uint64_t clock_monotonic_ns(void);
uint64_t clock_realtime_ns(void);

/* clock_glance: makes one attempt, which may be interrupted: its uncertainty says so. */
void clock_glance(struct clock_reading *ret_reading);

/* clock_read: takes the best of a few attempts, so that a preemption between readings does no harm. */
void clock_read(struct clock_reading *ret_reading);

#endif
