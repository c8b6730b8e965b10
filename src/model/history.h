/* SPDX-License-Identifier: MIT */
/*
 * The past of coroutines, one interval for each state that they left, for walks back in time and for profiles: a model
 * keeps none unless it is given a history to fill. A part of model.h.
 */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "base/vec.h"

/* One state of a coroutine, from when it entered it to when it left it. Coroutines are indexes of the model. */
struct model_interval {
	uint32_t coro;
	uint32_t thread;
	uint64_t before; /* number of its interval before this one, from 1; 0: none that is kept */
	ct_time from;
	ct_time until;
	uint64_t task;         /* id of what it worked for when it ended; 0: none */
	uint64_t object;       /* waiting: what for, a resource handle */
	uint32_t site;         /* where it waited last; before it waited, where it was started */
	uint32_t waker;        /* that made it go on; 0: none is known */
	uint32_t waker_thread; /* 0: nobody is known to have */
	uint32_t waker_site;
	uint32_t holder;      /* who had what it waited for, before it got it; 0: not told */
	uint32_t holder_site; /* where that one had got it */
	uint8_t state;        /* enum ct_state */
	uint8_t next;         /* likewise: that it left it for; of one that goes on, the same */
	bool has_yielded;     /* ready or waiting: it gave up its thread of its own accord */
};

struct model;

/* As many of the last intervals are kept, in about 80 MiB. */
#define MODEL_HISTORY 1048576u

/* Is handed each interval as it ends, and keeps what it needs of it. False: out of memory. */
typedef bool model_history_take(
	void *context, const struct model *model, const struct model_interval *interval);

struct model_history {
	/* NULL: intervals are kept in the ring, and no coroutine is given back as long as they name it. */
	model_history_take *take;
	void *context;
	ct_time from; /* what ended before is not kept */
	/* that is applied; the model's user sets it before model_apply */
	const struct ct_event *event;
	VEC(struct model_interval) ring;
	uint64_t count;     /* that were put in; the last MODEL_HISTORY of them are there */
	VEC(uint64_t) last; /* by coroutine: number of its last interval, from 1; 0: none */
	bool is_broken;     /* out of memory */
};

void model_history_fini(struct model_history *history);

/* model_history_at: an interval by its number; NULL: it is not kept any more. Valid until the model takes an event. */
const struct model_interval *model_history_at(const struct model_history *history, uint64_t number);

/* model_interval_open: the state that a coroutine is in: `until` is INT64_MAX, and nobody has ended it. */
struct model_interval model_interval_open(const struct model *model, uint32_t coro);

#endif
