/* SPDX-License-Identifier: MIT */
/*
 * A trace as a timeline: tracks, and what lies on them, in the order in which every viewer of timelines can take it.
 *
 * Tracks: each process; below it its threads, with what they ran, were blocked in or slept; its coroutines, with their
 * states; its tasks, its counters; and the regions of each thread and coroutine. Wakes are instants on the track of the
 * thread that did them, with a flow to the delay that they began and to the run that ended it. Findings, losses and
 * the notes of the trace have tracks of their own.
 */
#ifndef SLICES_TELL_H
#define SLICES_TELL_H

#include "view/view.h"

enum slices_track_kind {
	SLICES_OF_TRACE, /* what is said of the trace as a whole */
	SLICES_OF_PROCESS,
	SLICES_OF_THREAD, /* slices nest */
	SLICES_OF_OVERLAP, /* of a thread: what does not nest, since events are missing; slices nest */
	SLICES_OF_COROUTINES, /* a heading */
	SLICES_OF_COROUTINE,  /* slices follow each other */
	SLICES_OF_ASYNC,      /* one slice; tracks of one parent and name belong together */
	SLICES_OF_COUNTER,
};

struct slices_track {
	uint32_t number; /* from 1 */
	uint32_t parent; /* 0: none */
	enum slices_track_kind kind;
	const char *name; /* any bytes */
	uint32_t process; /* row of the trace's tables; 0: none */
	uint32_t thread;
	uint64_t coro;
};

/* What lies on a track: of which kind, in a word that viewers filter by. */
#define SLICES_CATEGORIES(X)  \
	X(STATE, "state")     \
	X(RUN, "run")         \
	X(BLOCK, "block")     \
	X(PARK, "park")       \
	X(WAKE, "wake")       \
	X(TASK, "task")       \
	X(REGION, "region")   \
	X(RANGE, "range")     \
	X(LOG, "log")         \
	X(COUNTER, "counter") \
	X(FINDING, "finding") \
	X(LOSS, "loss")       \
	X(NOTE, "note")

enum slices_category {
#define X(NAME, name) SLICES_##NAME,
	SLICES_CATEGORIES(X)
#undef X
		SLICES_NR_CATEGORIES,
};

/* slices_category_name: never NULL. */
const char *slices_category_name(enum slices_category category);

/* A further word or number about it. */
struct slices_argument {
	const char *key;  /* lives as long as the program */
	const char *text; /* any bytes; NULL: a number */
	int64_t number;
};

#define SLICES_ARGUMENTS 8u

struct slices_item {
	const struct slices_track *track;
	enum slices_category category;
	const char *name; /* any bytes */
	ct_time from;
	ct_time until;       /* of an instant, and a counter's value: the same */
	uint32_t site;       /* 0: none */
	uint64_t flow;       /* 0: none. Those of one number belong together, by time */
	bool is_flow_ending; /* none with this number comes after it */
	int64_t value;       /* of a counter */
	struct slices_argument arguments[SLICES_ARGUMENTS];
	uint32_t nr_arguments;
};

/* Takes a timeline: a track before what lies on it. All is borrowed until the function returns. */
struct slices_writer {
	const struct ct_tables *tables; /* set before the first call */
	void (*track)(struct slices_writer *writer, const struct slices_track *track);
	void (*slice)(struct slices_writer *writer, const struct slices_item *slice);
	void (*instant)(struct slices_writer *writer, const struct slices_item *instant);
	void (*counter)(struct slices_writer *writer, const struct slices_item *value);
	/* flush: a point at which what was written may be handed on. */
	enum ct_status (*flush)(struct slices_writer *writer, struct ct_error *reterr);
};

/*
 * slices_tell: the whole timeline of a view. The slices of one thread come by their beginning, outer ones first; those
 * of one coroutine follow each other; beyond that there is no order. Fails as the view or the writer's flush does.
 */
enum ct_status slices_tell(
	struct ct_view *view, struct slices_writer *writer, struct ct_error *reterr);

#endif
