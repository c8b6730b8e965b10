/* SPDX-License-Identifier: MIT */
/*
 * Waking threads: for each place of waits, the thread that ended them, if no coroutine did. A thread that runs no
 * coroutine wakes directly, or by a write to a socket pair or pipe that an event loop of the process reads: what that
 * loop then wakes, outside any coroutine, counts as woken by the writing thread. If one thread ended all waits at a
 * place, and has itself ended, or blocks for good, no further wake comes. A wait that the waiting coroutine's
 * ancestor ended does not count: it was cut short.
 */
#ifndef ANALYZE_WAKING_THREADS_H
#define ANALYZE_WAKING_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_waking_threads_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_waking_threads_watcher;

/*
 * analyze_waking_threads_are_gone: is the waking thread of this coroutine's place gone? At least three waits there
 * must have ended, each ten times sooner than this coroutine has waited, all by one thread. That thread, and all
 * others that run no coroutine, must have ended, or be blocked in a futex without time-out, or be in a sleep that
 * began before this wait.
 */
bool analyze_waking_threads_are_gone(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_waking_threads_clock: returns the thread that ended all waits at this coroutine's place, and all at another
 * place as well, directly, as one does that keeps timers; 0: none.
 */
uint32_t analyze_waking_threads_clock(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_waking_threads_tell: adds evidence of that thread, the last wait that it ended there, and what it does now.
 */
void analyze_waking_threads_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/*
 * analyze_waking_threads_words: returns what the thread was to do when a wait was cut short: ", and had ended most
 * of 20 waits at read, a.c:10, but not the one that was cut short"; "" if there is no such place.
 */
const char *analyze_waking_threads_words(struct analysis *analysis, uint32_t thread);

/*
 * analyze_waking_threads_starter: returns the thread that started the coroutine, outside of coroutines, if it runs no
 * coroutines, is not the first one, and is in a futex without time-out since; 0: it is none of these.
 */
uint32_t analyze_waking_threads_starter(
	const struct analysis *analysis, const struct model_coro *coro);

#endif
