/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the rules: the rules, by name, and facts that one of them knows and another one asks. Nothing
 * here is for other folders.
 */
#ifndef RULES_PARTS_H
#define RULES_PARTS_H

#include "analyze/parts.h"
#include "analyze/proof.h"

#define X(name, number, file, text, says, wrong_if, next_step) \
	extern const struct rule rules_##file;
#include "corotracer/def/findings.def"
#undef X

/* rules_crash_has_coros: does anything tell of coroutines of this process? */
bool rules_crash_has_coros(const struct analysis *analysis, uint32_t process);

/* rules_double_resume_is: is this step of that kind? rules_double_resume_tell: its wakes and both resumes. */
bool rules_double_resume_is(const struct model_conflict *conflict);
void rules_double_resume_tell(
	struct analysis *analysis, const struct model_conflict *conflict, struct story *story);

/* rules_resume_after_destroy_is_meant: is it certain that this was done to that coroutine, and to no untraced one? */
bool rules_resume_after_destroy_is_meant(
	const struct analysis *analysis, const struct model_ghost *ghost);

/* rules_lock_order_is_held: does a coroutine hold this lock, an index of objects, and where did it take it? */
bool rules_lock_order_is_held(const struct analysis *analysis, uint32_t object, uint32_t *ret_site);

/*
 * rules_left_behind_is: has it waited far longer than others waited there, or lived, and does what is told of the
 * others speak against its going on? rules_left_behind_words: how it does, for a title.
 * rules_left_behind_tell: evidence of it.
 * rules_left_behind_is_longest: did each wait that ended where it waits take a tenth of its time at most?
 */
bool rules_left_behind_is(const struct analysis *analysis, const struct model_coro *coro);
bool rules_left_behind_is_longest(const struct analysis *analysis, const struct model_coro *coro);
const char *rules_left_behind_words(const struct analysis *analysis, const struct model_coro *coro);
void rules_left_behind_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story);

/* rules_wake_lost_with_task_is_told: does a finding say of this coroutine that a wake was lost with it? */
bool rules_wake_lost_with_task_is_told(const struct analysis *analysis, uint32_t coro);

/*
 * rules_lost_wakeup_is_given: was what it waits for given back, and taken by nobody since; or was it notified of, with
 * this one waiting, and nobody was found? rules_lost_wakeup_was_passed_by: the latter alone, so long ago that it is
 * no race.
 */
bool rules_lost_wakeup_is_given(
	const struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since);
bool rules_lost_wakeup_was_passed_by(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * rules_endless_run_is: has this coroutine run for so long, and neither it nor its thread done anything that is told?
 * Not of those that are marked or excused. rules_endless_run_place: where such a run began: a site.
 */
bool rules_endless_run_is(const struct analysis *analysis, uint32_t index, int64_t limit_ns);
uint32_t rules_endless_run_place(const struct model_coro *coro);

/*
 * rules_spinning_worker_explains: does a worker of a process that stands still turn round behind a suspension? Then
 * that is the finding, and is added here.
 */
bool rules_spinning_worker_explains(struct analysis *analysis, uint32_t process);

/*
 * rules_blocked_worker_is_behind: may it wait for a coroutine of which a finding says that it blocks its thread? As one
 * that started it, for what it has, or because every worker is blocked.
 */
bool rules_blocked_worker_is_behind(const struct analysis *analysis, uint32_t index);

/* Coroutines that do not go on while one keeps its thread. */
struct rules_waiting {
	uint32_t nr_behind; /* for this one, as its parents, for what it has, or made ready by it */
	uint32_t nr_others; /* that wait for anything */
};

/*
 * rules_behind_is: does this coroutine not go on before that one lets its thread go? rules_behind_is_waiting: does it
 * wait, and no clock ends that? rules_behind_count: all of the process, by which of the two is so.
 * rules_behind_tell_left: as evidence, the first one that it started or made ready in its run, and that has not run
 * since; nothing where there is none, or no such coroutine.
 */
bool rules_behind_is(const struct analysis *analysis, uint32_t index, uint32_t blocker);
bool rules_behind_is_waiting(const struct analysis *analysis, uint32_t index);
struct rules_waiting rules_behind_count(const struct analysis *analysis, uint32_t blocker);
void rules_behind_tell_left(struct analysis *analysis, struct story *story, uint32_t blocker);

#endif
