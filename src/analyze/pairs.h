/* SPDX-License-Identifier: MIT */
/*
 * Pairs: two coroutines that may wait for each other, because each has ended waits of the other. One cause is one
 * finding.
 */
#ifndef ANALYZE_PAIRS_H
#define ANALYZE_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct model_coro;
struct story;

/*
 * analyze_pairs_other: returns the other coroutine of the pair: both wait, one of them woke the other last, and the
 * woken one ended the last wait at the place where its waker now waits. 0: `coro` is in no pair.
 */
uint32_t analyze_pairs_other(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_pairs_goes_first: which of two that wait for each other has the finding: the one that waits for no lock; if
 * none or both do, the one that began to wait first.
 */
bool analyze_pairs_goes_first(const struct model_coro *coro, const struct model_coro *other);

/*
 * analyze_pairs_survey: removes one of two groups of candidates that stand for the two waits of one pair and for
 * nothing else: not the one that goes first.
 */
void analyze_pairs_survey(struct analysis *analysis);

/* analyze_pairs_tell: adds evidence that names the other coroutine, which becomes a party. */
void analyze_pairs_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
