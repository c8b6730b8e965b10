/* SPDX-License-Identifier: MIT */
/*
 * Pairs: two that may wait for each other, as each has ended waits of the other one. One cause is one finding.
 */
#ifndef ANALYZE_PAIRS_H
#define ANALYZE_PAIRS_H

#include <stdint.h>

struct analysis;
struct model_coro;
struct story;

/*
 * analyze_pairs_other: the other one, where both wait, one of them woke the other last, and that one ended the last
 * wait where the first one waits; 0: there is none.
 */
uint32_t analyze_pairs_other(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_pairs_survey: where two groups of candidates tell of such a wait each, and of nothing else, the one that
 * waits for a lock goes, or where none or both do, the one that came to wait later.
 */
void analyze_pairs_survey(struct analysis *analysis);

/* analyze_pairs_tell: evidence of the other one, which becomes a party. */
void analyze_pairs_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
