/* SPDX-License-Identifier: MIT */
/* The state of an observation as a whole, in a few words that every screen shows. A part of report.h. */
#ifndef COROTRACER_STANDING_H
#define COROTRACER_STANDING_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"

/* The table uses the macro X: a caller's own X is saved here and restored after the table. */
#pragma push_macro("X")
#undef X

/* The kinds of statement about the observation (standings.def). */
enum ct_standing_kind {
#define X(name, text, meaning) CT_STANDING_##name,
#include "corotracer/def/standings.def"
#undef X
	CT_NR_STANDINGS,
};

#pragma pop_macro("X")

struct ct_standing {
	enum ct_standing_kind kind;
	bool is_doubt;    /* without this fact the verdict might be another */
	const char *text; /* a few words: "62 lost" */
};

#define CT_TIMES_UNUSUAL 10 /* how many times longer than others a wait lasts that is told apart */

/* A place at which coroutines wait when the observation ends, whether a finding mentions them or not. */
struct ct_waiting {
	uint32_t site; /* 0: not known */
	uint32_t process;
	uint64_t nr_coros;
	uint64_t coro;        /* id of the coroutine that has waited there longest */
	ct_time since;        /* when that coroutine's wait began */
	ct_time until;        /* end of what was seen of its process */
	uint64_t frame_bytes; /* of their frames together, as far as that is known */
	uint64_t nr_ended;    /* waits there that have ended */
	uint64_t longest_ns;  /* the longest of them */
	/* of `coro`'s earlier waits, at whatever place; CT_NO_TIME: there are less than ten */
	int64_t mean_before_ns;
	/*
	 * `coro`'s wait is for neither the clock nor the outside, and has lasted ten times longer than any there that
	 * has ended or, where none has, than its earlier waits on average. Such a wait may be right, but is to be
	 * looked at first.
	 */
	bool is_unusual;
};

/*
 * The frames of the coroutines that run one function, as far as their sizes are known: at the end, and when they took
 * most.
 */
struct ct_frame_sizes {
	uint32_t site; /* the function */
	uint32_t process;
	uint64_t nr_coros;
	uint64_t least_bytes;
	uint64_t most_bytes;
	uint64_t bytes;      /* of all of them */
	uint64_t half_bytes; /* in the middle of the observation */
	uint64_t peak_bytes; /* the most that they took at one time */
	ct_time peak_time;   /* when that was so first */
};

/* What the frames of one function took in one of at most 64 equal parts of the observation. */
struct ct_frame_window {
	uint32_t site;
	uint32_t process;
	ct_time from;
	ct_time until;
	uint64_t nr_coros;   /* at the end of the part */
	uint64_t bytes;      /* of their frames */
	uint64_t most_bytes; /* within it */
};

#endif
