/* SPDX-License-Identifier: MIT */
/*
 * Partners: for each coroutine, the coroutines that woke it most often. Two that have woken each other talk to each
 * other; if both wait, whoever else woke them last, they may wait for each other. If a partner has ended, it no longer
 * wakes anybody.
 */
#ifndef ANALYZE_PARTNERS_H
#define ANALYZE_PARTNERS_H

#include "model/watcher.h"

struct analysis;
struct group;
struct story;

/* analyze_partners_watcher: the watcher that records who woke whom how often; the judgement registers it. */
extern const struct model_watcher analyze_partners_watcher;

/*
 * analyze_partners_survey: removes one of two groups of the same grade, each of which is the bare wait of one
 * coroutine, if the two have woken each other at least twice. The group that waits for a lock goes; if none or both do,
 * the group that began to wait later goes.
 */
void analyze_partners_survey(struct analysis *analysis);

/*
 * analyze_partners_next: returns the next living coroutine of those that have woken this one, *at being 0 before the
 * first; 0: there is no further one. Six at most are known.
 */
uint32_t analyze_partners_next(const struct analysis *analysis, uint32_t coro, unsigned *at);

/* analyze_partners_are: do both wait, the other for as long as what stands still, and have they woken each other? */
bool analyze_partners_are(const struct analysis *analysis, uint32_t coro, uint32_t other);

/*
 * analyze_partners_tell: adds evidence of partners of the group's first member that wait, and were woken by it, too.
 * Adds the coroutine that was woken last where the group waits, if it has ended, and had woken all members before.
 */
void analyze_partners_tell(
	struct analysis *analysis, const struct group *group, struct story *story);

#endif
