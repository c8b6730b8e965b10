/* SPDX-License-Identifier: MIT */
/*
 * Fruitless runs: a coroutine is woken, wakes nobody, does nothing, and waits at the same place again, while most
 * runs that go on from there do something. What it looked at was perhaps not what its waker had changed.
 *
 * Where most runs are of this kind, as those of workers that are woken together and find one item, they are a habit.
 */
#ifndef ANALYZE_FRUITLESS_H
#define ANALYZE_FRUITLESS_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_fruitless_watcher: the watcher that counts such runs for each place; the judgement registers it. */
extern const struct model_watcher analyze_fruitless_watcher;

/*
 * analyze_fruitless_tell: adds evidence if the last run of `coro`, which waits, was fruitless, and this is no habit
 * of the place: at least three runs from there, and at least half of them, were not. Nothing is said if all waits of
 * the coroutine are at one place: then what its library does in a run is not recorded either.
 */
void analyze_fruitless_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/* analyze_fruitless_is: does that hold of `coro`, as far as recorded, whatever is missing? */
bool analyze_fruitless_is(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_fruitless_is_told: does it hold, and is nothing missing of that run? */
bool analyze_fruitless_is_told(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_fruitless_was_last: was this the last run that a wake began from the place where `coro` waits, and does the
 * coroutine that made it wait there again?
 */
bool analyze_fruitless_was_last(const struct analysis *analysis, const struct model_coro *coro);
/* analyze_fruitless_tell_last: adds the same evidence of that coroutine, unless it is `coro`. */
void analyze_fruitless_tell_last(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
