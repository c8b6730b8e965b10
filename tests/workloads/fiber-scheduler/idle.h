/* SPDX-License-Identifier: MIT */
/*
 * Idle workers: who sleeps, who polls, who is woken.
 *
 * A worker that finds no work counts itself among the idle, looks once more, and then lies down: one at the poller, if
 * the program waits for anything outside, the others on a condition variable each. A thread that makes a fiber ready
 * puts it into a queue first and reads the number of the idle afterwards. Both steps on that number are
 * read-modify-write operations, which have one order: either the idle worker's comes second, and its last look sees the
 * fiber; or the producer's does, and it sees an idle worker and wakes it. So no wake is lost.
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
	pthread_cond_t lay_down; /* somebody became idle */
	_Atomic unsigned nr_idle;
	struct seat seats[WORKERS_MAX];
	unsigned nr_workers;
	unsigned poller_of; /* 1 + the worker that has the poller; 0: nobody */
	struct poller *poller;
	bool is_stopping;
};

void idle_init(struct idle *idle, unsigned nr_workers, struct poller *poller);
void idle_fini(struct idle *idle);

/*
 * idle_lie_down: counts the worker among the idle. The worker must look for work once more, and then call idle_sleep,
 * or idle_get_up if it found some.
 */
void idle_lie_down(struct idle *idle, unsigned worker);
void idle_get_up(struct idle *idle, unsigned worker);

/* idle_sleep: sleeps or polls until the worker is woken, or has something to look after. */
void idle_sleep(struct idle *idle, unsigned worker);

/* idle_wake_one: work has been queued; wakes a worker for it, if any is idle. Any thread. */
void idle_wake_one(struct idle *idle);

/* idle_stop: wakes all, for good. idle_is_stopping: was it called? */
void idle_stop(struct idle *idle);
bool idle_is_stopping(struct idle *idle);

/* idle_count: how many workers are idle at this moment. */
unsigned idle_count(struct idle *idle);

/* idle_await_others: blocks the calling worker's thread until every other worker is idle. */
void idle_await_others(struct idle *idle);

#endif
