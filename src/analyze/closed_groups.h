/* SPDX-License-Identifier: MIT */
/*
 * Closed groups: coroutines that wait, and that nobody but coroutines of the group has ever woken. By what is known of
 * such waits, each of them waits for another one of them.
 */
#ifndef ANALYZE_CLOSED_GROUPS_H
#define ANALYZE_CLOSED_GROUPS_H

#include <stdbool.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

#define CLOSED_GROUP_MOST 8u /* coroutines */

struct closed_group {
	uint32_t members[CLOSED_GROUP_MOST]; /* the one that is asked about first */
	unsigned count;                      /* 0: it is in no closed group */
};

/* analyze_closed_groups_watcher: looks on, and keeps who woke whom; the judgement lets it watch. */
extern const struct model_watcher analyze_closed_groups_watcher;

/*
 * analyze_closed_group_of: the smallest group of two or more, all of which wait for what the program has to do, and of
 * which each was woken ten times at least.
 */
struct closed_group analyze_closed_group_of(
	const struct analysis *analysis, const struct model_coro *coro);

/* analyze_closed_group_tell: as evidence, how often each was woken, by whom, and where it waits since when. */
void analyze_closed_group_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
