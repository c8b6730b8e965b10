/* SPDX-License-Identifier: MIT */
/*
 * The picture of a finding: who took part, what each of them was in around the moments that the finding's steps tell
 * of, and which of them did something to which. A part of report.h; facts only, of which render makes drawings.
 *
 * A lane has the bars around those moments, and the last one. Bars between that tell nothing of it are left out, and
 * counted. Where nothing is known of a time, there is no bar.
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

#define CT_LANES 10u         /* a picture has at most so many */
#define CT_LANE_MEMBERS 4u   /* of these, the finding's own coroutines */
#define CT_LANE_BARS 24u     /* of one lane, at most */
#define CT_PICTURES 32u      /* the gravest findings have one */
#define CT_PICTURE_STEPS 20u /* the first steps of a finding are drawn */

/* The tables' macros: who includes this has its own back behind them. */
#pragma push_macro("LANE")
#pragma push_macro("BAR")
#undef LANE
#undef BAR

/* What a lane is of (pictures.def). */
enum ct_lane_kind {
	CT_LANE_NONE = 0,
#define LANE(name, text, meaning) CT_LANE_##name,
#include "corotracer/def/pictures.def"
};

const char *ct_lane_name(enum ct_lane_kind kind);

/* What a bar says (pictures.def). */
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
	bool is_open; /* it went on when observation ended */
	ct_time from;
	ct_time until;
	uint32_t thread;    /* a coroutine runs on it; 0: not told */
	uint32_t site;      /* where it waits, or is called; 0: not known */
	uint64_t coro;      /* a thread runs it, a lock is held by it, it woke this one; 0: none */
	const char *text;   /* what is waited for, or which call, in words; else "" */
	uint64_t nr_before; /* bars right before it that are left out */
};

struct ct_lane {
	enum ct_lane_kind kind;
	bool is_member; /* the finding is about this coroutine */
	uint32_t process;
	uint32_t thread;  /* of a thread's lane, else 0 */
	uint64_t coro;    /* of a coroutine's, else 0 */
	uint64_t object;  /* of a resource's: its handle, else 0 */
	uint32_t site;    /* what it runs, or where it was started; 0: not known */
	const char *name; /* "coroutine 3 (consumer)", "thread worker-1 (4713)", "lock 0x7f00" */
	const struct ct_bar *bars;
	uint32_t nr_bars;
};

/* Where a step stands in the picture: whose lane, and whom it was done to. */
struct ct_picture_mark {
	uint32_t step;  /* of the finding's steps, from 1 */
	uint32_t lane;  /* from 1; 0: of nobody in the picture, the time alone is marked */
	uint32_t other; /* the lane that it was done to; 0: nobody else's */
	uint8_t kind;   /* enum ctp_kind of the event; 0: none tells of it */
};

/* All zero: the finding has none. */
struct ct_picture {
	const struct ct_lane *lanes; /* whoever acted first, then resources, then members */
	uint32_t nr_lanes;
	const struct ct_picture_mark *marks; /* in the order of the steps */
	uint32_t nr_marks;
	uint32_t nr_alike; /* further members that have no lane */
	ct_time end;       /* of the observation of its process */
};

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
