/* SPDX-License-Identifier: MIT */
/*
 * Ties: who waits for whom, what for, and who has it. A part of parts.h.
 */
#ifndef ANALYZE_TIES_H
#define ANALYZE_TIES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

struct analysis;

/* Ties: who waits for whom; by coroutine, where nothing else is said. In the scratch arena. */
struct ties {
	uint32_t *next;   /* who must go on before it can */
	uint32_t *behind; /* the nearest one ahead that a finding speaks of; 0: none */
	/* One that has this one in `behind`, and that no finding tells of; 0: none. And the next such one. */
	uint32_t *victim_first;
	uint32_t *victim_next;
	uint32_t *seen;       /* on the way of which one, while victims are looked for */
	uint32_t *held_first; /* the first lock that it holds */
	uint32_t *held_next;  /* by object: the next lock of the same owner */
	uint32_t *nr_waiters; /* by object */
	ct_time *waits_since; /* by object: the youngest waiter's */
	uint32_t *waits_at;   /* by object: where that one waits */
};

/* analyze_ties_survey: finds out all ties. */
void analyze_ties_survey(struct analysis *analysis);

/* analyze_ties_child: the coroutine that this one waits for; 0: none, or it cannot be told which. */
uint32_t analyze_ties_child(struct analysis *analysis, const struct model_coro *coro);

/* analyze_ties_object_at: what this handle means; index 0 of the model: nothing was done to it. */
const struct model_object *analyze_ties_object_at(
	const struct analysis *analysis, uint32_t process, uint64_t handle);

/* analyze_ties_object: what it waits for, where anything was done to it; index 0 of the model: nothing. */
const struct model_object *analyze_ties_object(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * The object of a coroutine's wait: suspended, or running on a thread that waits for a lock with all that
 * runs on it.
 */
struct ties_wait {
	uint64_t object; /* a resource handle */
	ct_time since;
	uint64_t event;
	uint32_t site;
	uint32_t thread; /* the one that waits; 0: the coroutine does */
};

/* analyze_ties_wait: false where it waits for nothing. */
bool analyze_ties_wait(const struct analysis *analysis, uint32_t coro, struct ties_wait *ret_wait);

/* analyze_ties_thread_ahead: the thread that has this lock outside of coroutines, and itself waits for one; 0: none. */
uint32_t analyze_ties_thread_ahead(
	const struct analysis *analysis, uint32_t process, uint64_t lock);

/*
 * analyze_ties_next: who must go on before this waiting one can: child, owner of the lock, or one that is gone and had
 * been given what this one waits for; 0: not known.
 */
uint32_t analyze_ties_next(const struct analysis *analysis, uint32_t coro);

/* analyze_ties_find_victims: who waits, through others perhaps, for those that findings speak of by now. */
void analyze_ties_find_victims(struct analysis *analysis);

/* analyze_ties_behind: the nearest one ahead in that chain, as analyze_ties_find_victims found it; 0: none. */
uint32_t analyze_ties_behind(const struct analysis *analysis, uint32_t coro);

/*
 * analyze_ties_is_something_left: was more given than taken? The rest lies there for the next one that looks. Only
 * where takings are told; else all that was given may have been taken.
 */
bool analyze_ties_is_something_left(
	const struct analysis *analysis, const struct model_object *object);

#define TIES_GENERATIONS 64u /* of parents that are looked through */

/* analyze_ties_comes_from: is it this one, or was it started by it, through any of these generations? */
bool analyze_ties_comes_from(const struct model *model, uint32_t coro, uint32_t from);

/* analyze_ties_may_be_for_end: may its wait, by what is told, be for the end of one that it has started? */
bool analyze_ties_may_be_for_end(const struct model_coro *coro);

/* analyze_ties_is_for_untold_lock: does it wait for a lock, and which one is not told (P-104)? */
bool analyze_ties_is_for_untold_lock(const struct model_coro *coro);

/*
 * analyze_ties_may_be_idle: does it wait for what others may send, signal or end, by a thing of which is not told which
 * it is (P-104)? A worker without work waits so, for any time. One that waits to send, or for a lock, does not.
 */
bool analyze_ties_may_be_idle(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_ties_is_shutting_down: had the program said before `time` that it ends? */
bool analyze_ties_is_shutting_down(const struct analysis *analysis, uint32_t process, ct_time time);

/* analyze_ties_holds_lock: does it hold a lock, in the end or when it was destroyed? */
bool analyze_ties_holds_lock(const struct analysis *analysis, uint32_t coro);

/* analyze_ties_nr_waiters: how many wait for the object, an index of the model. */
uint32_t analyze_ties_nr_waiters(const struct analysis *analysis, uint32_t object);

/* analyze_ties_waits_since: since when the youngest of them does; CT_NO_TIME: nobody waits. */
ct_time analyze_ties_waits_since(const struct analysis *analysis, uint32_t object);

/*
 * analyze_ties_was_found_empty: did somebody come at `time` or later for what is left in the object until it is
 * taken, at the place where this coroutine waits, and has to wait, too?
 */
bool analyze_ties_was_found_empty(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_object *object, ct_time time);

#endif
