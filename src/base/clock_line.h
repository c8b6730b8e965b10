/* SPDX-License-Identifier: MIT */
/*
 * Decides which readings of the clocks are worth keeping.
 *
 * Between two readings time is interpolated by a line (timeline.h). The line is right as long as CLOCK_MONOTONIC runs
 * at one rate against the counter. But that clock can be slewed, by up to 500 parts in a million, from one instant to
 * the next: with one reading a second, interpolation would err by 125 microseconds where the slewing begins. So the
 * engine reads the clocks at every look, and keeps two additional readings when the line through the earlier readings
 * no longer holds: the last reading on the line, and the first that is not.
 */
#ifndef BASE_CLOCK_LINE_H
#define BASE_CLOCK_LINE_H

#include <stdbool.h>

#include "base/clock.h"

/* Zeroed: a line without readings. */
struct clock_line {
	struct clock_reading origin; /* beginning of the present line */
	struct clock_reading anchor; /* the line goes through origin and anchor */
	struct clock_reading latest; /* the last reading on the line */
	struct clock_reading kept;   /* the last reading that was kept in any case */
};

/* clock_line_keep: says that this reading is kept in any case, because about a second has passed. */
void clock_line_keep(struct clock_line *line, const struct clock_reading *reading);

/*
 * clock_line_breaks: returns whether this reading is not on the line. If so, keep *ret_before, which is on the line,
 * and then this reading. Readings that took long are ignored.
 */
bool clock_line_breaks(struct clock_line *line, const struct clock_reading *reading,
	struct clock_reading *ret_before);

#endif
