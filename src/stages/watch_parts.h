/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the watch: what is watched, and what is known for that. Private to the watch.
 */
#ifndef STAGES_WATCH_PARTS_H
#define STAGES_WATCH_PARTS_H

#include "stream/directory.h"
#include "base/histogram.h"
#include "base/map.h"
#include "snapshot/snapshot.h"
#include "base/vec.h"
#include "stages/watch.h"

struct watched {
	struct condition condition;
	struct histogram *now; /* of a spread; NULL: it has none */
	struct histogram *before;
	uint64_t turned_ns;
	struct map sites; /* that have its name: segment << 32 | id */
	double value; /* of a counter, of the last look at all coroutines, of the last judgement */
	bool has_value;
	uint64_t due_ns;        /* the next look at all coroutines */
	bool was_told;          /* it holds, and was told */
	uint64_t calm_since_ns; /* clearly false since; 0: it is not */
};

/* A record that waits for those of other rings that may come before it. */
struct pending {
	uint64_t ns;
	uint64_t sequence;
	uint32_t origin;
	struct ctp_record record;
};

struct watch {
	struct ct_sink sink;
	struct ct_sink *next;
	struct directory directory;
	struct snapshot *snapshot;
	uint64_t tidy_at; /* so much is known: what ended is forgotten then */
	VEC(struct watched) list;
	VEC(struct pending) pending;
	uint64_t nr_pending_ever;
	uint64_t looked_ns; /* the last look: what is older has come from all rings */
	uint64_t ran_ns;    /* the last resume; 0: none yet */
	uint64_t moved_ns;  /* the last time a coroutine began, ran, suspended or ended; 0: never */
	bool wants_dump;    /* the program asked for it */
	uint64_t dump_site; /* segment << 32 | id, the reason */
	struct map name_at; /* such sites to texts, for reasons */
	VEC(char *) names;
};

/* watch_ns: CLOCK_MONOTONIC of a raw time of this origin. */
uint64_t watch_ns(const struct watch *watch, uint32_t origin, uint64_t raw);

/* watch_measure: what the condition asks about, at this moment. False: there is nothing to compare. */
bool watch_measure(
	const struct watch *watch, struct watched *watched, uint64_t now_ns, double *ret_value);

#endif
