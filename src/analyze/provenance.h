/* SPDX-License-Identifier: MIT */
/*
 * Provenance: who has ended waits so far, at each place and for each object. A wait that goes on beside others that
 * ended is explained by what did not happen this time.
 *
 * A *relay* is the wakes of those who wait for one object, or, where the object is not told, at one place. A coroutine
 * that such a wake reaches owes it to the relay until it passes it on: it wakes somebody else of the relay, or gives
 * back, hands over or notifies the object. A coroutine that comes to wait there again owes nothing any more: it has
 * kept what it was woken for, or, where takings are told, found that another one had taken it. A coroutine that ends
 * and still owes may have taken the wake with it. That means something only where those who are woken do pass on:
 * consumers of what others produce do not, and end as they like.
 *
 * Judged are waits that the program itself ends: not those for descriptors, timers, children and other processes.
 * The memory is bounded: a record for each place, and PROVENANCE_RELAYS relays; waits for further objects have none.
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
	uint64_t object; /* a resource handle; 0: the place is all that is told */
	uint32_t process;
	uint32_t site;     /* where the last one waited that was woken */
	uint32_t nr_owing; /* now */
	uint64_t nr_woken;
	uint64_t nr_passed; /* of these: passed it on */
	uint64_t nr_kept;   /* waited here again, and had not just found it taken */
	uint64_t
		nr_healed; /* ended, and owed; and one that waited then was woken by somebody else later */
	struct model_waking last;
	uint32_t whom; /* the last wake was for this coroutine */
	uint32_t
		lost; /* the same, where it ended and owed, and nobody was woken since; 0: it did not */
	uint32_t lost_thread; /* that it ran on */
	ct_time lost_time;
	uint64_t lost_event;
	bool is_given; /* since then the object was given back, handed over or notified */
};

/* analyze_provenance_watcher: looks on, and keeps the above; the judgement lets it watch. */
extern const struct model_watcher analyze_provenance_watcher;

/*
 * analyze_provenance_relays: all of them, [0] being none; they stay as long as the model. analyze_provenance_relay: the
 * one of this coroutine's last wait; NULL: nobody was woken of it yet, or the wait is for something outside.
 */
const struct provenance_relay *analyze_provenance_relays(
	const struct analysis *analysis, uint32_t *ret_count);
const struct provenance_relay *analyze_provenance_relay(
	const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_provenance_is_passed_on: do those who are woken there pass it on, as a rule? So many have
 * (`wake-lost-with-task.passed`), and ten times as many as have not.
 */
bool analyze_provenance_is_passed_on(
	const struct analysis *analysis, const struct provenance_relay *relay);

/*
 * analyze_provenance_tell_places: as evidence, how many waits ended where this coroutine waits, and from where they
 * were woken; false where none was. analyze_provenance_tell: the same, and the last one by whom and for whom, and what
 * became of both. analyze_provenance_why: all of it, as a fact of a chain.
 */
bool analyze_provenance_tell_places(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_provenance_why(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);
void analyze_provenance_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
