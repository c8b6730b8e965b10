/* SPDX-License-Identifier: MIT */
/*
 * Closed groups: coroutines that all wait, and that only coroutines of the group have ever woken. As far as such
 * waits are known, each member waits for another member.
 */
#ifndef ANALYZE_CLOSED_GROUPS_H
#define ANALYZE_CLOSED_GROUPS_H

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

#define CLOSED_GROUP_MOST 8u /* coroutines */

struct closed_group {
	uint32_t members[CLOSED_GROUP_MOST]; /* the coroutine that was asked about comes first */
	unsigned count;                      /* 0: the coroutine is in no closed group */
};

/* analyze_closed_groups_watcher: the watcher that records who woke whom; the judgement registers it. */
extern const struct model_watcher analyze_closed_groups_watcher;

/*
 * analyze_closed_group_of: returns the smallest closed group of two or more coroutines with `coro` in it. All members
 * wait for something that the program itself must do, and each was woken at least ten times.
 */
struct closed_group analyze_closed_group_of(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_closed_group_tell: adds evidence that says for each member how often it was woken, by whom, and where it
 * waits since when.
 */
void analyze_closed_group_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/* Coroutines that one has started, that wait at one place, and that nobody else has ever woken but from a sleep. */
struct dependants {
	uint32_t count;
	uint32_t first;    /* one of them */
	uint64_t nr_woken; /* how often it woke them; at least once */
};

/*
 * analyze_dependants_of: finds them. analyze_dependants_tell: adds evidence of them; call only if there are any.
 */
struct dependants analyze_dependants_of(
	const struct analysis *analysis, const struct model_coro *coro);
void analyze_dependants_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
