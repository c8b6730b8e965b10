/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the rules: the rules by name, and facts that one rule knows and another one needs. Not for
 * other folders.
 */
#ifndef RULES_PARTS_H
#define RULES_PARTS_H

#include "analyze/errands.h"
#include "analyze/parts.h"
#include "analyze/proof.h"

#define X(name, number, file, text, says, wrong_if, next_step) \
	extern const struct rule rules_##file;
#include "corotracer/def/findings.def"
#undef X

/* rules_crash_has_coros: does the trace record coroutines of this process? */
bool rules_crash_has_coros(const struct analysis *analysis, uint32_t process);

/*
 * rules_double_resume_is: is this conflict a double resume? rules_double_resume_tell: adds its wakes and both resumes
 * as steps.
 */
bool rules_double_resume_is(const struct model_conflict *conflict);
void rules_double_resume_tell(
	struct analysis *analysis, const struct model_conflict *conflict, struct story *story);

/*
 * rules_resume_after_destroy_is_meant: is it certain that the ghost is about that coroutine, and not about an
 * untraced one?
 */
bool rules_resume_after_destroy_is_meant(
	const struct analysis *analysis, const struct model_ghost *ghost);

/*
 * rules_unreached_find: adds lost wakeups, of this variant, of coroutines to whose wake nothing in memory leads.
 * rules_unreached_words: says so.
 */
void rules_unreached_find(struct analysis *analysis, uint8_t variant);
extern const char rules_unreached_words[];

/* rules_lock_order_is_held: does a coroutine hold this lock, an index of objects, and where did it take it? */
bool rules_lock_order_is_held(const struct analysis *analysis, uint32_t object, uint32_t *ret_site);

/*
 * rules_left_behind_is: has the coroutine waited far longer than others waited there, or lived, and does everything
 * that is known of the others speak against its going on? rules_left_behind_words: returns how it is left behind, for
 * a title. rules_left_behind_tell: adds the evidence, and may say what to look at. rules_left_behind_is_longest: did
 * each ended wait at its place take at most a tenth of the time of this one? rules_left_behind_has_habit: and were
 * there at least three? rules_left_behind_is_forgotten: can nobody but itself find what the coroutine waits for?
 * rules_left_behind_is_facing: is it for a descriptor whose other end is waited for as well (analyze/facing.h), while
 * nothing but beats moves?
 */
bool rules_left_behind_is(const struct analysis *analysis, const struct model_coro *coro);
bool rules_left_behind_is_forgotten(const struct analysis *analysis, const struct model_coro *coro);
bool rules_left_behind_has_habit(const struct analysis *analysis, const struct model_coro *coro);
bool rules_left_behind_is_longest(const struct analysis *analysis, const struct model_coro *coro);
bool rules_left_behind_is_facing(const struct analysis *analysis, const struct model_coro *coro);
const char *rules_left_behind_words(const struct analysis *analysis, const struct model_coro *coro);
void rules_left_behind_tell(struct analysis *analysis, const struct model_coro *coro,
	struct story *story, struct ct_finding *finding);

/*
 * rules_told_before_is: was what the coroutine waits for announced just before this wait, while nobody waited? The
 * wait must be far longer than others there.
 */
bool rules_told_before_is(const struct analysis *analysis, const struct model_coro *coro);

/*
 * rules_left_at_exit_is: is the coroutine left behind in a program that ended well, and may be meant to end with such
 * waits? False for consumers, and unless most of those have ended that were started with it. rules_left_at_exit_tell:
 * adds that as evidence, if the program has ended well.
 */
bool rules_left_at_exit_is(const struct analysis *analysis, const struct model_coro *coro);
void rules_left_at_exit_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story);

/*
 * rules_early_wake_tell: adds that another thread has woken the coroutine just before it suspended, while it still
 * ran, and how many wait there like this.
 */
void rules_early_wake_tell(struct analysis *analysis, const struct model_coro *coro,
	struct story *story, struct ct_finding *finding);

