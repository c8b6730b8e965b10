/* SPDX-License-Identifier: MIT */
/*
 * Resumers: a coroutine that resumes another one while it runs has ended that one's wait, and is its waker, though no
 * wake is recorded. Lua's coroutines do this, and fibers that switch to each other.
 *
 * For each coroutine that was ever resumed so, one place of its waits is kept, and the coroutine that ended them there:
 * always the same one, or there is no habit. A coroutine that was created by the one that resumes it is left out: it
 * may be a generator, and whoever drives it may leave off at any time.
 */
#ifndef ANALYZE_RESUMERS_H
#define ANALYZE_RESUMERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_resumers_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_resumers_watcher;

/*
 * analyze_resumers_of: returns the coroutine within whose runs at least ten waits of this one at its present place
 * ended, and ten times as many as ended otherwise, without a wake. 0: there is none.
 */
uint32_t analyze_resumers_of(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_resumers_has_failed: has an error ended that coroutine, and has this one waited ten times longer than it ever
 * did before that one resumed it?
 */
bool analyze_resumers_has_failed(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_resumers_tell: adds evidence of how many of its waits ended so; nothing without such a coroutine. */
void analyze_resumers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
