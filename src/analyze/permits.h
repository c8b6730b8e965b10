/* SPDX-License-Identifier: MIT */
/* The coroutines that have the permits of a semaphore for which another one waits. */
#ifndef ANALYZE_PERMITS_H
#define ANALYZE_PERMITS_H

struct analysis;
struct model_coro;
struct story;

/*
 * analyze_permits_tell: if the coroutine waits for a semaphore whose permits were given back by their takers alone,
 * adds evidence of the living ones that have some, where they took the last one and where they wait, at most three of
 * them by name, and how many of all wait for that semaphore themselves. Call after the survey of circles of givers
 * (giver_circle.h), which lists the takers.
 */
void analyze_permits_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
