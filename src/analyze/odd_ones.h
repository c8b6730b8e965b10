/* SPDX-License-Identifier: MIT */
/*
 * Odd ones: most coroutines of a kind are done with what they do in each round, and wait for one that begins the next
 * round; it waits for all of them, and a few of the kind still wait elsewhere. The round cannot end before these go on,
 * so that these come before the others, which are their consequences.
 */
#ifndef ANALYZE_ODD_ONES_H
#define ANALYZE_ODD_ONES_H

#include <stdint.h>

struct analysis;
struct group;

/*
 * analyze_odd_ones_before: returns the coroutine that may wait for the group's first member, if that is such an odd
 * one: more of its kind than these, at least two, wait at one other place, where that coroutine ended the last wait,
 * and one of the kind had ended the last wait where that coroutine waits, before the odd one's began. 0: there is none.
 * Takes one pass over the coroutines.
 */
uint32_t analyze_odd_ones_before(const struct analysis *analysis, const struct group *group);

/*
 * analyze_odd_ones_words: "; coroutine 27 may wait for it: 7 others of its kind, at ..., wait for coroutine 27" of
 * a group whose `lacked_by` is set; else "".
 */
const char *analyze_odd_ones_words(struct analysis *analysis, const struct group *group);

#endif
