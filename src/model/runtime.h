/* SPDX-License-Identifier: MIT */
/*
 * What a runtime does besides running coroutines: its processors, pauses and garbage collection. A part of model.h.
 *
 * A process has this where its trace tells of it (model_process.runtime), else NULL.
 */
#ifndef MODEL_RUNTIME_H
#define MODEL_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "base/histogram.h"
#include "base/map.h"
#include "base/vec.h"

#define MODEL_PROCESSORS 65536u          /* that are looked at */
#define MODEL_RANGES_OPEN 65536u         /* at once */
#define MODEL_PAUSES (UINT32_C(1) << 18) /* that are kept */
#define MODEL_SHARES (UINT32_C(1) << 22) /* changes of the share that collection has */
#define MODEL_RANGE_SUMS 1024u           /* names of ranges */
#define MODEL_NR_PROCESSOR_STATES 5u     /* enum ctp_processor */

struct model_processor {
	uint64_t number;
	uint32_t thread; /* that has it; 0: none */
	uint8_t state;   /* enum ctp_processor */
	bool is_sweeping;
	bool is_collecting; /* what runs on it looks for garbage, or sweeps */
	ct_time changed;
	uint64_t nr_taken;                        /* how often a thread took it */
	int64_t spent[MODEL_NR_PROCESSOR_STATES]; /* ns, while observed */
};

/* Something that the runtime does; while it goes on `until` is CT_NO_TIME. */
struct model_range {
	uint8_t kind;       /* enum ctp_range */
	uint32_t thread;    /* that told of its beginning, or else of its end */
	uint64_t coro;      /* id; 0: none */
	uint64_t processor; /* its number, where it concerns a processor */
	uint32_t site;
	uint64_t event; /* that tells of its beginning, or else of its end */
	ct_time from;   /* where its beginning is not told, that of the observation */
	ct_time until;
	ct_time counted; /* of a coroutine's: `ran_ns` is right up to then, or up to where it ran last */
	int64_t ran_ns; /* so long its coroutine ran meanwhile */
	bool is_begun;  /* its beginning is told */
	bool is_open;   /* it goes on when observation ends, which is `until` */
};

/* All ranges of one kind and name. */
struct model_range_sum {
	uint8_t kind;
	uint32_t site;               /* the first one of the name */
	struct histogram *durations; /* of those that have ended; ns */
	struct ct_going_on open;
};

/* The world stood still. */
struct model_pause {
	ct_time from;
	ct_time until;
	int64_t before_ns; /* the sum of all pauses before it */
	uint32_t site;
	bool is_of_collection; /* not asked for by the program */
};

/* From here on so many of the processors look for garbage, and run nothing else. */
struct model_share {
	ct_time time;
	uint32_t nr_collecting;
	uint32_t nr_processors;
};

struct model_runtime {
	VEC(struct model_processor) processors; /* [0] is none */
	struct map processor_at;                /* by number */
	uint32_t nr_processors;                 /* that are there */
	uint32_t nr_idle;
	uint32_t nr_collecting;
	uint32_t nr_collection_pauses; /* that go on: 0 or 1 */
	ct_time counted;               /* up to then the next three are right */
	int64_t idle_ready_ns;        /* of processors: idle, while as many coroutines were ready */
	int64_t short_ns;             /* for so long at least one was */
	int64_t processors_ns;        /* of all processors together */
	VEC(struct model_range) open; /* [0] is none */
	struct map open_at;           /* by kind and whom it concerns */
	uint32_t free_range;          /* 0: none; the next one is its `thread` */
	VEC(struct model_range_sum) sums;
	struct map sum_at;              /* by kind and place */
	VEC(struct model_pause) pauses; /* by time */
	int64_t paused_ns;
	VEC(struct model_share) shares; /* by time */
	uint64_t nr_swept_bytes;
	uint64_t nr_reclaimed_bytes;
	int64_t assisted_ns; /* of all coroutines together: as long as they ran meanwhile */
	uint64_t nr_samples;
	uint64_t nr_refused; /* of all these, beyond the bounds */
};

/* model_paused_between: for how long of this time the world stood still. After model_finish. */
int64_t model_paused_between(const struct model_runtime *runtime, ct_time from, ct_time until);

#endif
