/* SPDX-License-Identifier: MIT */
/*
 * Same locks: waits for a lock that the trace does not name (P-104), in methods of one type. A type mostly protects
 * itself by one lock, so that waits in several of its methods may be for the same lock. One cause is one finding.
 */
#ifndef ANALYZE_SAME_LOCKS_H
#define ANALYZE_SAME_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct analysis;
struct model_coro;
struct story;

/* analyze_same_locks_are_of_type: are the functions of both places methods of one type? */
bool analyze_same_locks_are_of_type(const struct analysis *analysis, uint32_t site, uint32_t other);

/*
 * analyze_same_locks_survey: keeps one group for each type, of the groups of candidates that stand for such waits and
 * for nothing else. Keeps a group of the highest grade; among these, the group at whose place waits had ended before,
 * or the one whose wait began first. Keeps none if another group's first member may have that lock: it waits for a
 * channel, or for the end of others, since before, in a method of the type.
 */
void analyze_same_locks_survey(struct analysis *analysis);

/*
 * analyze_same_locks_holder: returns the coroutine that may have the lock for which this one waits, and waits for what
 * this one brings: in a method of the type, for a channel, since before, where this one or one of its kind ended the
 * last wait, and both have woken each other (partners.h). 0: there is none.
 */
uint32_t analyze_same_locks_holder(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_same_locks_inside: returns the only coroutine that has waited for something else since before, further on in
 * the function in which this one waits for the lock, or for room in a method of the type; it may have the lock. 0:
 * there is none.
 */
uint32_t analyze_same_locks_inside(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_same_locks_begin: notes at which places coroutines wait for locks. Call after the whole trace, and before:
 *
 * analyze_same_locks_twice: returns the place of a call by which this one came to wait, if it is further on in a
 * function in which others have waited for the lock since this run of it, and no method of the type is left in which
 * somebody else could have that lock: all that are in one wait for it. Then this one most likely has it. 0: there is
 * no such call.
 */
void analyze_same_locks_begin(struct analysis *analysis);
uint32_t analyze_same_locks_twice(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_same_locks_tell: adds evidence of the holder, if there is one, or else of the one inside. Also adds evidence
 * that lists, place by place, the coroutines that wait for an unnamed lock in other methods of the type, or, if this
 * one waits for something else, for a lock that it may have.
 */
void analyze_same_locks_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
