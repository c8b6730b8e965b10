/* SPDX-License-Identifier: MIT */
/*
 * From what a counter counts to CLOCK_MONOTONIC: straight lines between clock readings.
 *
 * Between two readings time is interpolated, so that a counter's drift does no harm. Beyond the first and the last
 * one the line goes on with a slope taken over a second or more, where the readings reach so far: two readings
 * taken close together say little about the rate. All in whole numbers; the result never goes back where the count
 * does not. Where there are very many readings every second one goes. Not thread-safe while readings are added.
 */
#ifndef BASE_TIMELINE_H
#define BASE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define TIMELINE_RATE_BITS 48

/* From `raw` on, until the next piece begins. */
struct timeline_piece {
	uint64_t raw;
	uint64_t ns;
	uint64_t rate; /* nanoseconds per count, times 2^48 */
};

/* Zeroed is a timeline without readings: a count is a nanosecond. */
struct timeline {
	VEC(struct timeline_piece) pieces;
	uint64_t rate_before; /* of the line that ends at the first piece */
	/* largest uncertainty, or distance of a reading from its neighbours' line */
	uint64_t skew_ns;
	uint64_t nr_refused; /* readings that contradict others */
};

/* timeline_fini: gives the memory back; the timeline is empty again. */
void timeline_fini(struct timeline *timeline);

/*
 * timeline_add: one more reading, in any order. A reading that makes time go back, or run faster than
 * 2^14 ns per count, is refused and counted. False: out of memory.
 */
bool timeline_add(
	struct timeline *timeline, uint64_t raw, uint64_t monotonic_ns, uint64_t uncertainty_ns);

/*
 * timeline_ns: the CLOCK_MONOTONIC time of a count. `hint` is the caller's, 0 at first: where it
 * looked last, so that neighbouring counts are found at once. Counts beyond what 64 bits of
 * nanoseconds can tell give the last time that they can.
 */
int64_t timeline_ns(const struct timeline *timeline, uint64_t raw, size_t *hint);

/*
 * A part of the timeline in a form that converts at once: counts from `raw` on, `length` of them.
 * Zeroed it holds none.
 */
struct timeline_line {
	uint64_t raw;
	uint64_t length;
	int64_t ns;
	uint64_t rate;
};

/* timeline_line: the line around a count; it may hold none. Valid until the next reading is added. */
struct timeline_line timeline_line(const struct timeline *timeline, uint64_t raw);

/* timeline_line_ns: what timeline_ns says; false: the line does not hold this count. */
static inline bool timeline_line_ns(const struct timeline_line *line, uint64_t raw, int64_t *ret_ns)
{
	uint64_t since = raw - line->raw;

	if (since >= line->length)
		return false;
	*ret_ns = line->ns + (int64_t)(((unsigned __int128)since * line->rate +
					       ((uint64_t)1 << (TIMELINE_RATE_BITS - 1))) >>
				       TIMELINE_RATE_BITS);
	return true;
}

/* timeline_hz: counts per second over all readings; 0 with fewer than two. */
double timeline_hz(const struct timeline *timeline);

#endif
