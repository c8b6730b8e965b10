/* SPDX-License-Identifier: MIT */
/*
 * How an observation as a whole stands, in few words: what every screen says of it. A part of report.h.
 */
#ifndef COROTRACER_STANDING_H
#define COROTRACER_STANDING_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"

/* The table's macro: who includes this has its own back behind it. */
#pragma push_macro("X")
#undef X

/* What is said (standings.def). */
enum ct_standing_kind {
#define X(name, text, meaning) CT_STANDING_##name,
#include "corotracer/def/standings.def"
#undef X
	CT_NR_STANDINGS,
};

#pragma pop_macro("X")

struct ct_standing {
	enum ct_standing_kind kind;
	bool is_doubt;    /* the verdict may be another without it */
	const char *text; /* a few words: "62 lost" */
};

/* A place at which coroutines wait when the observation ends, whether a finding speaks of them or not. */
struct ct_waiting {
	uint32_t site; /* 0: not known */
	uint32_t process;
	uint64_t nr_coros;
	uint64_t coro; /* id of the one that waits there for the longest time */
	ct_time since; /* it waits since then */
	ct_time until; /* and until then: the end of what was seen of its process */
};

#endif
