/* SPDX-License-Identifier: MIT */
/* Moments are multiples of the period, so that a window that took long does not move those behind it. */
#include "sampling/schedule.h"

struct schedule schedule_begin(
	uint64_t now_ns, uint64_t every_ns, uint64_t for_ns, bool has_jitter, uint64_t chance)
{
	return (struct schedule){.begun_ns = now_ns,
		.every_ns = every_ns,
		.for_ns = for_ns,
		.has_jitter = has_jitter,
		.chance = chance | 1,
		.pace = 1};
}

/* A step of a xorshift generator, which is enough for a moment. */
static uint64_t offset_of(struct schedule *schedule)
{
	uint64_t room =
		schedule->every_ns > schedule->for_ns ? schedule->every_ns - schedule->for_ns : 0;

	if (!schedule->has_jitter || !room)
		return 0;
	schedule->chance ^= schedule->chance << 13;
	schedule->chance ^= schedule->chance >> 7;
	schedule->chance ^= schedule->chance << 17;
	return schedule->chance % room;
}

uint64_t schedule_next(struct schedule *schedule, uint64_t now_ns, uint64_t *ret_missed)
{
	uint64_t present = (now_ns - schedule->begun_ns) / schedule->every_ns;
	uint64_t due_ns,
		next = schedule->nr_periods ? schedule->nr_periods - 1 + schedule->pace : 0;

	*ret_missed = 0;
	/* The present period is over for this window only if it would have begun before. */
	if (present > next) {
		*ret_missed = present - next;
		next = present;
	}
	due_ns = schedule->begun_ns + next * schedule->every_ns + offset_of(schedule);
	schedule->nr_periods = next + 1;
	return due_ns > now_ns ? due_ns : now_ns;
}

void schedule_back_off(struct schedule *schedule)
{
	if (schedule->pace < SCHEDULE_SLOWEST)
		schedule->pace *= 2;
}

void schedule_speed_up(struct schedule *schedule)
{
	schedule->pace = 1;
}
