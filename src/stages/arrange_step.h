/* SPDX-License-Identifier: MIT */
/*
 * The state of a coroutine or a lock, as far as the order of events needs it, and the cost of a step from that state:
 * none if the step fits, a little if it is odd (a resume with no wake before), much if it is impossible.
 */
#ifndef STAGES_ARRANGE_STEP_H
#define STAGES_ARRANGE_STEP_H

#include "corotracer/event.h"

enum place_state {
	PLACE_UNKNOWN = 0,
	PLACE_NEW,     /* created, not seen running */
	PLACE_READY,   /* woken */
	PLACE_RUNNING, /* on thread `by` */
	PLACE_WOKEN,   /* running, and already woken for its next wait */
	PLACE_WAITING,
	PLACE_DONE,
	PLACE_GONE,
	NR_COROUTINE_STATES,
	PLACE_FREE = NR_COROUTINE_STATES, /* of a lock */
	PLACE_HELD,                       /* of a lock: held by `by` */
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
	ACT_LEAVE_FIRST, /* suspend before its first statement */
	ACT_LEAVE_LAST,  /* suspend after its last statement */
	ACT_STEP_ASIDE,  /* no longer running, and ready */
	ACT_CANCEL,
	ACT_WAKE,
	ACT_WAKE_AGAIN, /* the wake itself says that the target was ready */
	ACT_WAKE_ITSELF,
	ACT_QUEUE,
	ACT_RETURN,
	ACT_DESTROY,
	ACT_TAKE_AWAY, /* destroyed, and stated to be suspended */
	/* recorded by a hook before the run: the previous run may not be recorded as over */
	ACT_RESUME_AROUND,
	ACT_LEAVE_AROUND, /* recorded by a hook after the run: another run may have begun */
	NR_COROUTINE_ACTS,
	ACT_TAKE = NR_COROUTINE_ACTS,
	ACT_GIVE,
	ACT_PASS, /* a lock, to the receiver in a detail */
};

#define COST_ODD 1u
#define COST_HELD 4u /* taken while another thread or coroutine holds it */
#define COST_IMPOSSIBLE 32u

/*
 * arrange_step: returns the cost of the act, and moves *place to the next state. `by`: the thread, or for a lock the
 * thread or coroutine that takes or gives it.
 */
unsigned arrange_step(struct place *place, enum act act, uint32_t by);

#endif
