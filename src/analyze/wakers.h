/* SPDX-License-Identifier: MIT */
/*
 * Wakers: the coroutines that have ended waits at a place and could do so again. These are the coroutines that woke a
 * coroutine there, and their ancestors, which can start more of them. If each of them has ended, or waits for
 * something that only such coroutines end, no further wake can come.
 *
 * Only waits that coroutines end one by one are judged, and only wakes by coroutines: a thread that woke a coroutine
 * there can always come again, and so can a coroutine of the runtime itself. Each coroutine of the program has room
 * for WAKERS_PLACES places; a coroutine that woke at more places may wake anywhere.
 */
#ifndef ANALYZE_WAKERS_H
#define ANALYZE_WAKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

#define WAKERS_PLACES 2u

/* analyze_wakers_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_wakers_watcher;

/*
 * analyze_wakers_is_bound: does the coroutine wait for something that the program itself has to do, with no deadline
 * still to come? One that belongs to the runtime does not.
 */
bool analyze_wakers_is_bound(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_are_gone: is no waker left at the place where this coroutine waits? At least `least` waits there must
 * have ended, each by a coroutine and ten times sooner than this coroutine has waited, and all their wakers, and all
 * coroutines that could start such wakers, must be unable to wake again. Fewer than WAKERS_HABIT show no habit: no
 * finding stands on them, but they may be said where something else shows that the coroutine will not go on.
 */
#define WAKERS_HABIT 10u
bool analyze_wakers_are_gone(
	const struct analysis *analysis, const struct model_coro *coro, unsigned least);

/*
 * analyze_wakers_are_all_gone: the same from three ended waits on, but all living coroutines of the program must be
 * unable to wake, not only those wakers, and none of them may wait for several channels at once.
 */
bool analyze_wakers_are_all_gone(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_fell_silent: have at least ten waits there ended, but none for five times longer than ever before
 * between two of them? Does a coroutine live that was started where all those were that ended them, and do all such
 * wait there, or elsewhere where only such have ended waits, or for what has the same name? And does every other
 * coroutine wait for something inside, as long as it is no clock? Where those that wait last are served first, single
 * waits are as long as the program is busy. The answer for a place is found once.
 */
bool analyze_wakers_fell_silent(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_tell_others: adds evidence of those that wait elsewhere, of the kind that ended waits where this one
 * waits: they may have what is waited for.
 */
void analyze_wakers_tell_others(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/*
 * analyze_wakers_were_its_own: the same as analyze_wakers_are_gone from two ended waits on, if all those wakers
 * descend from this coroutine.
 */
bool analyze_wakers_were_its_own(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_wait_there: have at least ten waits there ended, each by a coroutine and ten times sooner than this
 * coroutine has waited? Does one of those coroutines live, and do all living ones, and their ancestors, wait there?
 */
bool analyze_wakers_wait_there(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_nr_own: how many waits of this coroutine at this place have been ended by others? Without its very
 * first wait; 0: none, or it waited more often at three other places.
 */
uint32_t analyze_wakers_nr_own(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_wakers_has_woken: has this coroutine, or one that it started, ever woken another one? */
bool analyze_wakers_has_woken(const struct analysis *analysis, uint32_t index);

/*
 * analyze_wakers_may_have_woken: has the coroutine `index` itself woken one at the place where `coro` waits, or at more
 * places than are kept?
 */
bool analyze_wakers_may_have_woken(
	const struct analysis *analysis, uint32_t index, const struct model_coro *coro);

/*
 * analyze_wakers_come_back: do coroutines that are woken at the place of this wait come back there for more, at least
 * one in ten? Consumers come back; a coroutine that asks for something goes on with the answer.
 */
bool analyze_wakers_come_back(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_want_lock: has a coroutine that ended waits at this place long been waiting for a lock whose owner
 * is an ancestor of `coro` and waits itself? Nothing from outside ends such a circle.
 */
bool analyze_wakers_want_lock(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_come_anew: was a wait at this place ended by a thread, or by coroutines without a common ancestor
 * that still lives? Further wakers may come in the same way although no coroutine is left that could start them: from
 * timers of a runtime.
 */
bool analyze_wakers_come_anew(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_tell: adds evidence if at least ten waits ended there, all by coroutines that were started at one
 * place, if none of these is left except those that wait here themselves, and if the last of them to end woke nobody
 * here.
 */
void analyze_wakers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
