/* SPDX-License-Identifier: MIT */
/*
 * Ended takers: a coroutine waits to send at a line from which it had sent before, always to the same one, which waited
 * for that each time. That one has ended, and so have all that were started where it was started: nobody is known who
 * takes what is sent there. The trace names no channels.
 */
#ifndef ANALYZE_ENDED_TAKER_H
#define ANALYZE_ENDED_TAKER_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_ended_taker_watcher: the watcher that records who took what was sent; the judgement registers it. */
extern const struct model_watcher analyze_ended_taker_watcher;

/* A coroutine that alone took what was sent from one line, once looked for. */
struct ended_taker_known {
	uint64_t taker; /* its id; 0: there is none */
	bool is_known;
};

/* analyze_ended_taker_begin: call before anything else here. */
void analyze_ended_taker_begin(struct analysis *analysis);

/*
 * analyze_ended_taker_is: is this coroutine such a sender? The taker must have waited for what was sent from this line
 * at least three times, at least once for this one's. If anybody made room for waits there, those must be gone, too.
 *
 * analyze_ended_taker_tell: if so, adds evidence of the taker.
 *
 * analyze_ended_taker_only: this coroutine waits to send. Returns the one that took all that was sent from this line,
 * by anybody, to somebody who waited, the last ten times or more; 0: there is none.
 */
bool analyze_ended_taker_is(const struct analysis *analysis, const struct model_coro *coro);
void analyze_ended_taker_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
uint32_t analyze_ended_taker_only(const struct analysis *analysis, const struct model_coro *coro);

#endif