/* rules_wake_lost_with_task_is_told: does a finding say that a wake was lost with this coroutine? */
bool rules_wake_lost_with_task_is_told(const struct analysis *analysis, uint32_t coro);

/*
 * rules_lost_wakeup_is_given: was what the coroutine waits for given back and not taken since, or did a notify of it
 * find no waiter although the coroutine waited? rules_lost_wakeup_was_passed_by: was there such a notify, so long ago
 * that it is no race?
 */
bool rules_lost_wakeup_is_given(
	const struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since);
bool rules_lost_wakeup_was_passed_by(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * rules_last_change_tell: adds what was last done to the resource that the coroutine waits for, at
 * rules_last_change_time. The other three are about an event that was notified before the wait, in vain, and not
 * changed since. rules_last_change_came_before: is it so? rules_last_change_words: says so behind a title; "" if not.
 * rules_last_change_site: the place of that notify; 0: it is not so. All but rules_last_change_came_before speak of
 * another one's wait, if the coroutine is in a circle of givers in which that one's notify was the exception.
 */
void rules_last_change_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story);
bool rules_last_change_came_before(const struct analysis *analysis, const struct model_coro *coro);
const char *rules_last_change_words(struct analysis *analysis, const struct model_coro *coro);
uint32_t rules_last_change_site(const struct analysis *analysis, const struct model_coro *coro);
ct_time rules_last_change_time(const struct analysis *analysis, const struct model_coro *coro);

/*
 * rules_kept_frames_find: adds leaks, of this variant, of coroutines that have ended and were never destroyed, though
 * those that started them are gone. rules_kept_frames_describe: describes them.
 */
void rules_kept_frames_find(struct analysis *analysis, uint8_t variant);
void rules_kept_frames_describe(struct analysis *analysis, const struct group *group,
	struct story *story, struct ct_finding *finding);

/*
 * rules_kept_lock_is: does the coroutine wait for over a second for a lock that was taken ten times longer ago than
 * anybody ever had it that let it go again, by a coroutine that has ended, or goes on and used to let go of locks as
 * soon? Then the next two say it: words for the title, and the habit of an owner that goes on. The last one: has an
 * owner ended, as far as is recorded?
 */
bool rules_kept_lock_is(const struct analysis *analysis, const struct model_coro *coro);
const char *rules_kept_lock_words(const struct analysis *analysis, const struct model_coro *coro);
void rules_kept_lock_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story);
bool rules_kept_lock_has_ended(const struct model_coro *owner);

/*
 * rules_kept_permits_are_all: does the coroutine wait for over a second for a semaphore of which only coroutines have
 * permits that have ended, while all others that took one gave it back themselves? Then the other two say it:
 * rules_kept_permits_site: returns where the last of these permits was taken. rules_kept_permits_words: says so behind
 * a title.
 *
 * rules_kept_permits_tell: adds the end of the last one that kept a permit as a step, whoever else has permits; nothing
 * if it waits for no semaphore, or for one that others than its takers give back.
 */
bool rules_kept_permits_are_all(const struct analysis *analysis, const struct model_coro *coro);
uint32_t rules_kept_permits_site(const struct analysis *analysis, const struct model_coro *coro);
const char *rules_kept_permits_words(struct analysis *analysis, const struct model_coro *coro);
void rules_kept_permits_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story);

/*
 * rules_overdue_look: of the watcher of lost wakeups, which needs an int64_t for each place. rules_overdue_find: adds
 * lost wakeups, of this variant, of coroutines whose wait was to end by itself long ago, while every worker has been
 * idle: in each process those at the place of the one that is overdue for the longest time. The others are for these.
 * rules_overdue_words: says so in a title. rules_overdue_tell_time: adds that time as a step. rules_overdue_tell: adds
 * the evidence. rules_overdue_next_step: what to look at.
 */
