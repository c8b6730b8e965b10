/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: N worker threads run M fibers. Only the first part of this header is for programs; the rest is for the
 * runtime's own files (mutex, channel, ...).
 *
 * A fiber that leaves finds the next fiber itself and switches to it directly, on its own stack; only if no fiber is
 * ready, it switches to the worker's own stack, which goes idle. So a switch is one SWITCH record, with one time-stamp
 * for both fibers. The work about a fiber that was left can only be done when its stack is no longer in use: the
 * context that was entered does it first (settle).
 *
 * A fiber that is about to wait first registers with a wait list or a timer, and may be woken from that moment on,
 * while it still runs. Its state decides what a wake must do:
 *
 *	RUNNING   a token is left (NOTIFIED); settle finds it and queues the fiber
 *	WAITING   the fiber is queued by who changes the state to READY
 *	READY, NOTIFIED  it was woken before
 *
 *	READY --run--> RUNNING --settle--> WAITING --wake--> READY
 *	                  |                                    ^
 *	                  '--wake--> NOTIFIED --settle---------'
 */
#ifndef FIBER_SCHEDULER_H
#define FIBER_SCHEDULER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "fiber.h"
#include "idle.h"
#include "poller.h"
#include "run_queue.h"
#include "sanitizer.h"
#include "stack.h"
#include "wait_list.h"

struct scheduler;

/* scheduler_new: starts this many workers (at most WORKERS_MAX). NULL: the system refused. */
struct scheduler *scheduler_new(unsigned nr_workers);

/*
 * scheduler_free: stops and joins the workers, and frees everything. All fibers must have ended, and all handles must
 * have been released.
 */
void scheduler_free(struct scheduler *scheduler);

/* scheduler_nr_alive: the number of fibers that were spawned and have not ended. */
unsigned scheduler_nr_alive(struct scheduler *scheduler);

/* scheduler_nr_moves: how often all workers together have switched from one fiber to another. The number only grows. */
uint64_t scheduler_nr_moves(struct scheduler *scheduler);

/*
 * scheduler_is_quiet: are all workers idle at this moment, so that only a timer or an outside event can continue the
 * program?
 */
bool scheduler_is_quiet(struct scheduler *scheduler);

/*
 * Points at which a scenario can hold up a worker, to force the order of several actions. The director is called on the
 * worker's thread, with no lock held, in builds with and without a fault.
 */
enum point {
	POINT_SUSPENDING, /* the fiber has left its stack, and its state still says RUNNING */
	POINT_WAKE_SEEN,  /* a waker has found the fiber WAITING, and has not claimed it yet */
	POINT_EMPTY_SEEN, /* the fiber has found a channel empty, and has not queued itself yet */
	/* the fiber has taken waiters out of a semaphore, and has woken none yet */
	POINT_LIST_TAKEN,
};

typedef void scheduler_director(enum point point, struct fiber *fiber);

/* scheduler_direct: calls `director` at every point from here on. Must be called before the first spawn. */
void scheduler_direct(struct scheduler *scheduler, scheduler_director *director);

/* ---------------------------------------------------------------- for the runtime's own files */

struct fiber {
	struct context context;
	struct sanitizer_context sanitizer;
	struct stack stack;
	_Atomic int state; /* enum fiber_state */
	atomic_bool is_on_worker;
	_Atomic uint64_t notified_by; /* the id of the fiber that left the token */
	uint64_t id;
	const char *name;
	struct scheduler *scheduler;
	fiber_function *function;
	void *argument;
	struct fiber *next;                   /* in a wait list, or in the injection queue */
	_Atomic(struct wait_list *) waits_in; /* NULL: in none */
	uint64_t deadline_ns;
	size_t heap_place; /* 0: no timer runs; guarded by the poller */
	pthread_mutex_t guard;
	struct wait_list joiners;
	bool is_over; /* it has ended or was destroyed; guarded by guard */
	/* the users of this struct: the owner of its handle, and the fiber itself */
	_Atomic unsigned nr_owners;
};

/* What happens to a fiber that is left. */
enum fate {
	FATE_WAITS = 0,
	FATE_YIELDS,
	FATE_ENDS,
};

struct worker {
	struct scheduler *scheduler;
	unsigned index;
	pthread_t thread;
	struct context context; /* of the thread's own stack */
	struct sanitizer_context sanitizer;
	struct fiber *current; /* NULL: the thread's own stack */
	struct fiber *left;    /* for settle; NULL: the thread's own stack was left */
	enum fate fate;
	uint32_t nr_looks;       /* for work */
	uint32_t nr_slot_in_row; /* how often in a row the slot was served instead of the queue */
	_Atomic uint64_t nr_moves;
	/* made ready last, and run next, because its data are in the cache */
	_Atomic(struct fiber *) slot;
	uint64_t slot_handle;
	struct run_queue queue;
};

struct scheduler {
	struct worker workers[WORKERS_MAX];
	unsigned nr_workers;
	struct injection injection;
	struct idle idle;
	struct poller poller;
	struct stack_cache stacks;
	_Atomic unsigned nr_alive;
	scheduler_director *director;
};

/*
 * worker_self: the worker whose thread runs the caller; NULL on other threads. Never inlined, and opaque to the
 * compiler, because the address of a thread-local must be computed again after every switch.
 */
struct worker *worker_self(void);

/* Where a fiber that has become ready waits for its turn. */
enum urgency {
	URGENCY_NEXT = 0, /* in the slot of the worker that has made it ready */
	URGENCY_QUEUE,    /* at the end of that worker's queue */
};

/* scheduler_ready: queues a fiber whose state is READY, and makes sure that a worker comes. Any thread. */
void scheduler_ready(struct scheduler *scheduler, struct fiber *fiber, enum urgency urgency);

/* worker_next: the next ready fiber, already marked RUNNING, to which the caller must switch; NULL: none. */
struct fiber *worker_next(struct worker *worker);

/*
 * worker_change: leaves the running context for `to`, or for the thread's own stack if `to` is NULL. Returns when the
 * context that was left runs again, on any worker; after FATE_ENDS, never.
 */
void worker_change(struct worker *worker, struct fiber *to, enum fate fate);

/* worker_arrive: must be the first call of a new context. */
void worker_arrive(void);

/* What a fiber waits for, as the trace records it. */
struct wait {
	uint64_t resource;
	uint32_t site;
	uint64_t deadline_ns; /* 0: none */
};

/* fiber_wait: suspends the running fiber, which must have registered for a wake before. */
void fiber_wait(const struct wait *wait);

/*
 * fiber_wake: makes the fiber ready, or makes sure that it will be. The caller must have taken it out of the list in
 * which it waited. `waker` is the id of the waking fiber, 0 for a thread. Any thread.
 */
void fiber_wake(struct fiber *fiber, uint64_t waker, uint32_t site);

/*
 * fiber_bury: frees a fiber that will not run again, and whose stack is not in use. Its destruction must have been
 * recorded before, because from here on its stack may serve another fiber.
 */
void fiber_bury(struct fiber *fiber);

static inline uint64_t fiber_id_of(const struct fiber *fiber)
{
	return fiber ? fiber->id : 0;
}

static inline void scheduler_at(struct scheduler *scheduler, enum point point, struct fiber *fiber)
{
	if (scheduler->director)
		scheduler->director(point, fiber);
}

#endif
