/* SPDX-License-Identifier: MIT */
/*
 * Passed: a coroutine that went on at a place without a wait, since its suspension was taken back, while no wait at
 * that place has ever ended. The others there may wait for what that one took: an unnamed lock, most often.
 */
#ifndef ANALYZE_PASSED_H
#define ANALYZE_PASSED_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_passed_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_passed_watcher;

/* analyze_passed_tell: adds as evidence who passed last at the place where `coro` waits, before it, and what became of
 * that one. Nothing is added if nobody did, or if a wait there has ended. */
void analyze_passed_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
