/* SPDX-License-Identifier: MIT */
/*
 * Waits for things outside the program: descriptors, by epoll, and the clock, by a heap of deadlines. One worker at a
 * time waits here; an eventfd calls it back when there is other work, or an earlier deadline than the one that it waits
 * for.
 */
#ifndef FIBER_POLLER_H
#define FIBER_POLLER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "timer_heap.h"

struct fiber;

struct poller {
	int epoll;
	int interrupt; /* an eventfd */
	pthread_mutex_t guard;
	atomic_bool is_open;
	struct timer_heap timers;
	/* The end of the present poller_wait; UINT64_MAX: no end, 0: no worker waits. */
	uint64_t waits_until_ns;
};

void poller_init(struct poller *poller);
void poller_fini(struct poller *poller);

/*
 * poller_open: must be called before arm and add_timer; opens the descriptors if they are not open yet. A program that
 * never waits for anything outside has none. *ret_is_first: they were not open. False: the system refused.
 */
bool poller_open(struct poller *poller, bool *ret_is_first);

/* poller_is_open: is there anything to poll? Any thread. */
bool poller_is_open(struct poller *poller);

/* poller_arm: wakes the fiber, once, when `fd` has one of these events; false: errno says why. */
bool poller_arm(struct poller *poller, int fd, uint32_t events, struct fiber *fiber);

/* poller_add_timer: wakes the fiber at fiber->deadline_ns. False: no memory. */
bool poller_add_timer(struct poller *poller, struct fiber *fiber);

/* poller_wait: sleeps until something is ready or poller_interrupt is called, and wakes fibers. */
void poller_wait(struct poller *poller);

/*
 * poller_look: wakes the fibers that are ready, without sleeping, if the poller is open. Any worker, also beside
 * poller_wait.
 */
void poller_look(struct poller *poller);

/* poller_interrupt: makes the present poller_wait return, or else the next one. Any thread. */
void poller_interrupt(struct poller *poller);

#endif
