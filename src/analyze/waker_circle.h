/* SPDX-License-Identifier: MIT */
/*
 * Circles of wakers: coroutines each of which waits where only the next one has ended waits so far, ten times longer
 * than any of these took, or for a lock that the next one may have. What is waited for need not be recorded: a channel
 * of a library, an answer, room. A circle of one is a coroutine that waits for what it alone has brought: the loop that
 * reads answers, and waits for one in a handler that it calls. Nothing is said if events are missing.
 *
 * That is shape, and proves nothing: another one may end such a wait for the first time. The circle says more about a
 * finding that stands on other grounds, and makes one finding of several.
 */
#ifndef ANALYZE_WAKER_CIRCLE_H
#define ANALYZE_WAKER_CIRCLE_H

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct group;
struct model_coro;
struct story;

/* Whom the chain leads to that begins with one coroutine. */
struct waker_chain {
	/* the one of the circle that has waited for the longest time; 0: there is no circle */
	uint32_t first;
	bool is_circle; /* the coroutine itself is in the circle */
	bool is_known;  /* it has been looked for */
};

/* analyze_waker_circle_begin: call after the survey of ties, before anything else here. */
void analyze_waker_circle_begin(struct analysis *analysis);

/*
 * analyze_waker_circle_of: returns the coroutine of its circle that has waited for the longest time; 0: it is in none.
 *
 * analyze_waker_circle_has: are these two in one circle?
 *
 * analyze_waker_circle_apart: the same, of the circle that the coroutine is in or waits behind, if several have ended
 * waits at its place, but one coroutine all of its own there; else 0.
 *
 * analyze_waker_circle_before: returns the circle's coroutine, as above, that has to go on before this one can, which
 * is in no circle itself; 0: there is none.
 */
uint32_t analyze_waker_circle_of(const struct analysis *analysis, const struct model_coro *coro);
uint32_t analyze_waker_circle_apart(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_waker_circle_has(
	const struct analysis *analysis, const struct model_coro *coro, uint32_t other);
uint32_t analyze_waker_circle_before(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_waker_circle_survey: removes groups that are bare waits of coroutines of a circle, or of such as wait for it,
 * if the first coroutine of the circle has a group of at least that grade.
 */
void analyze_waker_circle_survey(struct analysis *analysis);

/*
 * analyze_waker_circle_words: "; in a circle with coroutines 20 and 18: ..." of the group's first member; "" if it is
 * in no circle with others than members, and waits for none of one.
 *
 * analyze_waker_circle_tell: adds evidence of who waits for whom; nothing if there is no circle.
 */
const char *analyze_waker_circle_words(struct analysis *analysis, const struct group *group);
void analyze_waker_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
