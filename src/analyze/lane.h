/* SPDX-License-Identifier: MIT */
/*
 * Lanes: the states of one coroutine, thread or resource over time, followed while the source is read again. A lane
 * keeps the bars that touch a moment of its finding, the bar before and the bar after each of those, and the last
 * bar, so that its size does not depend on how long the program ran. A bar that alone would be left out is kept, too.
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
	uint64_t object; /* of a wait: the resource handle */
};

/* One lane of one finding. The caller sets what the lane is of and its moments; everything else is zero. */
struct lane {
	enum ct_lane_kind kind;
	bool is_member;
	uint32_t process;
	uint32_t coro; /* an index in the model */
	uint32_t thread;
	uint32_t descriptor; /* an index in the model; 0: the resource is no descriptor */
	uint64_t handle;
	const ct_time *moments; /* times of the finding's steps */
	uint32_t nr_moments;
	ct_time from;      /* the beginning of the observation of its process */
	struct lane *next; /* of the same coroutine, thread or resource, for another finding */

	struct lane_bar bars[CT_LANE_BARS];
	uint32_t nr_bars;
	struct lane_bar now;    /* state 0: not known */
	struct lane_bar before; /* the bar before, if it was not kept; state 0: none */
	struct lane_bar out;    /* the last one that was left out */
	uint64_t nr_left_out;
	uint64_t around; /* a thread in a call: the coroutine that it runs */
	/* A coroutine's lane: it is in a call with its thread since then; told only if that lasts. */
	ct_time call_from;
	const char *call_name; /* NULL: in none */
	uint32_t call_site;
	bool keeps_next;
	bool is_woken; /* by itself, or queued, while it runs */
};

/* All lanes, by coroutine, thread and resource. */
struct lane_index {
	struct lane **of_coro;   /* by index in the model */
	struct lane **of_thread; /* by index in the tables */
	struct map of_resource;  /* to an index of `resources` */
	VEC(struct lane *) resources;
	VEC(struct lane *) all;
	bool is_broken; /* out of memory */
};

/* A call of a coroutine that is over sooner is no state of its own. */
#define LANE_CALL_NS INT64_C(1000000)

/*
 * analyze_lane_add: adds a lane, which says what it is of. The index borrows the lane. analyze_lane_fini: frees the
 * index.
 */
void analyze_lane_add(struct lane_index *index, struct lane *lane);
void analyze_lane_fini(struct lane_index *index);

/* analyze_lane_is_of: is this the lane of the resource that `handle` names in the process? */
bool analyze_lane_is_of(const struct lane *lane, uint32_t process, uint64_t handle);

/* An event, and the coroutines that it is about, as indexes in the model; 0: none. */
struct lane_event {
	const struct ct_event *event;
	/* the coroutine that the event names; of a crash, the coroutine that ran */
	uint32_t coro;
	uint32_t woken;   /* the coroutine that a wake wakes */
	uint32_t entered; /* the coroutine that a switch enters */
	uint32_t running; /* the coroutine that runs on its thread, which enters or leaves a call */
	uint64_t waker;   /* id of the coroutine that made another one ready; 0: not known */
};

/* analyze_lane_take: applies one event to the lanes of its coroutines, its thread and its resource. */
void analyze_lane_take(struct lane_index *index, const struct lane_event *of);

/* analyze_lane_receive: takes a detail that names the receiver of what this thread has just handed over. */
void analyze_lane_receive(struct lane_index *index, const struct ct_event *detail);

/* analyze_lane_call: the running coroutine or thread of the lane is known to be in this call since `from`. */
void analyze_lane_call(struct lane *lane, ct_time from, const char *name);

/* analyze_lane_end: ends the lane at `end`; the bar of its present state reaches up to there, and is open. */
void analyze_lane_end(struct lane *lane, ct_time end);

#endif
