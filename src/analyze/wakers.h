/* SPDX-License-Identifier: MIT */
/*
 * The parties that have ended waits at a place, and could do so again: the coroutines that woke somebody there, and
 * those that started them, directly or by others, and can start more. Where each of them has ended, or waits for what
 * none but such ones end, nobody comes any more.
 *
 * Judged are waits that coroutines end, one by one, and coroutines alone: a thread that woke somebody there can always
 * come again, and so can a coroutine of the runtime itself. One of the program has room for WAKERS_PLACES places; if it
 * woke at more of them it may wake anywhere.
 */
#ifndef ANALYZE_WAKERS_H
#define ANALYZE_WAKERS_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

#define WAKERS_PLACES 2u

/* analyze_wakers_watcher: looks on, and keeps the above; the judgement lets it watch. */
extern const struct model_watcher analyze_wakers_watcher;

/* analyze_wakers_is_bound: does it wait for what the program has to do, with no end by itself? */
bool analyze_wakers_is_bound(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_are_gone: ten waits at least ended where this coroutine waits, each by a coroutine and ten times
 * sooner than it has waited by now, and none of those that ended them, or could start others that do, is left to do so.
 */
bool analyze_wakers_are_gone(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_are_all_gone: likewise, of three waits at least, where not only those wait so that ended them, but all
 * that there are, and none for several channels at once.
 */
bool analyze_wakers_are_all_gone(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_were_its_own: likewise, of two waits at least, where all that ended those go back to this coroutine
 * itself: it had started them, or those that started them.
 */
bool analyze_wakers_were_its_own(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_come_back: do those that are woken where it waits come back there for more, one in ten at least? So
 * consumers do; a coroutine that asks for something goes on with it.
 */
bool analyze_wakers_come_back(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_want_lock: does one that ended waits where this coroutine waits want a lock for long, which one has
 * that had started this coroutine, and waits itself? Nothing from outside ends such a circle.
 */
bool analyze_wakers_want_lock(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_come_anew: was a wait where it waits ended by a thread, or by coroutines that do not all go back to
 * one that lives? Others may come that way, with none left who would start them: timers of a runtime.
 */
bool analyze_wakers_come_anew(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_wakers_tell: as evidence, that ten waits at least ended there, all by coroutines that were started at one
 * place, of which none is left but those that wait so themselves, and that the last of them to end woke nobody there.
 */
void analyze_wakers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
