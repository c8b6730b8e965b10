/* SPDX-License-Identifier: MIT */
/*
 * What a runtime says of a wait in words alone, where nothing else tells kinds of waits apart.
 */
#ifndef ANALYZE_RUNTIME_WORDS_H
#define ANALYZE_RUNTIME_WORDS_H

#include <stdbool.h>

#include "event/go_words.h"

struct analysis;
struct model_coro;

/*
 * analyze_runtime_words_is: does it wait with this word for its reason, or in the function that is called so?
 * analyze_runtime_words_runs: is this the function with which it began?
 */
bool analyze_runtime_words_is(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word);
bool analyze_runtime_words_runs(
	const struct analysis *analysis, const struct model_coro *coro, enum go_word word);

#endif
