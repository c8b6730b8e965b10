/* SPDX-License-Identifier: MIT */
/*
 * Left behind: what the two files that judge this share: left_behind.c, and left_in_lull.c about what nothing but beats
 * has moved since. Not for other rules, which ask in parts.h.
 */
#ifndef RULES_LEFT_BEHIND_H
#define RULES_LEFT_BEHIND_H

#include <stdbool.h>

struct analysis;
struct model_coro;

#define FEW_WAITS 3u /* that have ended, and show roughly how long such a wait takes */

enum left_kind {
	KIND_NONE,
#define X(NAME, what, words) KIND_##NAME,
#include "rules/left_kinds.def"
#undef X
};

/* rules_left_behind_outlasts: have at least this many waits there ended, and each of them ten times sooner? */
bool rules_left_behind_outlasts(
	const struct analysis *analysis, const struct model_coro *coro, unsigned least);

/*
 * rules_left_in_lull_kind: how the coroutine is left behind if nothing but beats has moved since it began to wait, or
 * yielded; KIND_NONE if it is not, or if something else has moved.
 *
 * rules_left_in_lull_is_never_idle: is this a wait to send, or for a lock, whose object the trace does not name?
 *
 * rules_left_in_lull_may_be_signalled: may one of several channels that it waits for be a signal's?
 */
enum left_kind rules_left_in_lull_kind(
	const struct analysis *analysis, const struct model_coro *coro);
bool rules_left_in_lull_is_never_idle(
	const struct analysis *analysis, const struct model_coro *coro);
bool rules_left_in_lull_may_be_signalled(
	const struct analysis *analysis, const struct model_coro *coro);

#endif
