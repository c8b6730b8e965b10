/* SPDX-License-Identifier: MIT */
/*
 * The detectors: for each question one that finds, which adds candidates, and one that describes a group of them. What
 * else one of them knows that another one asks stands beside it. A part of analyze_parts.h.
 */
#ifndef ANALYZE_DETECTORS_H
#define ANALYZE_DETECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model.h"

struct analysis;
struct candidate;
struct group;
struct party;
struct story;

void livelock_find(struct analysis *analysis);
void livelock_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/* livelock_tells: does it say so of this coroutine? */
bool livelock_tells(const struct analysis *analysis, uint32_t coro);
void passed_over_find(struct analysis *analysis);
void passed_over_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void endless_run_find(struct analysis *analysis);
void endless_run_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void standstill_find(struct analysis *analysis);
void standstill_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

void closed_descriptor_find(struct analysis *analysis);
void closed_descriptor_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/* closed_descriptor_cause: who closed the descriptor that this one candidate waits for. */
void closed_descriptor_cause(
	struct analysis *analysis, const struct candidate *candidate, struct ct_step *ret_cause);
void closed_unread_find(struct analysis *analysis);
void closed_unread_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/* left_behind_is: waits far longer than anybody has waited there, of which nothing else is told, while others go on. */
bool left_behind_is(const struct analysis *analysis, const struct model_coro *coro);

void lost_wakeup_find(struct analysis *analysis);
/*
 * lost_wakeup_is_given: was what it waits for given back, and taken by nobody since; or was it notified of, with this
 * one waiting, and nobody was found?
 */
bool lost_wakeup_is_given(
	const struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since);
void lost_wakeup_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void crash_find(struct analysis *analysis);
void crash_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

void dropped_wake_find(struct analysis *analysis);
void dropped_wake_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

void double_resume_find(struct analysis *analysis);
void double_resume_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/* double_resume_is: is this step of that kind? double_resume_tell: its wakes and both resumes. */
bool double_resume_is(const struct model_conflict *conflict);
void double_resume_tell(
	struct analysis *analysis, const struct model_conflict *conflict, struct story *story);
void woken_twice_find(struct analysis *analysis);
void woken_twice_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/* resume_after_destroy_is_meant: is it certain that this was done to that coroutine, and to no untraced one? */
bool resume_after_destroy_is_meant(
	const struct analysis *analysis, const struct model_ghost *ghost);
void resume_after_destroy_find(struct analysis *analysis);
void resume_after_destroy_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void two_holders_find(struct analysis *analysis);
void two_holders_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void deadlock_find(struct analysis *analysis);
void deadlock_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void destroyed_suspended_find(struct analysis *analysis);
void destroyed_suspended_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void woken_destroyed_find(struct analysis *analysis);
void woken_destroyed_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void granted_find(struct analysis *analysis);
void granted_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void stuck_worker_find(struct analysis *analysis);
void stuck_worker_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void missed_wake_find(struct analysis *analysis);
void missed_wake_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void worker_hog_find(struct analysis *analysis);
void worker_hog_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void starvation_find(struct analysis *analysis);
void starvation_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void self_wake_storm_find(struct analysis *analysis);
void self_wake_storm_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void leak_find(struct analysis *analysis);
void leak_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void duplicate_wake_find(struct analysis *analysis);
void duplicate_wake_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void orphan_find(struct analysis *analysis);
void orphan_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void lock_order_find(struct analysis *analysis);
void lock_order_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void herd_find(struct analysis *analysis);
void herd_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void growth_find(struct analysis *analysis);
void growth_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void broken_state_find(struct analysis *analysis);
void broken_state_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

#endif
