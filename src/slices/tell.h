/* SPDX-License-Identifier: MIT */
/*
 * A trace as a timeline: tracks, and the items on them, in an order that every timeline viewer accepts.
 *
 * The tracks are: each process; below it its threads, with their runs, blocking calls and sleeps; its coroutines, with
 * their states; its tasks; its counters; and the regions of each thread and coroutine. A wake is an instant on the
 * track of the waking thread, with a flow to the delay that it began and to the run that ended the delay. Findings,
 * losses and the notes of the trace have tracks of their own.
 */
#ifndef SLICES_TELL_H
#define SLICES_TELL_H

#include "view/view.h"

enum slices_track_kind {
	SLICES_OF_TRACE, /* items about the trace as a whole */
	SLICES_OF_PROCESS,
	SLICES_OF_THREAD, /* slices are nested */
	/*
	 * slices of a thread that cannot be nested in the others, because events are missing; nested among themselves
	 */
	SLICES_OF_OVERLAP,
	SLICES_OF_COROUTINES, /* a heading */
	SLICES_OF_COROUTINE,  /* slices follow each other */
	SLICES_OF_ASYNC,      /* one slice; tracks with the same parent and name belong together */
	SLICES_OF_COUNTER,
};

struct slices_track {
	uint32_t number; /* from 1 */
	uint32_t parent; /* 0: none */
	enum slices_track_kind kind;
	const char *name; /* any bytes */
	uint32_t process; /* row of the trace's tables; 0: none */
	uint32_t thread;
};

/* The kinds of items, as words by which viewers filter. */
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

/* A further word or number of an item. */
struct slices_argument {
	const char *key;  /* must live as long as the program */
	const char *text; /* any bytes; NULL: the argument is a number */
	int64_t number;
};

#define SLICES_ARGUMENTS 8u

struct slices_item {
	const struct slices_track *track;
	enum slices_category category;
	const char *name; /* any bytes */
	ct_time from;
	ct_time until; /* for an instant or a counter's value: the same as the beginning */
	uint32_t site; /* 0: none */
	/* 0: none. Items with the same number form one flow, in order of time */
	uint64_t flow;
	bool is_flow_ending; /* no later item has this number */
	int64_t value;       /* of a counter */
	struct slices_argument arguments[SLICES_ARGUMENTS];
	uint32_t nr_arguments;
};

/* Writes a timeline: a track comes before the items on it. All arguments are borrowed until the function returns. */
struct slices_writer {
	const struct ct_tables *tables; /* set before the first call */
	void (*track)(struct slices_writer *writer, const struct slices_track *track);
	void (*slice)(struct slices_writer *writer, const struct slices_item *slice);
	void (*instant)(struct slices_writer *writer, const struct slices_item *instant);
	void (*counter)(struct slices_writer *writer, const struct slices_item *value);
	/* flush: called where the bytes written so far may be passed on. */
	enum ct_status (*flush)(struct slices_writer *writer, struct ct_error *reterr);
};

/*
 * slices_tell: passes the whole timeline of a view to a writer. The slices of a thread come in order of their
 * beginning, outer ones first; the slices of a coroutine follow each other; other items come in any order. Fails as the
 * view or the writer's flush does.
 */
enum ct_status slices_tell(
	struct ct_view *view, struct slices_writer *writer, struct ct_error *reterr);

#endif
