/* SPDX-License-Identifier: MIT */
/*
 * Annotations of the program: tasks, regions and counters, each within a bound. A part of model.h.
 */
#ifndef MODEL_ANNOTATIONS_H
#define MODEL_ANNOTATIONS_H

#include <stdint.h>

#include "corotracer/ct.h"
#include "base/histogram.h"

#define MODEL_SPANS 1024u
#define MODEL_OPEN 1048576u
#define MODEL_SLOWEST 10u

/* How many kinds of things there are to wait for. */
enum {
#define X(NAME, number, name, identity) MODEL_RESOURCE_##NAME,
#include "corotracer/def/resources.def"
#undef X
	MODEL_NR_RESOURCES,
};

/* All tasks or regions of one name, or a counter. */
struct model_span {
	const char *name; /* of the tables */
	uint32_t process;
	uint32_t site;               /* the first one of the name */
	uint8_t kind;                /* CTP_KIND_TASK_BEGIN, REGION_BEGIN or COUNTER */
	uint64_t nr_begun;           /* of a counter: values */
	struct ct_going_on open;     /* times: at the end, until then */
	struct histogram *durations; /* of those that have ended; NULL for a counter */
	uint32_t series;             /* of a counter */
	int64_t last;                /* of a counter */
	int64_t least;
	int64_t greatest;
	ct_time last_time;
	int64_t longest_ns;
	uint64_t longest_event; /* with which the longest one of these tasks began */
	/* Times of the coroutines that worked for it, or had it open, also where it goes on: ns in each state. */
	int64_t spent[CT_STATE_DONE];
	int64_t waited[MODEL_NR_RESOURCES]; /* of that, waiting: by what for, enum ctp_resource */
};

/* A task that goes on. */
struct model_task {
	uint64_t id; /* 0: the place is free, and `span` is the next free one */
	uint32_t process;
	uint32_t span;
	ct_time begun;
	uint64_t event;               /* sequence number of its beginning */
	uint32_t workers;             /* the first of the coroutines that work for it; 0: none */
	int64_t spent[CT_STATE_DONE]; /* as of its span */
	int64_t assisted_ns;          /* of `spent`, running: helping to look for garbage */
};

struct model_slow {
	struct model_task task;
	ct_time ended;
	int64_t duration;
};

/* A region that is open. */
struct model_region {
	uint32_t span;
	uint32_t below; /* of the same coroutine or thread, around it; 0: none */
	ct_time begun;
};

#endif
