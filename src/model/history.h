/* SPDX-License-Identifier: MIT */
/*
 * The past of coroutines, one interval for each state that they left, for walks back in time and for profiles. A
 * model keeps them only if it is given a history to fill. A part of model.h.
 */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "base/vec.h"

/* One state of a coroutine, from its beginning to its end. Coroutines are indexes of the model. */
struct model_interval {
	uint32_t coro;
	uint32_t thread;
	/* number of the coroutine's interval before this one, from 1; 0: none is kept */
	uint64_t before;
	ct_time from;
	ct_time until;
	/* id of the task that it worked for when the interval ended; 0: none */
	uint64_t task;
	uint64_t object; /* of a wait: a resource handle */
	/* where it waited last; before its first wait, where it was started */
	uint32_t site;
	uint32_t waker;        /* the coroutine that made it go on; 0: not known */
	uint32_t waker_thread; /* the thread of that waker; 0: not known */
	uint32_t waker_site;
	uint32_t holder;      /* the coroutine that held what it waited for; 0: not known */
	uint32_t holder_site; /* where the holder had taken it */
	uint8_t state;        /* enum ct_state */
	/* enum ct_state that followed; the same state if the interval goes on */
	uint8_t next;
	bool has_yielded; /* ready or waiting: it had given up its thread voluntarily */
};

struct model;

/* Number of intervals kept, the latest ones, in about 80 MiB. */
#define MODEL_HISTORY 1048576u

/* Receives each interval as it ends, and copies what it needs. False: out of memory. */
typedef bool model_history_take(
	void *context, const struct model *model, const struct model_interval *interval);

struct model_history {
	/* NULL: intervals are kept in the ring, and no coroutine is given back as long as an interval names it. */
	model_history_take *take;
	void *context;
	ct_time from; /* intervals that ended before are not kept */
	/* the event being applied; the model's user sets it before model_apply */
	const struct ct_event *event;
	VEC(struct model_interval) ring;
	uint64_t count;     /* intervals put in so far; the last MODEL_HISTORY of them are kept */
	VEC(uint64_t) last; /* by coroutine: number of its last interval, from 1; 0: none */
	bool is_broken;     /* out of memory */
};

void model_history_fini(struct model_history *history);

/*
 * model_history_at: returns an interval by its number. NULL: it is no longer kept. Valid until the model's next
 * event.
 */
const struct model_interval *model_history_at(const struct model_history *history, uint64_t number);

/*
 * model_interval_open: returns the present state of a coroutine as an interval; `until` is INT64_MAX, and there is no
 * waker.
 */
struct model_interval model_interval_open(const struct model *model, uint32_t coro);

#endif
