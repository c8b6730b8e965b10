/* SPDX-License-Identifier: MIT */
/*
 * The detectors: for each question one that finds, which adds candidates, and one that describes a group of them. What
 * else one of them knows that another one asks stands beside it. A part of analyze/parts.h.
 */
#ifndef ANALYZE_DETECTORS_H
#define ANALYZE_DETECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/model.h"

struct analysis;
struct candidate;
struct group;
struct party;
struct story;

void analyze_livelock_find(struct analysis *analysis);
void analyze_livelock_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/* analyze_livelock_tells: does it say so of this coroutine? */
bool analyze_livelock_tells(const struct analysis *analysis, uint32_t coro);
void analyze_passed_over_find(struct analysis *analysis);
void analyze_passed_over_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_endless_run_find(struct analysis *analysis);
void analyze_endless_run_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_standstill_find(struct analysis *analysis);
void analyze_standstill_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

void analyze_closed_descriptor_find(struct analysis *analysis);
void analyze_closed_descriptor_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/* analyze_closed_descriptor_cause: who closed the descriptor that this one candidate waits for. */
void analyze_closed_descriptor_cause(
	struct analysis *analysis, const struct candidate *candidate, struct ct_step *ret_cause);
void analyze_closed_unread_find(struct analysis *analysis);
void analyze_closed_unread_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/*
 * analyze_left_behind_is: waits far longer than anybody has waited there, of which nothing else is told, while others
 * go on.
 */
bool analyze_left_behind_is(const struct analysis *analysis, const struct model_coro *coro);

void analyze_lost_wakeup_find(struct analysis *analysis);
/*
 * analyze_lost_wakeup_is_given: was what it waits for given back, and taken by nobody since; or was it notified of,
 * with this one waiting, and nobody was found?
 */
bool analyze_lost_wakeup_is_given(
	const struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since);
void analyze_lost_wakeup_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_crash_find(struct analysis *analysis);
void analyze_crash_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

void analyze_dropped_wake_find(struct analysis *analysis);
void analyze_dropped_wake_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

void analyze_double_resume_find(struct analysis *analysis);
void analyze_double_resume_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/* analyze_double_resume_is: is this step of that kind? analyze_double_resume_tell: its wakes and both resumes. */
bool analyze_double_resume_is(const struct model_conflict *conflict);
void analyze_double_resume_tell(
	struct analysis *analysis, const struct model_conflict *conflict, struct story *story);
void analyze_woken_twice_find(struct analysis *analysis);
void analyze_woken_twice_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
/* analyze_resume_after_destroy_is_meant: is it certain that this was done to that coroutine, and to no untraced one? */
bool analyze_resume_after_destroy_is_meant(
	const struct analysis *analysis, const struct model_ghost *ghost);
void analyze_resume_after_destroy_find(struct analysis *analysis);
void analyze_resume_after_destroy_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_two_holders_find(struct analysis *analysis);
void analyze_two_holders_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_deadlock_find(struct analysis *analysis);
void analyze_deadlock_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_destroyed_suspended_find(struct analysis *analysis);
void analyze_destroyed_suspended_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_woken_destroyed_find(struct analysis *analysis);
void analyze_woken_destroyed_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_granted_find(struct analysis *analysis);
void analyze_granted_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_stuck_worker_find(struct analysis *analysis);
void analyze_stuck_worker_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_missed_wake_find(struct analysis *analysis);
void analyze_missed_wake_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_worker_hog_find(struct analysis *analysis);
void analyze_worker_hog_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_starvation_find(struct analysis *analysis);
void analyze_starvation_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_self_wake_storm_find(struct analysis *analysis);
void analyze_self_wake_storm_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_leak_find(struct analysis *analysis);
void analyze_leak_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_duplicate_wake_find(struct analysis *analysis);
void analyze_duplicate_wake_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_orphan_find(struct analysis *analysis);
void analyze_orphan_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_lock_order_find(struct analysis *analysis);
void analyze_lock_order_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_herd_find(struct analysis *analysis);
void analyze_herd_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_growth_find(struct analysis *analysis);
void analyze_growth_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);
void analyze_broken_state_find(struct analysis *analysis);
void analyze_broken_state_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

#endif
