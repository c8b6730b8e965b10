/* SPDX-License-Identifier: MIT */
/*
 * Companions: a coroutine that has run within each wait of another one, as a server does for its client in the same
 * program, whatever carries their messages. If it was then woken, did nothing, and waits again (fruitless.h), while the
 * other one waits as it always did, the other one waits behind it, and needs no finding of its own.
 */
#ifndef ANALYZE_COMPANIONS_H
#define ANALYZE_COMPANIONS_H

#include "model/watcher.h"

struct analysis;
struct group;
struct story;

/* analyze_companions_watcher: the watcher that finds companions; the judgement registers it. */
extern const struct model_watcher analyze_companions_watcher;

/*
 * analyze_companions_survey: removes each group of nothing but waits of which every member waits behind a member of
 * another group of at least its grade. At least five waits of each there must have ended.
 */
void analyze_companions_survey(struct analysis *analysis);

/* analyze_companions_tell: adds evidence of those that wait behind members of the group, and have no finding. */
void analyze_companions_tell(
	struct analysis *analysis, const struct group *group, struct story *story);

#endif
