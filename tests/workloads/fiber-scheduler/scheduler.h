/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: N worker threads run M fibers. What this header shows beyond the first part is for the
 * files of this folder that make up the runtime (mutex, channel, ...), not for programs.
 *
 * A fiber that leaves looks for the next one itself and switches to it directly, on its own stack; only
 * where nothing is ready it switches to the worker's own stack, which goes idle. So a switch is one SWITCH
 * record, with one time-stamp for both fibers. What has to be done about a fiber that was left can only be
 * done once nobody runs on its stack: the context that was entered does it first of all (settle).
 *
 * A fiber that is about to wait tells somebody so first (a wait list, a timer), and may be woken from that
 * moment on, while it still runs. Its state decides what a wake has to do:
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

/* scheduler_new: starts that many workers (at most WORKERS_MAX). NULL: the system refused. */
struct scheduler *scheduler_new(unsigned nr_workers);

/*
 * scheduler_free: stops and joins the workers, and frees everything. All fibers must have come to
 * their end, and all handles must have been released.
 */
void scheduler_free(struct scheduler *scheduler);

/* scheduler_nr_alive: fibers that were spawned and have not come to their end. */
unsigned scheduler_nr_alive(struct scheduler *scheduler);

/* scheduler_nr_moves: how often any worker has changed from one fiber to another. The number only grows. */
uint64_t scheduler_nr_moves(struct scheduler *scheduler);

/* scheduler_is_quiet: at this moment every worker is idle, so nothing goes on but by timer or from outside. */
bool scheduler_is_quiet(struct scheduler *scheduler);

/*
 * Points at which a scenario can hold a worker up, to force the order of what several do. The
 * director is called on the worker's thread, with no lock held, in builds with and without a fault.
 */
enum point {
	POINT_SUSPENDING, /* the fiber has left its stack, and its state still says RUNNING */
	POINT_WAKE_SEEN,  /* a waker has found the fiber WAITING, and has not yet claimed it */
	POINT_EMPTY_SEEN, /* the fiber has found a channel empty, and has not yet queued itself */
	POINT_LIST_TAKEN, /* the fiber has taken waiters out of a semaphore, and has woken none */
};

typedef void scheduler_director(enum point point, struct fiber *fiber);

/* scheduler_direct: calls `director` at every point from here on. Before the first spawn. */
void scheduler_direct(struct scheduler *scheduler, scheduler_director *director);

/* ---------------------------------------------------------------- for the runtime's own files */

struct fiber {
	struct context context;
	struct sanitizer_context sanitizer;
	struct stack stack;
	_Atomic int state; /* enum fiber_state */
	atomic_bool is_on_worker;
	_Atomic uint64_t notified_by; /* who left the token: its id */
	uint64_t id;
	const char *name;
	struct scheduler *scheduler;
	fiber_function *function;
	void *argument;
	struct fiber *next;                   /* in a wait list, or in the injection queue */
	_Atomic(struct wait_list *) waits_in; /* NULL: in none */
	uint64_t deadline_ns;
	size_t heap_place; /* 0: no timer runs. Guarded by the poller */
	pthread_mutex_t guard;
	struct wait_list joiners;
	bool is_over;               /* it has ended or was destroyed. By guard */
	_Atomic unsigned nr_owners; /* who may still look at this: its handle's owner, and itself */
};

/* What becomes of a fiber that is left. */
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
	uint32_t nr_slot_in_row; /* how often the slot was served, and the queue was not */
	_Atomic uint64_t nr_moves;
	_Atomic(struct fiber *) slot; /* made ready last, to be run next: its data are warm */
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
 * worker_self: the worker whose thread runs the caller; NULL on other threads. Never inlined, nor
 * understood by the compiler: the address of a thread-local must be computed anew after every switch.
 */
struct worker *worker_self(void);

/* Where a fiber that has become ready waits for its turn. */
enum urgency {
	URGENCY_NEXT = 0, /* in the slot of the worker that has made it ready */
	URGENCY_QUEUE,    /* at the end of that worker's queue */
};

/* scheduler_ready: queues a fiber whose state is READY, and sees to it that a worker comes. Any thread. */
void scheduler_ready(struct scheduler *scheduler, struct fiber *fiber, enum urgency urgency);

/* worker_next: the next ready fiber, now RUNNING in name, for the caller to change to; NULL: none. */
struct fiber *worker_next(struct worker *worker);

/*
 * worker_change: leaves the context that runs, for `to`, or for the thread's own stack where that is NULL.
 * Returns when the context that was left runs again, on any worker; after FATE_ENDS never.
 */
void worker_change(struct worker *worker, struct fiber *to, enum fate fate);

/* worker_arrive: the first thing that a new context does. */
void worker_arrive(void);

/* What a fiber waits for, as the trace tells it. */
struct wait {
	uint64_t resource;
	uint32_t site;
	uint64_t deadline_ns; /* 0: none */
};

/* fiber_wait: suspends the running fiber, which has told somebody whom to wake before. */
void fiber_wait(const struct wait *wait);

/*
 * fiber_wake: makes the fiber ready, or sees to it that it will be. The caller has taken it out of whatever
 * it waited in. `waker` is the id of the fiber that does it, 0 for a thread. Any thread.
 */
void fiber_wake(struct fiber *fiber, uint64_t waker, uint32_t site);

/*
 * fiber_bury: the fiber will not run again, and nobody is on its stack; gives back what it had. Its
 * destruction has been written before: from here on its stack may serve another one.
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