extern const char *const rules_overdue_next_step;
bool rules_overdue_look(struct model_watch *watch, const struct model_sight *sight);
void rules_overdue_find(struct analysis *analysis, uint8_t variant);
const char *rules_overdue_words(
	struct analysis *analysis, const struct group *group, const struct model_coro *coro);
void rules_overdue_tell_time(
	struct analysis *analysis, const struct model_coro *coro, struct story *story);
void rules_overdue_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story);

/*
 * rules_pollers_is_one: does the coroutine come back from timers, though the one that started it has ended?
 * rules_pollers_are: is that so of those of one place, many of which have come back again and again, and has none of
 * them ever ended? There must be more of them than open connections.
 */
bool rules_pollers_is_one(const struct analysis *analysis, const struct model_coro *coro);
bool rules_pollers_are(
	const struct analysis *analysis, const uint32_t *order, uint32_t count, uint32_t process);

/*
 * rules_lifetimes_bound: tells by site, whether their lifetime bounds how many of those started there are alive: in the
 * scratch arena; NULL: out of memory. rules_lifetimes_is_bound: tells that of one site.
 */
bool *rules_lifetimes_bound(struct analysis *analysis, uint32_t process);
bool rules_lifetimes_is_bound(struct analysis *analysis, uint32_t process, uint32_t site);

/*
 * rules_freed_frame_of: returns the coroutine whose freed frame was resumed, which led to this crash; 0: there is none
 * that the address shows. rules_freed_frame_tell: adds who woke it, and destroyed it, as steps, how that is
 * known, and what to look at.
 */
uint32_t rules_freed_frame_of(const struct analysis *analysis, const struct model_crash *crash);
void rules_freed_frame_tell(struct analysis *analysis, uint32_t index,
	const struct model_crash *crash, struct story *story, struct ct_finding *finding);

/*
 * rules_missed_notify_meanwhile: returns the notify that found no waiter while this one waited, even if a later notify
 * found one since. One of them may be recorded at its end, with the other one within it, even on one thread. Such a
 * notify affects no grade, but explains much. NULL: there is none.
 */
const struct model_waking *rules_missed_notify_meanwhile(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * rules_missed_notify_tell: adds a notify that found no waiter, though the coroutine waits, as a step.
 * rules_missed_notify_tell_all: adds a notify of this wait that did find waiters, too, in order.
 * rules_missed_notify_was_outlived: has this coroutine been woken by a later notify of the object, taken something
 * from it, and then gone to wait? Then it looked there again, and the notify may have been the end of another object
 * that lay at the same address.
 */
bool rules_missed_notify_was_outlived(const struct analysis *analysis,
	const struct model_coro *coro, const struct model_object *object);
void rules_missed_notify_tell(struct analysis *analysis, const struct model_coro *coro,
	const struct model_waking *notify, struct story *story);
void rules_missed_notify_tell_all(struct analysis *analysis, const struct model_coro *coro,
	const struct model_waking *missed, struct story *story);

/*
 * rules_waker_end_error: returns where an error arose that has ended the coroutine which ended the last such wait; 0:
 * no error has. rules_waker_end_words: says so behind a title. rules_waker_end_tell: adds the error, or else the
 * coroutine's cancellation, as a step; nothing if there was neither.
 */
uint32_t rules_waker_end_error(const struct analysis *analysis, const struct model_coro *coro);
const char *rules_waker_end_words(struct analysis *analysis, const struct model_coro *coro);
void rules_waker_end_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story);

/*
 * rules_endless_run_is: has this coroutine run for that long, without any recorded act of it or its thread? False for
 * coroutines that are marked or excused. rules_endless_run_place: returns the site where such a run began.
 * rules_endless_run_is_unusual: does this run last far longer than 99 of 100 from its place? False if these are few.
 */
