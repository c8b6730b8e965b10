/* SPDX-License-Identifier: MIT */
/*
 * Whether the descriptor that a coroutine waits for is ready: a poll has reported it since the wait began and nothing
 * was transferred since, or the end of its stream was read since the wait began. The end of a stream stays, so that
 * any later read returns it at once; an edge-triggered poll does not report it again.
 */
#ifndef ANALYZE_READINESS_H
#define ANALYZE_READINESS_H

#include <stdbool.h>

#include "corotracer/ct.h"

struct analysis;
struct model_coro;
struct model_waking;
struct story;

/* analyze_readiness_is: is the descriptor ready, and since when? */
bool analyze_readiness_is(
	const struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since);

/* analyze_readiness_end: returns who read the end of the stream, where and when. NULL: no such read is known. */
const struct model_waking *analyze_readiness_end(
	const struct analysis *analysis, const struct model_coro *coro);

/* analyze_readiness_tell_end: adds that read as a step. */
void analyze_readiness_tell_end(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
