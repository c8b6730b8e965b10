/* SPDX-License-Identifier: MIT */
/*
 * Places in which a thread was found, with how often, or for how long. A stack counts for the innermost of its calls
 * that is the program's own code, and not a library's: people know that place. If no call is, it counts for the
 * innermost one.
 */
#ifndef ANALYZE_HOT_PLACES_H
#define ANALYZE_HOT_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "corotracer/ct.h"

/* A place as the compiler knows it, perhaps inlined: it need not be a site. */
struct hot_place {
	const char *function;
	size_t function_bytes;
	const char *file;
	size_t file_bytes;
	uint32_t line;
	/* where the thread was: of the call that is counted, or into which it was inlined */
	uint32_t site;
	uint64_t count;
	uint64_t weight; /* by which places are compared */
};

#define HOT_PLACES 512u /* what is elsewhere is not counted by place */

struct hot_places {
	uint32_t count;
	struct hot_place at[HOT_PLACES];
};

/* analyze_hot_place_add: counts what was seen at this site, with its weight. */
void analyze_hot_place_add(
	struct hot_places *places, const struct ct_tables *tables, uint32_t site, uint64_t weight);

/*
 * analyze_hot_place_sum: makes of places the functions that they are in, the heaviest first, each with the line of its
 * heaviest place.
 */
void analyze_hot_place_sum(const struct hot_places *places, struct hot_places *ret_functions);

#endif
