/* SPDX-License-Identifier: MIT */
/*
 * What a runtime says about a wait in words only, if nothing else tells kinds of waits apart.
 */
#ifndef ANALYZE_RUNTIME_WORDS_H
#define ANALYZE_RUNTIME_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"
#include "event/go_words.h"

struct analysis;
struct model_coro;

/*
 * analyze_runtime_words_is: does the coroutine wait with this word as its reason, or in the function of this name?
 * analyze_runtime_words_may_be_timed: may one of several channels that the coroutine waits for be a timer's? So it may,
 * for as long as it has waited for no longer than any wait should.
 * analyze_runtime_words_most_may_be_timed: is that so of most of the living coroutines created since then?
 * analyze_runtime_words_runs: did the coroutine begin in the function of this name?
 * analyze_runtime_words_say_claim: is the wait for a lock or a permit, as its object says, or the name of what is
 * awaited, a "mutex" or a "semaphore", or a call that ends with "acquire"?
 * analyze_runtime_words_say_lock: is the function that waits called a lock, as "mutex_lock"?
 * analyze_runtime_words_say_send: does the name of what is awaited, or else the function that waits, end in "send",
 * "put" or "push"?
 * analyze_runtime_words_say_sleep: is the function that waits called "sleep", "sleep_for" or "sleep_until"?
 * analyze_runtime_words_send_to_nobody: does it send to a channel that was never made? A program may be meant to
 * receive for ever, as from a context without an end, or to select among nothing.
 */
bool analyze_runtime_words_is(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word);
bool analyze_runtime_words_may_be_timed(
	const struct analysis *analysis, const struct model_coro *coro);
bool analyze_runtime_words_most_may_be_timed(
	const struct analysis *analysis, uint32_t process, ct_time since);
bool analyze_runtime_words_runs(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word);
bool analyze_runtime_words_say_claim(
	const struct analysis *analysis, const struct model_coro *coro);
bool analyze_runtime_words_say_lock(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_runtime_words_say_send(const struct analysis *analysis, const struct model_coro *coro);
bool analyze_runtime_words_say_sleep(
	const struct analysis *analysis, const struct model_coro *coro);
bool analyze_runtime_words_send_to_nobody(
	const struct analysis *analysis, const struct model_coro *coro);

#endif
