/* SPDX-License-Identifier: MIT */
/*
 * Joins: waits of parents for the end of those that they started, where the program does not say so. A parent of a
 * coroutine that is stuck waits for the same reason, and no finding of its own is needed.
 */
#ifndef ANALYZE_JOINS_H
#define ANALYZE_JOINS_H

#include "model/watcher.h"

struct analysis;
struct group;
struct story;

/* analyze_joins_watcher: looks on, and counts at which places waits end after the end of a child. */
extern const struct model_watcher analyze_joins_watcher;

/*
 * analyze_joins_survey: finds the groups whose first member started, directly or not, one of whom another group tells
 * (`descendant`), and has not ended. A lost wakeup of which nothing but the wait is found, and all of whose members may
 * wait for the end of such a one, at places where no wait has ended in another way, is no finding of its own: it goes,
 * and its members become `nr_parents` of that other group.
 */
void analyze_joins_survey(struct analysis *analysis);

/* analyze_joins_tell: evidence of both. */
void analyze_joins_tell(struct analysis *analysis, const struct group *group, struct story *story);

#endif
