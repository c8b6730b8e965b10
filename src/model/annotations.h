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

/* The number of resource kinds. */
enum {
#define X(NAME, number, name, identity) MODEL_RESOURCE_##NAME,
#include "corotracer/def/resources.def"
#undef X
	MODEL_NR_RESOURCES,
};

/* All tasks or regions of one name, or a counter. */
struct model_span {
	const char *name; /* in the tables */
	uint32_t process;
	uint32_t site;               /* where the name was used first */
	uint8_t kind;                /* CTP_KIND_TASK_BEGIN, REGION_BEGIN or COUNTER */
	uint64_t nr_begun;           /* for a counter: number of values */
	struct ct_going_on open;     /* those still open at the end: their times up to the end */
	struct histogram *durations; /* of tasks or regions that have ended; NULL for a counter */
	uint32_t series;             /* of a counter */
	int64_t last;                /* of a counter */
	int64_t least;
	int64_t greatest;
	ct_time last_time;
	int64_t longest_ns;
	uint64_t longest_event; /* sequence number of the beginning of the longest task */
	/*
	 * Time of the coroutines that worked for the task, or had the region open, including tasks still open: ns by
	 * state.
	 */
	int64_t spent[CT_STATE_DONE];
	/* the waiting part of `spent`, by resource kind: enum ctp_resource */
	int64_t waited[MODEL_NR_RESOURCES];
};

/* An open task. */
struct model_task {
	uint64_t id; /* 0: unused record, and `span` is the next unused one */
	uint32_t process;
	uint32_t span;
	ct_time begun;
	uint64_t event;               /* sequence number of its beginning */
	uint32_t workers;             /* the first coroutine that works for it; 0: none */
	int64_t spent[CT_STATE_DONE]; /* as in model_span */
	/* part of the running time in `spent`: helping the garbage collector */
	int64_t assisted_ns;
};

struct model_slow {
	struct model_task task;
	int64_t duration;
};

/* An open region. */
struct model_region {
	uint32_t span;
	uint32_t below; /* the region around it, of the same coroutine or thread; 0: none */
	ct_time begun;
};

#endif
