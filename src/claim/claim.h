/* SPDX-License-Identifier: MIT */
/*
 * Claims: a finding's statements about single events, in a form that can be compared with the events alone.
 *
 * A rule that calls a finding Proven states what the proof rests on, as claims of a few kinds (claims.def). The checker
 * (checker.h) reads the trace once more and decides each claim, without the model, and without knowing the rule. If a
 * claim does not hold, its finding is not proven.
 */
#ifndef CLAIM_CLAIM_H
#define CLAIM_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "corotracer/event.h"

enum claim_kind {
#define X(name, fails) CLAIM_##name,
#define AS(name, reason) CLAIM_##name,
#include "claim/claims.def"
#undef AS
#undef X
	NR_CLAIM_KINDS,
};

/* CLAIM_KIND: a kind of event, as a bit of `kinds`. */
#define CLAIM_KIND(name) (UINT64_C(1) << CTP_KIND_##name)

/*
 * CLAIM_RUNS: the events that make a suspended coroutine go on, or end it. CLAIM_LEAVES: the events that end its run.
 */
#define CLAIM_RUNS \
	(CLAIM_KIND(RESUME) | CLAIM_KIND(CANCEL) | CLAIM_KIND(RETURN) | CLAIM_KIND(DESTROY))
#define CLAIM_LEAVES (CLAIM_KIND(SUSPEND) | CLAIM_KIND(RETURN) | CLAIM_KIND(DESTROY))

/* CLAIM_NO_EVENT: no event; as a claim's `before`, the end of the trace. */
#define CLAIM_NO_EVENT UINT64_MAX

/* A claim about coroutines has `subject` handles of the kind CTP_RESOURCE_COROUTINE. */
struct claim {
	enum claim_kind kind;
	uint32_t process;
	/* WHOLE: the thread that the claim is about; 0: all threads */
	uint32_t thread;
	/* WAKES: the place of the waits */
	uint32_t site;
	/* a resource handle: the coroutine, lock or descriptor that the claim is about */
	uint64_t subject;
	/* addresses by which a wake may name the coroutine, besides its id; 0: none */
	uint64_t frames[2];
	/*
	 * Coroutines; 0: any. NOTHING: only events of the coroutine by[0] count. OVERLAP: the coroutines whose events
	 * end the two runs or holdings, if the thread does not show which events end them.
	 */
	uint64_t by[2];
	uint64_t kinds; /* bits CLAIM_KIND */
	uint64_t after; /* sequence number of an event: the first of the two */
	uint64_t before;
	ct_time from; /* WHOLE */
	ct_time until;
	/* What the checker found. */
	bool holds;
	uint64_t against; /* the event that contradicts the claim; CLAIM_NO_EVENT: none */
};

/* Claims of several findings, one after the other. Zeroed: empty. */
struct claims {
	VEC(struct claim) list;
	/* There was no memory for a claim: the list must not be used. */
	bool is_broken;
};

/* claim_fini: frees the memory. */
void claim_fini(struct claims *claims);

/* claim_coro: returns the handle of a coroutine, for `subject`. */
static inline uint64_t claim_coro(uint64_t id)
{
	return CTP_HANDLE(CTP_RESOURCE_COROUTINE, id);
}

/* claim_add: appends a copy of the claim. */
void claim_add(struct claims *claims, const struct claim *claim);

/*
 * claim_told: claims that the event has one of these kinds, and is about the subject (0: any).
 * claim_at_switch: claims that the switch itself wrote the event, not a hook around the run (P-36).
 * claim_order: claims that the first event came before the second one: on one thread, or further apart than the clocks'
 * reach.
 */
void claim_told(struct claims *claims, uint64_t event, uint64_t kinds, uint64_t subject);
void claim_at_switch(struct claims *claims, uint64_t event);
void claim_order(struct claims *claims, uint64_t first, uint64_t second);

/* claim_whole: claims that no event of the process, on this thread or (0) on any, is missing in the interval. */
void claim_whole(
	struct claims *claims, uint32_t process, uint32_t thread, ct_time from, ct_time until);

/* claim_asleep: claims that at the end each thread of the process sleeps without time-out, or has ended. */
void claim_asleep(struct claims *claims, uint32_t process);

/*
 * claim_wakes: claims that each wait at the place was ended by a recorded wake, except the waits that such claims are
 * about.
 */
void claim_wakes(struct claims *claims, uint32_t process, uint32_t site);

#endif
