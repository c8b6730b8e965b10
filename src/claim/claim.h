/* SPDX-License-Identifier: MIT */
/*
 * Claims: what a finding says of single events, in a form that the events alone can be held against.
 *
 * A rule that calls a finding Proven writes down on what the proof rests, as claims of few kinds (claims.def). The
 * checker (checker.h) reads the trace once more and decides each of them, without the model, and without a look at the
 * rule. A proof of which a claim does not hold is none.
 */
#ifndef CLAIM_CLAIM_H
#define CLAIM_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "corotracer/event.h"

enum claim_kind {
#define X(name, fails) CLAIM_##name,
#include "claim/claims.def"
#undef X
	NR_CLAIM_KINDS,
};

/* CLAIM_KIND: a kind of event, as a bit of `kinds`. */
#define CLAIM_KIND(name) (UINT64_C(1) << CTP_KIND_##name)

/* CLAIM_RUNS: what makes a suspended coroutine go on, or ends it; CLAIM_LEAVES: what ends its run. */
#define CLAIM_RUNS \
	(CLAIM_KIND(RESUME) | CLAIM_KIND(CANCEL) | CLAIM_KIND(RETURN) | CLAIM_KIND(DESTROY))
#define CLAIM_LEAVES (CLAIM_KIND(SUSPEND) | CLAIM_KIND(RETURN) | CLAIM_KIND(DESTROY))

/* CLAIM_NO_EVENT: no event; behind a claim's `before` it means the end of the trace. */
#define CLAIM_NO_EVENT UINT64_MAX

/* One that has coroutines for `subject` names them as a resource of that kind. */
struct claim {
	enum claim_kind kind;
	uint32_t process;
	/* WHOLE: whose events; 0: those of all threads */
	uint32_t thread;
	/* WAKES: where the waits are */
	uint32_t site;
	/* a resource handle: the coroutine, lock or descriptor that is spoken of */
	uint64_t subject;
	/* addresses by which a wake may name the coroutine, besides its id; 0: none */
	uint64_t frames[2];
	/* coroutines: NOTHING by by[0] alone; OVERLAP: that end the two, where the thread does not say; 0: any */
	uint64_t by[2];
	uint64_t kinds; /* bits CLAIM_KIND */
	uint64_t after; /* sequence number of an event: the first of two */
	uint64_t before;
	ct_time from; /* WHOLE */
	ct_time until;
	/* What the checker found. */
	bool holds;
	uint64_t against; /* the event that speaks against it; CLAIM_NO_EVENT: none does */
};

/* Claims of several findings, one after the other. Zeroed is empty. */
struct claims {
	VEC(struct claim) list;
	/* A claim found no memory: what follows is worth nothing. */
	bool is_broken;
};

/* claim_fini: gives the memory back. */
void claim_fini(struct claims *claims);

/* claim_coro: a coroutine as a subject. */
static inline uint64_t claim_coro(uint64_t id)
{
	return CTP_HANDLE(CTP_RESOURCE_COROUTINE, id);
}

/* claim_add: a copy, at the end. */
void claim_add(struct claims *claims, const struct claim *claim);

/*
 * claim_told: the event has one of these kinds, and is about the subject (0: any).
 * claim_at_switch: what wrote the event was the switch itself, not a hook around the run (P-36).
 * claim_order: the first event came before the second one: on one thread, or farther apart than the clocks' reach.
 */
void claim_told(struct claims *claims, uint64_t event, uint64_t kinds, uint64_t subject);
void claim_at_switch(struct claims *claims, uint64_t event);
void claim_order(struct claims *claims, uint64_t first, uint64_t second);

/* claim_whole: no event of the process, on this thread or (0) on any, is missing in the interval. */
void claim_whole(
	struct claims *claims, uint32_t process, uint32_t thread, ct_time from, ct_time until);

/* claim_asleep: at the end each thread of the process sleeps without time-out, or has ended. */
void claim_asleep(struct claims *claims, uint32_t process);

/* claim_wakes: each wait at the place was ended by a wake that is told, but for those that such claims are about. */
void claim_wakes(struct claims *claims, uint32_t process, uint32_t site);

/* claim_fails: what is said where a claim of this kind does not hold. */
const char *claim_fails(enum claim_kind kind);

#endif
