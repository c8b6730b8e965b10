/* SPDX-License-Identifier: MIT */
/*
 * Which readings of the clocks are worth keeping.
 *
 * Between two readings time is interpolated by a line (timeline.h). The line is right as long as CLOCK_MONOTONIC runs
 * at one rate against the counter; but that clock is slewed, by up to 500 parts in a million, from one instant to the
 * next: a reading a second would err by 125 microseconds where that begins. So the engine looks at the clocks at every
 * look, and keeps two more readings where the line through the ones before no longer holds: the last that lay on it,
 * and the first that does not.
 */
#ifndef BASE_CLOCK_LINE_H
#define BASE_CLOCK_LINE_H

#include <stdbool.h>

#include "base/clock.h"

/* Zeroed is a line without readings. */
struct clock_line {
	struct clock_reading origin; /* where the present line begins */
	struct clock_reading anchor; /* the line goes through these two */
	struct clock_reading latest; /* the last reading that lay on it */
	struct clock_reading kept;   /* the last one that was kept in any case */
};

/* clock_line_keep: this reading is kept in any case, for a second or so has passed. */
void clock_line_keep(struct clock_line *line, const struct clock_reading *reading);

/*
 * clock_line_breaks: true where this reading does not lie on the line. The reading is to be kept then, and before it
 * *ret_before, which does. Readings that took long are passed over.
 */
bool clock_line_breaks(struct clock_line *line, const struct clock_reading *reading,
	struct clock_reading *ret_before);

#endif
