/* SPDX-License-Identifier: MIT */
/*
 * Circles of givers: coroutines of which each waits for what only others of the circle have given so far, as room in a
 * queue that only one of them empties; for permits that only these have; for what only one of them refers to; or for
 * the end of one of them. Nobody is known who could end any of these waits.
 *
 * A giver that has ended may have left others behind that give in its place: all givers have to live, and to wait.
 */
#ifndef ANALYZE_GIVER_CIRCLE_H
#define ANALYZE_GIVER_CIRCLE_H

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct model_coro;
struct story;

/*
 * analyze_giver_circle_survey: finds all circles. Coroutines that wait for a circle alone, without being in it, are
 * tied to it (ties.h). Call after the survey of ties.
 */
void analyze_giver_circle_survey(struct analysis *analysis);

/*
 * analyze_giver_circle_of: returns the coroutine of its circle that has waited for the longest time; 0: it is in none.
 *
 * analyze_giver_circle_wants_stock: does a coroutine of its circle wait for room or permits? That comes back
 * by itself, while messages may be over.
 *
 * analyze_giver_circle_members: writes the coroutines of its circle, itself first, and returns how many there are;
 * 0: it is in none.
 *
 * analyze_giver_circle_tell: adds evidence of who waits for whom; nothing if it is in none.
 *
 * analyze_giver_circle_is_own: is the coroutine's circle itself alone?
 *
 * analyze_giver_circle_has: are these two in one circle?
 */
uint32_t analyze_giver_circle_of(const struct analysis *analysis, uint32_t index);
#define GIVER_CIRCLE_MEMBERS 8u
unsigned analyze_giver_circle_members(const struct analysis *analysis, uint32_t index,
	uint32_t ret_members[GIVER_CIRCLE_MEMBERS]);
bool analyze_giver_circle_wants_stock(const struct analysis *analysis, uint32_t index);
bool analyze_giver_circle_is_own(const struct analysis *analysis, uint32_t index);
bool analyze_giver_circle_has(
	const struct analysis *analysis, const struct model_coro *coro, uint32_t other);
void analyze_giver_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
