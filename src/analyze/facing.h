/* SPDX-License-Identifier: MIT */
/*
 * Facing each other: two coroutines read from the two ends of one pair or connection, both found nothing there, and
 * nobody else has ever written to either end: each waits for what the other one would write.
 */
#ifndef ANALYZE_FACING_H
#define ANALYZE_FACING_H

#include <stdbool.h>

struct analysis;
struct model_coro;
struct story;

/*
 * analyze_facing_is: is there one that waits so at the other end of this one's descriptor, and for less time? Not if an
 * end has a further descriptor, was shut down, or has been reported ready since.
 *
 * analyze_facing_tell: if there is one, adds evidence of it.
 */
bool analyze_facing_is(const struct analysis *analysis, const struct model_coro *coro);
void analyze_facing_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
