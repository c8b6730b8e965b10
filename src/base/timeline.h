/* SPDX-License-Identifier: MIT */
/*
 * Converts a counter to CLOCK_MONOTONIC by straight lines between clock readings.
 *
 * Between two readings time is interpolated, so that a counter's drift does no harm. Before the first and after the
 * last reading the line continues with a slope taken over a second or more, if the readings span that: two readings
 * taken close together say little about the rate. All computation is in whole numbers; the result never goes back if
 * the count does not. If there are very many readings, every second one is dropped. Not thread-safe while readings are
 * added.
 */
#ifndef BASE_TIMELINE_H
#define BASE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define TIMELINE_RATE_BITS 48

/* A straight line from `raw` on, until the next piece begins. */
struct timeline_piece {
	uint64_t raw;
	uint64_t ns;
	uint64_t rate; /* nanoseconds per count, times 2^48 */
};

/* Zeroed: a timeline without readings, in which a count is a nanosecond. */
struct timeline {
	VEC(struct timeline_piece) pieces;
	uint64_t rate_before; /* of the line that ends at the first piece */
	/* largest uncertainty, or distance of a reading from its neighbours' line */
	uint64_t skew_ns;
	uint64_t nr_refused; /* readings that contradict others */
};

/* timeline_fini: frees the memory; the timeline is empty again. */
void timeline_fini(struct timeline *timeline);

/*
 * timeline_add: adds a reading, in any order. A reading that makes time go back, or run faster than 2^14 ns per count,
 * is refused and counted. Returns false if out of memory.
 */
bool timeline_add(
	struct timeline *timeline, uint64_t raw, uint64_t monotonic_ns, uint64_t uncertainty_ns);

/*
 * timeline_ns: returns the CLOCK_MONOTONIC time of a count. `hint` belongs to the caller, and is 0 at first: it is the
 * place of the last look-up, so that neighbouring counts are found at once. Counts beyond 64 bits of nanoseconds give
 * the last time that fits.
 */
int64_t timeline_ns(const struct timeline *timeline, uint64_t raw, size_t *hint);

/*
 * A part of the timeline in a form that converts at once: the `length` counts from `raw` on. Zeroed: it covers no
 * count.
 */
struct timeline_line {
	uint64_t raw;
	uint64_t length;
	int64_t ns;
	uint64_t rate;
};

/*
 * timeline_line: returns the line around a count; the line may cover no count. Valid until the next reading is added.
 */
struct timeline_line timeline_line(const struct timeline *timeline, uint64_t raw);

/* timeline_line_ns: converts as timeline_ns does. Returns false if the line does not cover this count. */
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

/* timeline_hz: returns the counts per second over all readings; 0 with fewer than two. */
double timeline_hz(const struct timeline *timeline);

#endif