bool rules_endless_run_is(const struct analysis *analysis, uint32_t index, int64_t limit_ns);
bool rules_endless_run_is_unusual(const struct analysis *analysis, const struct model_coro *coro);
uint32_t rules_endless_run_place(const struct model_coro *coro);

/*
 * rules_kept_waiting_count: this coroutine runs. Returns how many others of its thread wait, ten times longer than such
 * waits take, and would have gone on in the first half of its run; *ret_first: the one that has waited for longest. 0
 * if another thread runs coroutines, one has run since, or the kernel's accounts do not show that the thread was at it.
 */
uint32_t rules_kept_waiting_count(
	const struct analysis *analysis, uint32_t runner, uint32_t *ret_first);

/* rules_mutex_owner_tell: of a thread that waits for a mutex whose owner is known, tells what runs on the owner. */
void rules_mutex_owner_tell(struct analysis *analysis, uint32_t waiting, struct story *story);

/*
 * rules_spinning_worker_explains: in a process that stands still, does a worker spin after the suspension of a
 * coroutine? If so, adds that as the finding.
 */
bool rules_spinning_worker_explains(struct analysis *analysis, uint32_t process);

/*
 * rules_lost_waker_tell: adds that the run before this wait kept no waker, by which the coroutine could be woken.
 * Returns false if that is not recorded.
 */
bool rules_lost_waker_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

/*
 * rules_blocked_worker_is_behind: may the coroutine be waiting for one that has a finding for blocking its thread: as
 * its ancestor, for what it holds, or because every worker is blocked?
 */
bool rules_blocked_worker_is_behind(const struct analysis *analysis, uint32_t index);

/*
 * rules_blocked_worker_is_named: is there a finding, of whatever grade, for what is in this coroutine's way?
 * rules_blocked_worker_has_served: has the thread run many coroutines that others had woken?
 */
bool rules_blocked_worker_has_served(const struct analysis *analysis, uint32_t thread);
bool rules_blocked_worker_is_named(const struct analysis *analysis, uint32_t index);

/* Coroutines that cannot go on while one keeps its thread. */
struct rules_waiting {
	/* ancestors that wait for it, coroutines that wait for what it holds, and coroutines that it made ready */
	uint32_t nr_behind;
	uint32_t nr_others; /* coroutines that wait for anything else */
	uint32_t nr_ready;  /* that others made ready, more than the limit of blocked-worker ago */
	uint32_t nr_not_begun; /* coroutines that were created, and have never run */
};

/*
 * rules_behind_is: can this coroutine go on only after the blocker releases its thread? rules_behind_is_waiting: does
 * the coroutine wait, with no end by the clock? rules_behind_is_not_begun: was it created, and has never run?
 * rules_behind_count: counts the coroutines of the process for which one of these is true. rules_behind_tell_left: adds
 * evidence of the first coroutine that the blocker started or made ready in its run and that has not run since; adds
 * nothing if there is none.
 */
bool rules_behind_is(const struct analysis *analysis, uint32_t index, uint32_t blocker);
bool rules_behind_is_waiting(const struct analysis *analysis, uint32_t index);
bool rules_behind_is_not_begun(const struct analysis *analysis, uint32_t index);
struct rules_waiting rules_behind_count(const struct analysis *analysis, uint32_t blocker);
void rules_behind_tell_left(struct analysis *analysis, struct story *story, uint32_t blocker);

/*
 * rules_untaken_is_object: is this the index of a channel from which nobody takes any more, because all that did have
 * ended? rules_untaken_candidate: returns the candidate of unbounded growth for it, a Suspect. rules_untaken_is: is it
 * such a candidate? rules_untaken_describe: says so.
 */
bool rules_untaken_is_object(const struct analysis *analysis, uint32_t index);
struct candidate rules_untaken_candidate(const struct analysis *analysis, uint32_t index);
bool rules_untaken_is(const struct candidate *candidate);
void rules_untaken_describe(struct analysis *analysis, const struct group *group,
	struct story *story, struct ct_finding *finding);

#endif
