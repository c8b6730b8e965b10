/* SPDX-License-Identifier: MIT */
/*
 * Waits for the ends of several coroutines at once, as in a group, a nursery or a gather.
 */
#ifndef ANALYZE_WHY_JOINS_H
#define ANALYZE_WHY_JOINS_H

#include "analyze/parts.h"

/*
 * analyze_why_joins: names those that the waiting coroutine `index` has started, and whose ends it awaits, and returns
 * the one of them that has waited for longest, or else one that does not wait. 0, and nothing is added: it awaits fewer
 * than two, or others than those that it has started.
 */
uint32_t analyze_why_joins(struct analysis *analysis, struct story *story, uint32_t index);

/* analyze_why_joins_back: says how many coroutines wait for this one, alone or among others, and names the first. */
void analyze_why_joins_back(struct analysis *analysis, struct story *story, uint32_t index);

#endif
