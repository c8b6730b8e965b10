/* SPDX-License-Identifier: MIT */
/*
 * Ties: what each coroutine waits for, and which coroutine must act before it can go on: a child that must end, the
 * owner of a lock. A part of parts.h.
 */
#ifndef ANALYZE_TIES_H
#define ANALYZE_TIES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

struct analysis;

/* All ties. Arrays are indexed by coroutine unless stated otherwise, and are in the scratch arena. */
struct ties {
	uint32_t *next; /* the coroutine that must go on before this one can */
	/* the nearest coroutine ahead in the chain that has a finding; 0: none */
	uint32_t *behind;
	/* A coroutine without a finding that has this one in `behind`, and the next such coroutine; 0: none. */
	uint32_t *victim_first;
	uint32_t *victim_next;
	/* number of the search that passed it, while victims are looked for */
	uint32_t *seen;
	uint32_t *held_first; /* the first lock that the coroutine holds */
	uint32_t *held_next;  /* by object: the next lock of the same owner */
	uint32_t *nr_waiters; /* by object */
	ct_time *waits_since; /* by object: since when the youngest waiter waits */
	uint32_t *waits_at;   /* by object: where the youngest waiter waits */
};

/* analyze_ties_survey: computes all ties. */
void analyze_ties_survey(struct analysis *analysis);

/* analyze_ties_child: returns the coroutine whose end `coro` waits for; 0: none, or not known. */
uint32_t analyze_ties_child(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_ties_object_at: returns the object of a handle; index 0 of the model if nothing was done to it. */
const struct model_object *analyze_ties_object_at(
	const struct analysis *analysis, uint32_t process, uint64_t handle);

/*
 * analyze_ties_object: returns the object that the coroutine waits for; index 0 of the model if nothing was done to
 * it.
 */
const struct model_object *analyze_ties_object(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * The object of a coroutine's wait. The coroutine is suspended, or runs on a thread that waits for a lock and holds
 * up all that runs on it.
 */
struct ties_wait {
	uint64_t object; /* a resource handle */
	ct_time since;
	uint64_t event;
	uint32_t site;
	uint32_t thread; /* the thread that waits; 0: the coroutine is suspended */
};

/* analyze_ties_wait: returns false if the coroutine waits for nothing. */
bool analyze_ties_wait(const struct analysis *analysis, uint32_t coro, struct ties_wait *ret_wait);

/*
 * analyze_ties_thread_ahead: returns the thread that holds this lock outside of coroutines and itself waits for a
 * lock; 0: none.
 */
uint32_t analyze_ties_thread_ahead(
	const struct analysis *analysis, uint32_t process, uint64_t lock);

/*
 * analyze_ties_next: returns the coroutine that must go on before this waiting one can: the awaited child, the owner
 * of the lock, or a destroyed coroutine that had been given what this one waits for. 0: not known.
 */
uint32_t analyze_ties_next(const struct analysis *analysis, uint32_t coro);

/*
 * analyze_ties_find_victims: finds the coroutines that wait, directly or through others, for coroutines that have a
 * finding so far.
 */
void analyze_ties_find_victims(struct analysis *analysis);

/*
 * analyze_ties_behind: returns the nearest coroutine ahead with a finding, as analyze_ties_find_victims found it; 0:
 * none.
 */
uint32_t analyze_ties_behind(const struct analysis *analysis, uint32_t coro);

#define TIES_GENERATIONS 64u /* generations of parents that are followed */

/* analyze_ties_comes_from: is `coro` the coroutine `from`, or a descendant of it within TIES_GENERATIONS? */
bool analyze_ties_comes_from(const struct model *model, uint32_t coro, uint32_t from);

/* analyze_ties_keeps_no_waker: does the coroutine wait after a poll that kept no waker, so that nobody can wake it? */
bool analyze_ties_keeps_no_waker(const struct model_coro *coro);
/*
 * analyze_ties_is_at_large: is the place of the wait the coroutine's as a whole, as of a task that is told from
 * outside? Then all of its waits are there, for whatever they are, and how earlier ones ended says little of this one.
 */
static inline bool analyze_ties_is_at_large(const struct model_coro *coro)
{
	return coro->wait_site && coro->wait_site == coro->spawn_site && !coro->wait_object &&
	       !coro->rare->descriptor;
}

/* analyze_ties_may_be_for_end: may this be a wait for the end of a child, as far as recorded? */
bool analyze_ties_may_be_for_end(const struct model_coro *coro);

/* analyze_ties_is_for_untold_lock: does the coroutine wait for a lock that the trace does not name (P-104)? */
bool analyze_ties_is_for_untold_lock(const struct model_coro *coro);

/*
 * analyze_ties_may_be_idle: does the coroutine wait for a message, signal or end, at an object that the trace does
 * not name (P-104)? A worker without work waits like this for any time. A wait to send, or for a lock, is none.
 */
bool analyze_ties_may_be_idle(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_ties_is_shutting_down: had the program announced its end by `time`? */
bool analyze_ties_is_shutting_down(const struct analysis *analysis, uint32_t process, ct_time time);

/* analyze_ties_holds_lock: does the coroutine hold a lock at the end, or did it when it was destroyed? */
bool analyze_ties_holds_lock(const struct analysis *analysis, uint32_t coro);

/* analyze_ties_nr_waiters: returns how many coroutines wait for the object, an index of the model. */
uint32_t analyze_ties_nr_waiters(const struct analysis *analysis, uint32_t object);

/* analyze_ties_waits_since: returns since when the youngest waiter waits for the object; CT_NO_TIME: nobody waits. */
ct_time analyze_ties_waits_since(const struct analysis *analysis, uint32_t object);

/*
 * analyze_ties_was_found_empty: did a coroutine come at `time` or later to take what is left in the object, at the
 * place where `coro` waits, and has to wait, too?
 */
bool analyze_ties_was_found_empty(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_object *object, ct_time time);

/*
 * analyze_ties_may_drive: is every other run on the thread this coroutine's, and does nobody wake it? A scheduler's own
 * loop looks like this if it is recorded like the coroutines that it drives; the loop sleeps for a time if nothing is
 * ready.
 */
bool analyze_ties_may_drive(const struct model *model, uint32_t coro, uint32_t thread);

#endif
