/* SPDX-License-Identifier: MIT */
/* The state of the watch, shared by its files: what is watched, and what is known for that. Private to the watch. */
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
	struct histogram *now; /* for statistics; NULL: not a statistic */
	struct histogram *before;
	uint64_t turned_ns;
	struct map sites; /* sites that have its name: segment << 32 | id */
	/* of a counter, of the last look at all coroutines, or of the last judgement */
	double value;
	bool has_value;
	uint64_t due_ns;        /* next look at all coroutines */
	bool was_told;          /* the condition holds, and was reported */
	uint64_t calm_since_ns; /* begin of being clearly false; 0: it is not */
};

/* A record that waits for records of other rings that may precede it. */
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
	uint64_t tidy_at; /* number of known things at which ended ones are forgotten */
	VEC(struct watched) list;
	VEC(struct pending) pending;
	uint64_t nr_pending_ever;
	uint64_t looked_ns; /* time of the last look: earlier records have come from all rings */
	uint64_t ran_ns;    /* time of the last resume; 0: none yet */
	uint64_t moved_ns;  /* last time a coroutine began, ran, suspended or ended; 0: never */
	bool wants_dump;    /* the program asked for a dump */
	uint64_t dump_site; /* the reason of the dump: segment << 32 | id */
	struct map name_at; /* maps the sites of reasons to texts */
	VEC(char *) names;
};

/* watch_ns: converts a raw time of this origin to CLOCK_MONOTONIC. */
uint64_t watch_ns(const struct watch *watch, uint32_t origin, uint64_t raw);

/*
 * watch_measure: measures what the condition asks about, at this moment. Returns false if there is no value to compare.
 */
bool watch_measure(
	const struct watch *watch, struct watched *watched, uint64_t now_ns, double *ret_value);

#endif
