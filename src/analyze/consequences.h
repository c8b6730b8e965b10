/* SPDX-License-Identifier: MIT */
/*
 * Consequences: groups of coroutines that wait because those of another group do, as workers do that get no more work
 * from the ones that are in a deadlock. One cause is one finding, and the culprit stands first.
 */
#ifndef ANALYZE_CONSEQUENCES_H
#define ANALYZE_CONSEQUENCES_H

struct analysis;
struct group;
struct story;

/* How near a group is to the cause; of groups of one grade the nearest stands first. */
enum rank {
	/* its members are in a circle, may have themselves what they wait for, or were let down by one they started */
	RANK_CAUSE,
	RANK_CLAIM, /* they wait for a lock, or to send, and the trace does not name for which */
	RANK_OTHER,
	/* such waits are usual in idle programs of Go; or it waits for the next message, as it does again and again */
	RANK_IDLE,
};

/*
 * analyze_consequences_survey: ranks all groups, and removes each group of nothing but waits that another group of at
 * least its grade and of a nearer rank, a cause or a claim, holds up: every member (over half, if such waits are usual
 * in idle programs) waits for one that is stuck with that group, or held up by it in turn. Stuck are its members, the
 * other side of its circle, and those that wait for a lock in a method of the same type. Whom a coroutine waits for is
 * told by who ended the last wait where it waits, or does so since that one has ended (successors.h), woke it last, was
 * woken by it before its wait (asked.h), has ever woken it (partners.h), or started it.
 */
void analyze_consequences_survey(struct analysis *analysis);

/* analyze_consequences_tell: adds evidence of those that the group holds up so, and that have no finding, by place. */
void analyze_consequences_tell(
	struct analysis *analysis, const struct group *group, struct story *story);

#endif
