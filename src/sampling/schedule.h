/* SPDX-License-Identifier: MIT */
/*
 * When a program's next window begins: once in each period, which begin when the sampling of the program did. With
 * jitter a window begins at a random moment of its period, so that many programs are not recorded in step.
 */
#ifndef SAMPLING_SCHEDULE_H
#define SAMPLING_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_SLOWEST 8u /* under load a window is taken in one period of so many at least */

struct schedule {
	uint64_t begun_ns;
	uint64_t every_ns;
	uint64_t for_ns;
	bool has_jitter;
	uint64_t chance;
	uint64_t nr_periods; /* that were begun */
	unsigned pace;       /* a window in so many periods; 1: in each */
};

/* schedule_begin: the first window is due at once, or with jitter within the first period. */
struct schedule schedule_begin(
	uint64_t now_ns, uint64_t every_ns, uint64_t for_ns, bool has_jitter, uint64_t chance);

/*
 * schedule_next: returns when the next window is due, never before now_ns. Periods that have passed meanwhile are
 * counted in *ret_missed.
 */
uint64_t schedule_next(struct schedule *schedule, uint64_t now_ns, uint64_t *ret_missed);

/* schedule_back_off: the machine is busy, so windows become half as frequent. schedule_speed_up: it is not any more. */
void schedule_back_off(struct schedule *schedule);
void schedule_speed_up(struct schedule *schedule);

#endif
