/* SPDX-License-Identifier: MIT */
/*
 * Where a coroutine or a lock is, as far as the order of events asks, and what a step costs there: nothing where it
 * leads on, a little where it is odd (a resume with no wake before), much where it cannot be.
 */
#ifndef STAGES_ARRANGE_STEP_H
#define STAGES_ARRANGE_STEP_H

#include "corotracer/event.h"

enum place_state {
	PLACE_UNKNOWN = 0,
	PLACE_NEW,     /* created, not seen to run */
	PLACE_READY,   /* woken */
	PLACE_RUNNING, /* on thread `by` */
	PLACE_WOKEN,   /* running, and woken already for its next wait */
	PLACE_WAITING,
	PLACE_DONE,
	PLACE_GONE,
	NR_COROUTINE_STATES,
	PLACE_FREE = NR_COROUTINE_STATES, /* a lock */
	PLACE_HELD,                       /* by `by` */
};

struct place {
	uint32_t by;
	uint8_t state; /* enum place_state */
};

/* The changes that an event can make to its subject. */
enum act {
	ACT_CREATE,
	ACT_RESUME,
	ACT_LEAVE,
	ACT_LEAVE_FIRST, /* before its first statement */
	ACT_LEAVE_LAST,  /* after its last one */
	ACT_STEP_ASIDE,  /* it runs no more, and is ready */
	ACT_CANCEL,
	ACT_WAKE,
	ACT_WAKE_AGAIN, /* says itself that it was ready */
	ACT_WAKE_ITSELF,
	ACT_QUEUE,
	ACT_RETURN,
	ACT_DESTROY,
	ACT_TAKE_AWAY, /* destroyed, and told to be suspended */
	ACT_RESUME_AROUND, /* told by a hook in front of the run: the one before may not be told as over */
	ACT_LEAVE_AROUND, /* told by a hook behind the run: another one may have begun */
	NR_COROUTINE_ACTS,
	ACT_TAKE = NR_COROUTINE_ACTS,
	ACT_GIVE,
	ACT_PASS, /* a lock, to somebody whom a detail names */
};

#define COST_ODD 1u
#define COST_HELD 4u /* taken while another one has it */
#define COST_IMPOSSIBLE 32u

/* arrange_step: what the act costs; *place moves on. `by`: the thread, or of a lock who takes or gives it. */
unsigned arrange_step(struct place *place, enum act act, uint32_t by);

#endif
