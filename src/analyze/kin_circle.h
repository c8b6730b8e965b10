/* SPDX-License-Identifier: MIT */
/*
 * Circles over a kind: coroutines that were started at one place, as the bars of a display, wait for what only one
 * coroutine brings, as the container that draws them, and that one waits for one of their kind. Which one it waits for
 * is not recorded.
 */
#ifndef ANALYZE_KIN_CIRCLE_H
#define ANALYZE_KIN_CIRCLE_H

#include <stdint.h>

struct analysis;
struct group;
struct model_coro;
struct story;

/* analyze_kin_circle_of: the same as the next one, without its pairs. */
uint32_t analyze_kin_circle_of(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_kin_circle_any: returns the coroutine that ended the last wait where this one waits, or that does so since
 * that one has ended, if it waits itself, elsewhere, and one of the kind of `coro` ended the last wait there, or, if
 * none has ended there, woke it last; or the other one of a pair (pairs.h), of which the one that was woken by the
 * other waits where that one, or its kind, ended the last wait, or where none has ended. 0: there is none.
 */
uint32_t analyze_kin_circle_any(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_kin_circle_words: "; they and coroutine 7 may wait for each other", of the first member of the group
 * and analyze_kin_circle_any; "" if there is none, or it is a member.
 */
const char *analyze_kin_circle_words(struct analysis *analysis, const struct group *group);

/*
 * analyze_kin_circle_survey: removes groups that are the bare wait of one coroutine that a member of another group, of
 * at least that grade, waits for in such a circle.
 */
void analyze_kin_circle_survey(struct analysis *analysis);

/* analyze_kin_circle_tell: adds evidence that names the other one, which becomes a party. */
void analyze_kin_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
