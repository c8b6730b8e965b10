/* SPDX-License-Identifier: MIT */
/*
 * Asking: coroutines that come to a place again and again, and did something else first: before its first wait there,
 * such a coroutine had woken, started or given something to another one, or had waited elsewhere. An idle worker begins
 * with a wait for work. A wait of who asks is one for an answer, for room, or for its turn, and takes about as long as
 * others there, even if the trace does not name what for.
 */
#ifndef ANALYZE_ASKING_H
#define ANALYZE_ASKING_H

#include <stdbool.h>
#include <stdint.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_asking_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_asking_watcher;

/*
 * analyze_asking_was_passed: have at least twenty waits there ended since this one began, the last of which began
 * later, and ended when this one had lasted ten times longer than any there has taken? Needs no begin.
 */
bool analyze_asking_was_passed(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_asking_begin: from now on the queries below answer, for processes of which nothing but a crash is a candidate
 * yet: what else is known of those that wait says more. False: there is no such process. analyze_asking_counts: is this
 * one?
 */
bool analyze_asking_begin(struct analysis *analysis);
bool analyze_asking_counts(const struct analysis *analysis, uint32_t process);

/*
 * analyze_asking_is_outlasting: has such a coroutine, from the fourth of its waits there on, waited twenty times longer
 * than any wait there has taken, and so have two others there, while at least twenty there have ended since it began,
 * the last of which began later?
 *
 * analyze_asking_is_in_silence: the same from the sixth on, of at least twenty waits, where none has ended for twenty
 * times longer than ever before between two of them, while other coroutines go on?
 *
 * Both are false if another coroutine has slept or run for half of that time: it may be at work for them. Also if the
 * waits there were not ended by coroutines, and the outside may end one: a connection on which nothing comes looks
 * alike.
 */
bool analyze_asking_is_outlasting(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_asking_is_in_silence(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_asking_tell: adds both as figures. analyze_asking_tell_passed: adds how many waits there have ended since. */
void analyze_asking_tell_passed(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_asking_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
