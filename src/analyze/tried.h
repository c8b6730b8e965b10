/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that waits are for, where the program does not say so: a coroutine that comes to wait just after it has
 * found nothing at a descriptor most often waits for that descriptor. A pool's worker does not: its next connection may
 * be any. So such a wait counts only at a place where nearly all of the waits that are over ended after a poll had
 * reported the descriptor in question.
 */
#ifndef ANALYZE_TRIED_H
#define ANALYZE_TRIED_H

#include <stdint.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_tried_watcher: looks on, and counts the above; the judgement lets it watch. */
extern const struct model_watcher analyze_tried_watcher;

/*
 * analyze_tried_descriptor: for which descriptor does it wait, or did it wait last: as the wait says, or else by what
 * it had tried? 0: for none, or for which is not known.
 */
uint32_t analyze_tried_descriptor(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_tried_words: that it suspended, and for which descriptor, as the wait says or by what it had tried. */
const char *analyze_tried_words(
	struct analysis *analysis, const struct model_coro *coro, uint32_t descriptor);
/* analyze_tried_tell: evidence of that, where the wait itself does not say it. */
void analyze_tried_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
