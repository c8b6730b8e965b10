/* SPDX-License-Identifier: MIT */
/*
 * Joins: waits of parents for the end of their children, if the program does not record that. The parent of a stuck
 * coroutine waits for the same reason, and needs no finding of its own.
 */
#ifndef ANALYZE_JOINS_H
#define ANALYZE_JOINS_H

#include "model/watcher.h"

struct analysis;
struct group;
struct story;

/*
 * analyze_joins_watcher: the watcher that counts for each place how many waits end after the end of a child; the
 * judgement registers it.
 */
extern const struct model_watcher analyze_joins_watcher;

/*
 * analyze_joins_survey: links groups to the groups of their members' children. Sets `descendant` of a group to a
 * coroutine that its first member started, directly or not, that has not ended and that another group has as a
 * member. Removes a group if nothing but the waits of its members was found, and if every member may wait for the end
 * of such a descendant, at a place where waits end only that way. The members of the removed group are counted in
 * `nr_parents` of the descendant's group.
 */
void analyze_joins_survey(struct analysis *analysis);

/* analyze_joins_tell: adds evidence of the group's descendant and of its parents. */
void analyze_joins_tell(struct analysis *analysis, const struct group *group, struct story *story);

#endif
