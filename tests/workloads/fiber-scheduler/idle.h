/* SPDX-License-Identifier: MIT */
/*
 * Idle workers: which sleep, which polls, and which is woken.
 *
 * A worker that finds no work counts itself as idle, looks once more, and then sleeps: one worker at the poller, if the
 * program waits for anything outside; each other worker on its own condition variable. A thread that makes a fiber
 * ready first queues the fiber, then reads the number of idle workers. Both steps on that number are read-modify-write
 * operations, which have one order: if the idle worker's step comes second, its last look finds the fiber; if the
 * producer's step comes second, it sees an idle worker and wakes it. So no wake is lost.
 */
#ifndef FIBER_IDLE_H
#define FIBER_IDLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define WORKERS_MAX 16u

struct poller;

enum seat_state {
	SEAT_BUSY = 0,
	SEAT_ASLEEP,
	SEAT_POLLING,
};

struct seat {
	pthread_cond_t changed;
	enum seat_state state;
};

struct idle {
	pthread_mutex_t guard;
	pthread_cond_t lay_down; /* a worker became idle */
	_Atomic unsigned nr_idle;
	struct seat seats[WORKERS_MAX];
	unsigned nr_workers;
	unsigned poller_of; /* 1 + the worker that polls; 0: none */
	struct poller *poller;
	bool is_stopping;
};

void idle_init(struct idle *idle, unsigned nr_workers, struct poller *poller);
void idle_fini(struct idle *idle);

/*
 * idle_lie_down: counts the worker as idle. The worker must then look for work once more, and call idle_sleep, or
 * idle_get_up if it found some.
 */
void idle_lie_down(struct idle *idle, unsigned worker);
void idle_get_up(struct idle *idle, unsigned worker);

/* idle_sleep: sleeps or polls until the worker is woken, or the poller has an event. */
void idle_sleep(struct idle *idle, unsigned worker);

/* idle_wake_one: must be called after work was queued; wakes a worker for it if any is idle. Any thread. */
void idle_wake_one(struct idle *idle);

/* idle_stop: wakes all workers for good. idle_is_stopping: was idle_stop called? */
void idle_stop(struct idle *idle);
bool idle_is_stopping(struct idle *idle);

/* idle_count: how many workers are idle at this moment. */
unsigned idle_count(struct idle *idle);

/* idle_await_others: blocks the calling worker's thread until every other worker is idle. */
void idle_await_others(struct idle *idle);

#endif
