/* SPDX-License-Identifier: MIT */
/*
 * Since when a process stands still, and what could make it go on (struct stillness).
 */
#ifndef ANALYZE_STILLNESS_H
#define ANALYZE_STILLNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"

struct analysis;
struct model_thread;
struct story;

/* analyze_stillness_survey: fills analysis->stills. */
void analyze_stillness_survey(struct analysis *analysis);

/*
 * analyze_stillness_has_ended_stuck: did the program end itself in failure, with nothing left to run and no timer to
 * come? A scheduler that counts its remaining coroutines does so.
 */
bool analyze_stillness_has_ended_stuck(const struct analysis *analysis, uint32_t process);

/*
 * analyze_stillness_waits_for_clock: is the thread in a wait that ends by the clock, and that began before `moment`?
 * analyze_stillness_words_thread: says what the thread does: "parked", "in futex, without time-out".
 * analyze_stillness_words_told: says where the program saw the thread, and the name that the program has for it, behind
 * what the thread does; "" if the program has not told it, or the thread has gone on since.
 */
bool analyze_stillness_waits_for_clock(
	const struct analysis *analysis, uint32_t thread, ct_time moment);
const char *analyze_stillness_words_thread(struct analysis *analysis, uint32_t thread);
const char *analyze_stillness_words_told(
	struct analysis *analysis, const struct model_thread *thread);

/*
 * analyze_stillness_leaving: returns the waiting coroutine that suspended last on this thread, if the thread has run
 * no other coroutine since and was on a processor at each look since. The code after the suspension may be in an
 * endless loop. 0: none.
 */
uint32_t analyze_stillness_leaving(const struct analysis *analysis, uint32_t thread);

/*
 * analyze_stillness_may_have_run: were the coroutines found in memory by two looks, between which a thread of the
 * process ran? Looks do not tell what it ran.
 */
bool analyze_stillness_may_have_run(const struct analysis *analysis, uint32_t process);

/*
 * analyze_stillness_has_closed_polls: has the process closed all interest lists that it had? Then its loops are over.
 */
bool analyze_stillness_has_closed_polls(const struct analysis *analysis, uint32_t process);

/* analyze_stillness_lasts: is the time from `since` to the end of the process long enough for a standstill? */
bool analyze_stillness_lasts(const struct analysis *analysis, uint32_t process, ct_time since);

#define STILLNESS_THREADS 16u

/*
 * analyze_stillness_tell_threads: adds evidence of what each thread of the process does, for at most
 * STILLNESS_THREADS threads.
 */
void analyze_stillness_tell_threads(
	struct analysis *analysis, uint32_t process, struct story *story);

#endif
