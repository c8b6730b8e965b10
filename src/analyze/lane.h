/* SPDX-License-Identifier: MIT */
/*
 * Lanes: what one coroutine, thread or resource was in, while the source is read again. A lane keeps the bars that
 * touch the moments of its finding, those right before and behind them, and the last one, so that its size does not
 * depend on how long a program ran.
 */
#ifndef ANALYZE_LANE_H
#define ANALYZE_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "corotracer/ct.h"
#include "model/model.h"

struct lane_bar {
	struct ct_bar bar;
	uint64_t object; /* waited for: a resource handle */
};

/* One lane of one finding. Zeroed but for what it is of, and the moments. */
struct lane {
	enum ct_lane_kind kind;
	bool is_member;
	uint32_t process;
	uint32_t coro; /* an index in the model */
	uint32_t thread;
	uint32_t descriptor; /* an index in the model; 0: the resource is none */
	uint64_t handle;
	const ct_time *moments; /* when the finding's steps happened */
	uint32_t nr_moments;
	ct_time from;      /* its process was observed from here */
	struct lane *next; /* of the same coroutine, thread or resource, for another finding */

	struct lane_bar bars[CT_LANE_BARS];
	uint32_t nr_bars;
	struct lane_bar now;    /* state 0: not known */
	struct lane_bar before; /* the one before, where it was not kept; state 0: none */
	uint64_t nr_left_out;
	uint64_t around; /* a thread in a call: the coroutine that it runs */
	bool keeps_next;
};

/* All lanes, by what they are of. */
struct lane_index {
	struct lane **of_coro;   /* by index in the model */
	struct lane **of_thread; /* by index in the tables */
	struct map of_resource;  /* to an index of `resources` */
	VEC(struct lane *) resources;
	VEC(struct lane *) all;
	bool is_broken; /* out of memory */
};

/* analyze_lane_add: the index borrows the lane, which says what it is of. analyze_lane_fini: gives the index back. */
void analyze_lane_add(struct lane_index *index, struct lane *lane);
void analyze_lane_fini(struct lane_index *index);

/* analyze_lane_is_of: is this lane of the resource that the handle names in the process? */
bool analyze_lane_is_of(const struct lane *lane, uint32_t process, uint64_t handle);

/* An event, and the coroutines that it is about, as indexes in the model; 0: none. */
struct lane_event {
	const struct ct_event *event;
	uint32_t coro;    /* the one that it names; of a crash, the one that ran */
	uint32_t woken;   /* by a wake */
	uint32_t entered; /* by a switch */
	uint64_t waker;   /* id of the coroutine that made one ready; 0: none that is known */
};

/* analyze_lane_take: the event changes what its coroutines, its thread and its resource are in. */
void analyze_lane_take(struct lane_index *index, const struct lane_event *of);

/* analyze_lane_receive: a detail says who received what this thread has just handed over. */
void analyze_lane_receive(struct lane_index *index, const struct ct_event *detail);

/* analyze_lane_end: nothing comes behind; what the lane is in goes on, up to `end`. */
void analyze_lane_end(struct lane *lane, ct_time end);

#endif
