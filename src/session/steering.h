/* SPDX-License-Identifier: MIT */
/*
 * A recording as other threads see it: a state that its steps publish, and orders that its steps carry out.
 *
 * A thread that asks for something waits; the recording never does. What concerns the sinks behind the queue is carried
 * out by the queue's thread, in its turn, so that nothing is held up.
 */
#ifndef SESSION_STEERING_H
#define SESSION_STEERING_H

#include "collect/collect.h"
#include "corotracer/control.h"
#include "session/flight.h"
#include "session/steering_order.h"
#include "stages/queue.h"

struct steering;

/* The recording. All outlive the steering, but for the filter's output. */
struct steering_of {
	struct collect *collect;
	struct ct_sink *sink; /* before the queue */
	struct queue *queue;
	struct ct_sink *filter; /* behind it */
	struct flight *flight;  /* NULL: everything is kept */
	enum ct_status (*dump)(void *context, const char *reason, struct ct_error *reterr);
	void *context; /* of dump */
};

/*
 * steering_new: `wake_descriptor`: the caller's, which ends a wait; 0: none. steering_descriptor: readable where that
 * is, or where an order has come; the recording waits for it. steering_free: nobody asks any more, and the queue is
 * closed. NULL is allowed.
 */
enum ct_status steering_new(
	int wake_descriptor, struct steering **ret_steering, struct ct_error *reterr);
int steering_descriptor(const struct steering *steering);
void steering_free(struct steering *steering);

/* steering_take: takes the wheel of a recording that is open. */
void steering_take(struct steering *steering, const struct steering_of *of);

/*
 * steering_step: carries out what was asked for, and publishes the state. On the thread that steps. steering_end: the
 * last step; whoever waits is told that it is over. May be called twice.
 */
void steering_step(struct steering *steering);
void steering_end(struct steering *steering);

/* steering_wait_ms: at most so long until the next step: `wait_ms` (-1: any time), or less while somebody watches. */
int steering_wait_ms(struct steering *steering, int wait_ms);

/* From any other thread: */

/* steering_now: ct_record_now. steering_ask: ct_record_order. */
void steering_now(struct steering *steering, struct ct_record_now *ret_now);
enum ct_status steering_ask(struct steering *steering, const char *order, struct ct_error *reterr);

/* steering_open_window: a copy of what a flight recorder holds now, an open file of the caller's. -1: there is none. */
int steering_open_window(struct steering *steering);

#endif
