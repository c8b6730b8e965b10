/* SPDX-License-Identifier: MIT */
/*
 * A recording as other threads see it: a state that the recording's steps publish, and orders that its steps carry out.
 *
 * A thread that asks for something waits; the recording never does. Orders that concern the sinks behind the queue are
 * carried out by the queue's thread, in their turn, so that nothing is held up.
 */
#ifndef SESSION_STEERING_H
#define SESSION_STEERING_H

#include "collect/collect.h"
#include "corotracer/control.h"
#include "session/flight.h"
#include "session/steering_order.h"
#include "stages/queue.h"

struct steering;

/* The recording. All members must outlive the steering, except the filter's output. */
struct steering_of {
	struct collect *collect;
	struct ct_sink *sink; /* before the queue */
	struct queue *queue;
	struct ct_sink *filter; /* after the queue */
	struct flight *flight;  /* NULL: everything is kept */
	enum ct_status (*dump)(void *context, const char *reason, struct ct_error *reterr);
	void *context; /* for dump */
};

/*
 * steering_new: makes a steering. `wake_descriptor`: the caller's descriptor that ends a wait; 0: none.
 * steering_descriptor: returns a descriptor that is readable when wake_descriptor is, or when an order has come; the
 * recording waits for it. steering_free: call it when nobody asks any more, and the queue is closed. NULL is allowed.
 */
enum ct_status steering_new(
	int wake_descriptor, struct steering **ret_steering, struct ct_error *reterr);
int steering_descriptor(const struct steering *steering);
void steering_free(struct steering *steering);

/* steering_take: connects the steering to a recording that is open. */
void steering_take(struct steering *steering, const struct steering_of *of);

/*
 * steering_step: carries out orders, and publishes the state; called on the thread that steps. steering_end: the last
 * step; threads that wait are told that the recording is over. May be called twice.
 */
void steering_step(struct steering *steering);
void steering_end(struct steering *steering);

/*
 * steering_wait_ms: returns the longest wait until the next step: `wait_ms` (-1: no limit), or less while somebody
 * watches.
 */
int steering_wait_ms(struct steering *steering, int wait_ms);

/* The following functions are for any other thread: */

/* steering_now: implements ct_record_now. steering_ask: implements ct_record_order. */
void steering_now(struct steering *steering, struct ct_record_now *ret_now);
enum ct_status steering_ask(struct steering *steering, const char *order, struct ct_error *reterr);

/*
 * steering_open_window: returns a copy of what a flight recorder holds now, as an open file of the caller's. -1: there
 * is none.
 */
int steering_open_window(struct steering *steering);

#endif
