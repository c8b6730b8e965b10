/* SPDX-License-Identifier: MIT */
/*
 * The line goes through two readings. The origin is the first reading since the rate last changed, but no older than
 * the second-last kept reading. The anchor is a reading at least half as far back as the reading to be judged. So the
 * noise of the two is at most doubled when the line is extended to the present; and a slow change is measured against
 * its beginning, not against the previous reading.
 */
#include "base/clock_line.h"

#define TOLERANCE_NS 150.0
#define UNCERTAINTY_MAX_NS 1000 /* a reading with more was interrupted */

void clock_line_keep(struct clock_line *line, const struct clock_reading *reading)
{
	if (line->kept.counter == 0)
		line->origin = *reading;
	else if (line->origin.counter < line->kept.counter)
		line->origin = line->kept;
	line->kept = line->anchor = line->latest = *reading;
}

/* Returns how far the clock is ahead of the line, in nanoseconds; negative: behind the line. */
static double distance_ns(const struct clock_line *line, const struct clock_reading *reading)
{
	double slope = (double)(line->anchor.monotonic_ns - line->origin.monotonic_ns) /
		       (double)(line->anchor.counter - line->origin.counter);
	double counts = (double)(reading->counter - line->anchor.counter);

	return (double)(reading->monotonic_ns - line->anchor.monotonic_ns) - slope * counts;
}

/* Returns the distance that the errors of the readings can cause. */
static double doubt_ns(const struct clock_line *line, const struct clock_reading *reading)
{
	double length = (double)(line->anchor.counter - line->origin.counter);
	double ahead = (double)(reading->counter - line->anchor.counter);
	double both = (double)(line->origin.uncertainty_ns + line->anchor.uncertainty_ns);

	return TOLERANCE_NS + (double)(reading->uncertainty_ns + line->anchor.uncertainty_ns) +
	       both * ahead / length;
}

static bool lies_on(const struct clock_line *line, const struct clock_reading *reading)
{
	double distance;

	if (line->anchor.counter == line->origin.counter)
		return true;
	distance = distance_ns(line, reading);
	return (distance < 0 ? -distance : distance) <= doubt_ns(line, reading);
}

bool clock_line_breaks(struct clock_line *line, const struct clock_reading *reading,
	struct clock_reading *ret_before)
{
	bool is_break;

	if (reading->uncertainty_ns > UNCERTAINTY_MAX_NS ||
		reading->counter <= line->latest.counter)
		return false;
	is_break = !lies_on(line, reading);
	if (is_break)
		*ret_before = line->origin = line->latest;
	if (is_break || reading->counter - line->origin.counter >=
				2 * (line->anchor.counter - line->origin.counter))
		line->anchor = *reading;
	line->latest = *reading;
	return is_break;
}
