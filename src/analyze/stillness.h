/* SPDX-License-Identifier: MIT */
/*
 * Since when a process stands still, and who could set it going (struct stillness).
 */
#ifndef ANALYZE_STILLNESS_H
#define ANALYZE_STILLNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"

struct analysis;
struct story;

/* analyze_stillness_survey: fills analysis->stills. */
void analyze_stillness_survey(struct analysis *analysis);

/*
 * analyze_stillness_has_ended_stuck: nothing was left to run, nothing was to come by the clock, and the program ended
 * itself in failure: a scheduler that counts whom it has left does so.
 */
bool analyze_stillness_has_ended_stuck(const struct analysis *analysis, uint32_t process);

/*
 * analyze_stillness_waits_for_clock: is the thread in a wait that ends by the clock, and began before `moment`?
 * analyze_stillness_words_thread: what the thread is at: "parked", "in futex, without time-out".
 */
bool analyze_stillness_waits_for_clock(
	const struct analysis *analysis, uint32_t thread, ct_time moment);
const char *analyze_stillness_words_thread(struct analysis *analysis, uint32_t thread);

/*
 * analyze_stillness_leaving: the coroutine, which waits, that suspended last on this thread, which has been on a
 * processor at each look since then, with no other coroutine: what is behind the suspension may turn round; 0: none.
 */
uint32_t analyze_stillness_leaving(const struct analysis *analysis, uint32_t thread);

/* analyze_stillness_lasts: is the time from `since` to the end of the process long enough for a standstill? */
bool analyze_stillness_lasts(const struct analysis *analysis, uint32_t process, ct_time since);

#define STILLNESS_THREADS 16u

/* analyze_stillness_tell_threads: the same of all threads of the process, of so many at most. */
void analyze_stillness_tell_threads(
	struct analysis *analysis, uint32_t process, struct story *story);

#endif
