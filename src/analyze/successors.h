/* SPDX-License-Identifier: MIT */
/*
 * Successors: who does now what a coroutine did that has ended. A program makes a new one of a kind for each piece of
 * work, such as the goroutine that serves a container; if just one of them lives, it is the one to ask.
 */
#ifndef ANALYZE_SUCCESSORS_H
#define ANALYZE_SUCCESSORS_H

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct model_coro;

/*
 * analyze_successors_survey: counts the living coroutines that were started at each place, and notes the only one.
 */
void analyze_successors_survey(struct analysis *analysis);

/* analyze_successors_are_of_kind: have both one known function, wherever they were started? */
bool analyze_successors_are_of_kind(
	const struct analysis *analysis, uint32_t index, uint32_t other);

/* analyze_successors_are_kin: were both started at one known place, in one process, with the same function? */
bool analyze_successors_are_kin(const struct analysis *analysis, uint32_t index, uint32_t other);

/*
 * analyze_successors_of: returns the coroutine itself if it lives, else the only living one of its kin. 0: there is
 * none, or more than one.
 */
uint32_t analyze_successors_of(const struct analysis *analysis, uint32_t index);

/* analyze_successors_live: may one live that was started at this place? Also true if that is not known. */
bool analyze_successors_live(const struct analysis *analysis, uint32_t spawn_site);

/*
 * analyze_successors_nr_ended: how many have ended that were started where this one was? analyze_successors_are_few: at
 * least ten, and at least as many as live?
 */
uint64_t analyze_successors_nr_ended(
	const struct analysis *analysis, const struct model_coro *coro);
bool analyze_successors_are_few(const struct analysis *analysis, const struct model_coro *coro);

#endif
