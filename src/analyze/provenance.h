/* SPDX-License-Identifier: MIT */
/*
 * Provenance: who has ended waits so far, at each place and for each object. A wait that goes on while others ended
 * is explained by what did not happen this time.
 *
 * A *relay* is the series of wakes of coroutines that wait for one object or, if the object is not known, at one
 * place. A coroutine that such a wake reaches *owes* the wake to the relay until it passes the wake on: until it
 * wakes another coroutine of the relay, or releases, hands over or notifies the object. The debt also ends if the
 * coroutine waits there again: then it has kept what it was woken for or, if the trace has takings of the object, has
 * found it taken by another coroutine. A coroutine that ends while it owes may have lost the wake. That matters only
 * in relays in which woken coroutines do pass wakes on: consumers of what others produce do not, and may end at any
 * time.
 *
 * Only waits that the program itself ends are counted: not those for descriptors, timers, children and other
 * processes. The memory is bounded: a record for each place, and PROVENANCE_RELAYS relays. Waits for further objects
 * have no relay.
 */
#ifndef ANALYZE_PROVENANCE_H
#define ANALYZE_PROVENANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/watcher.h"
#include "model/waking.h"

struct analysis;
struct model_coro;
struct story;

#define PROVENANCE_RELAYS 4096u

struct provenance_relay {
	uint64_t object; /* a resource handle; 0: only the place is known */
	uint32_t process;
	uint32_t site;     /* where the coroutine waited that was woken last */
	uint32_t nr_owing; /* number of coroutines that owe the relay now */
	uint64_t nr_woken;
	uint64_t nr_passed; /* of these: coroutines that passed the wake on */
	/* coroutines that waited here again, and had not just found it taken */
	uint64_t nr_kept;
	/* coroutines that ended in debt, but another waker later woke one that waited then */
	uint64_t nr_healed;
	struct model_waking last;
	uint32_t whom; /* the coroutine that the last wake was for */
	/* whom that coroutine woke last, before it ended in debt, and where that one waited; 0: nobody */
	uint64_t elsewhere;
	uint32_t elsewhere_site;
	/* that coroutine, if it ended in debt and nobody was woken since; 0: it did not */
	uint32_t lost;
	uint32_t lost_thread; /* the thread that it ran on */
	ct_time lost_time;
	uint64_t lost_event;
	bool is_given; /* the object was released, handed over or notified after lost_time */
};

/* analyze_provenance_watcher: the watcher that records this; the judgement registers it. */
extern const struct model_watcher analyze_provenance_watcher;

/*
 * analyze_provenance_relays: returns all relays; [0] stands for none. The array lives as long as the model.
 * analyze_provenance_relay: returns the relay of this coroutine's last wait. NULL: no wake of that relay was seen
 * yet, or something outside ends the wait.
 */
const struct provenance_relay *analyze_provenance_relays(
	const struct analysis *analysis, uint32_t *ret_count);
const struct provenance_relay *analyze_provenance_relay(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_provenance_is_passed_on: do coroutines that are woken in this relay usually pass the wake on? True if at
 * least `wake-lost-with-task.passed` wakes were passed on, and ten times as many as were not.
 */
bool analyze_provenance_is_passed_on(
	const struct analysis *analysis, const struct provenance_relay *relay);

/*
 * analyze_provenance_words_whom: says for whom the relay's last wake was, and what became of that one; also whom that
 * one woke elsewhere, because the wake may have been meant for those that wait here.
 */
const char *analyze_provenance_words_whom(struct analysis *analysis,
	const struct provenance_relay *relay, const struct model_coro *coro);

/*
 * analyze_provenance_tell_places: adds evidence of how many waits ended at the place where this coroutine waits, and
 * from which places they were woken. False: no wait ended there. analyze_provenance_tell: adds the same, and who woke
 * whom last, and what became of both. analyze_provenance_why: adds all of it as a fact of a why chain.
 */
bool analyze_provenance_tell_places(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_provenance_why(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_provenance_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
