/* SPDX-License-Identifier: MIT */
/*
 * What a runtime says about a wait in words only, if nothing else tells kinds of waits apart.
 */
#ifndef ANALYZE_RUNTIME_WORDS_H
#define ANALYZE_RUNTIME_WORDS_H

#include <stdbool.h>

#include "event/go_words.h"

struct analysis;
struct model_coro;

/*
 * analyze_runtime_words_is: does the coroutine wait with this word as its reason, or in the function of this name?
 * analyze_runtime_words_runs: did the coroutine begin in the function of this name?
 * analyze_runtime_words_calls: is the innermost call of its wait one of the function of this name?
 */
bool analyze_runtime_words_is(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word);
bool analyze_runtime_words_runs(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word);
bool analyze_runtime_words_calls(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word);

#endif
