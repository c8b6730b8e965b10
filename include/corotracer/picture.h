/* SPDX-License-Identifier: MIT */
/*
 * The picture of a finding: which coroutines, threads and resources took part, the state of each around the moments of
 * the finding's steps, and which of them acted on which. A part of report.h; contains only facts, from which src/render
 * makes drawings.
 *
 * A lane has the bars around those moments, and its last bar. Other bars in between are left out, and counted. If
 * nothing is known about a time, there is no bar.
 */
#ifndef COROTRACER_PICTURE_H
#define COROTRACER_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

#define CT_LANES 10u         /* most lanes of a picture */
#define CT_LANE_MEMBERS 4u   /* of these, most lanes of the finding's own coroutines */
#define CT_LANE_BARS 24u     /* most bars of one lane */
#define CT_PICTURES 32u      /* number of findings, the gravest ones, that have a picture */
#define CT_PICTURE_STEPS 20u /* number of a finding's first steps that are drawn */

/* The tables use these macros: a caller's own are saved here and restored after the tables. */
#pragma push_macro("LANE")
#pragma push_macro("BAR")
#undef LANE
#undef BAR

/* The kinds of lanes: what a lane stands for (pictures.def). */
enum ct_lane_kind {
	CT_LANE_NONE = 0,
#define LANE(name, text, meaning) CT_LANE_##name,
#include "corotracer/def/pictures.def"
};

const char *ct_lane_name(enum ct_lane_kind kind);

/* The states that a bar shows (pictures.def). */
enum ct_bar_state {
	CT_BAR_NONE = 0,
#define BAR(name, text, meaning) CT_BAR_##name,
#include "corotracer/def/pictures.def"
};

#pragma pop_macro("LANE")
#pragma pop_macro("BAR")

const char *ct_bar_name(enum ct_bar_state state);

struct ct_bar {
	enum ct_bar_state state;
	bool is_open; /* the state went on when observation ended */
	ct_time from;
	ct_time until;
	uint32_t thread; /* thread on which the coroutine runs; 0: not known */
	uint32_t site;   /* place of the wait or of the call; 0: not known */
	/* the coroutine that the thread runs, that holds the lock, or that woke this one; 0: none */
	uint64_t coro;
	const char *text;   /* what is waited for, or which call it is, in words; else "" */
	uint64_t nr_before; /* bars left out right before this one */
};

struct ct_lane {
	enum ct_lane_kind kind;
	bool is_member; /* the finding is about this coroutine */
	uint32_t process;
	uint32_t thread;  /* of a thread's lane; else 0 */
	uint64_t coro;    /* of a coroutine's lane; else 0 */
	uint64_t object;  /* handle of a resource's lane; else 0 */
	uint32_t site;    /* function that it runs, or place where it was started; 0: not known */
	const char *name; /* "coroutine 3 (consumer)", "thread worker-1 (4713)", "lock 0x7f00" */
	const struct ct_bar *bars;
	uint32_t nr_bars;
};

/* A step of the finding in the picture: the lane that acted, and the lane that was acted on. */
struct ct_picture_mark {
	uint32_t step; /* number of the finding's step, from 1 */
	/* lane that acted, from 1; 0: not in the picture, only the time is marked */
	uint32_t lane;
	uint32_t other; /* lane that was acted on; 0: no other lane */
	uint8_t kind;   /* enum ctp_kind of the event; 0: no event */
};

/* All zero: the finding has no picture. */
struct ct_picture {
	const struct ct_lane *lanes; /* the lanes that acted first, then resources, then members */
	uint32_t nr_lanes;
	bool has_wakes; /* the process has recorded a wake, so others would have been recorded, too */
	const struct ct_picture_mark *marks; /* in the order of the steps */
	uint32_t nr_marks;
	uint32_t nr_alike; /* further members, which have no lane */
	ct_time end;       /* end of the observation of the finding's process */
};

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
