/* SPDX-License-Identifier: MIT */
/*
 * Whether the descriptor that a coroutine waits for is ready: a poll has reported it since the wait began, and nothing
 * was transferred since; or somebody has read the end of its stream since then. An end stays, so that whoever reads
 * after that meets it at once; a poll that reports changes alone does not report it again.
 */
#ifndef ANALYZE_READINESS_H
#define ANALYZE_READINESS_H

#include <stdbool.h>

#include "corotracer/ct.h"

struct analysis;
struct model_coro;
struct model_waking;
struct story;

/* analyze_readiness_is: is it ready, and since when? */
bool analyze_readiness_is(
	const struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since);

/* analyze_readiness_end: that its stream's end was read, by whom and where; NULL: no such thing is known. */
const struct model_waking *analyze_readiness_end(
	const struct analysis *analysis, const struct model_coro *coro);

/* analyze_readiness_tell_end: that, as a step. */
void analyze_readiness_tell_end(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
