/* SPDX-License-Identifier: MIT */
/*
 * Tried descriptors: the descriptors that waits are for, if the program does not record them. A coroutine that begins
 * to wait just after it has found nothing at a descriptor most often waits for that descriptor. A worker of a pool
 * does not, because its next connection may be any. Therefore such a wait counts only at a place where nearly all
 * finished waits ended after a poll had reported the descriptor that was tried.
 */
#ifndef ANALYZE_TRIED_H
#define ANALYZE_TRIED_H

#include <stdint.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_tried_watcher: the watcher that counts these waits; the judgement registers it. */
extern const struct model_watcher analyze_tried_watcher;

/*
 * analyze_tried_descriptor: returns the descriptor that the coroutine waits for, or waited for last: the descriptor
 * that the wait names, or else the descriptor that was tried. 0: none, or not known.
 */
uint32_t analyze_tried_descriptor(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_tried_words: says that the coroutine suspended, and for which descriptor: named by the wait, or tried
 * before it.
 */
const char *analyze_tried_words(
	struct analysis *analysis, const struct model_coro *coro, uint32_t descriptor);
/* analyze_tried_tell: adds evidence that the descriptor was tried before, if the wait itself does not name it. */
void analyze_tried_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
