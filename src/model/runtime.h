/* SPDX-License-Identifier: MIT */
/*
 * What a runtime does besides running coroutines: its processors, pauses and garbage collection. A part of model.h.
 *
 * A process has this struct if its trace records such things (model_process.runtime), else NULL.
 */
#ifndef MODEL_RUNTIME_H
#define MODEL_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "base/histogram.h"
#include "base/map.h"
#include "base/vec.h"

#define MODEL_PROCESSORS 65536u          /* with larger numbers are ignored */
#define MODEL_RANGES_OPEN 65536u         /* at the same time */
#define MODEL_PAUSES (UINT32_C(1) << 18) /* that are kept */
#define MODEL_SHARES (UINT32_C(1) << 22) /* changes of the collector's share */
#define MODEL_RANGE_SUMS 1024u           /* names of ranges */
#define MODEL_NR_PROCESSOR_STATES 5u     /* enum ctp_processor */

struct model_processor {
	uint64_t number;
	uint32_t thread; /* the thread that has it; 0: none */
	uint8_t state;   /* enum ctp_processor */
	bool is_sweeping;
	bool is_collecting; /* what runs on it collects garbage, or it sweeps */
	ct_time changed;
	uint64_t nr_taken;                        /* how often a thread took it */
	int64_t spent[MODEL_NR_PROCESSOR_STATES]; /* ns, during the observation */
};

/* Something that the runtime does; `until` is CT_NO_TIME while it goes on. */
struct model_range {
	uint8_t kind;       /* enum ctp_range */
	uint32_t thread;    /* that recorded its beginning or, if that is missing, its end */
	uint64_t coro;      /* id; 0: none */
	uint64_t processor; /* number of the processor, if it is about one */
	uint32_t site;
	ct_time from; /* if its beginning is missing: the beginning of the observation */
	ct_time until;
	/* of a coroutine's range: `ran_ns` is right up to then, or up to the coroutine's last run */
	ct_time counted;
	int64_t ran_ns; /* how long its coroutine ran meanwhile */
	bool is_open;   /* it goes on when the observation ends, which is `until` */
};

/* All ranges of one kind and name. */
struct model_range_sum {
	uint8_t kind;
	uint32_t site;               /* where the name was used first */
	struct histogram *durations; /* of ranges that have ended; ns */
	struct ct_going_on open;
};

/* A time in which the world was stopped. */
struct model_pause {
	ct_time from;
	ct_time until;
	int64_t before_ns; /* sum of all pauses before it */
};

/* From `time` on this many processors collect garbage, and run nothing else. */
struct model_share {
	ct_time time;
	uint32_t nr_collecting;
	uint32_t nr_processors;
};

struct model_runtime {
	VEC(struct model_processor) processors; /* [0] stands for none */
	struct map processor_at;                /* by number */
	uint32_t nr_processors;                 /* processors that exist */
	uint32_t nr_idle;
	uint32_t nr_collecting;
	uint32_t nr_collection_pauses; /* 0 or 1 pauses that go on */
	ct_time counted;               /* the next three are right up to here */
	/* processor time: idle, with at least as many coroutines ready */
	int64_t idle_ready_ns;
	int64_t short_ns;             /* time with at least one such processor */
	int64_t processors_ns;        /* time of all processors together */
	VEC(struct model_range) open; /* [0] stands for none */
	struct map open_at;           /* by kind and scope */
	uint32_t free_range;          /* 0: none; the next free one is its `thread` */
	VEC(struct model_range_sum) sums;
	struct map sum_at;              /* by kind and place */
	VEC(struct model_pause) pauses; /* by time */
	int64_t paused_ns;
	VEC(struct model_share) shares; /* by time */
	uint64_t nr_swept_bytes;
	uint64_t nr_reclaimed_bytes;
	int64_t assisted_ns; /* running time of all coroutines that helped the collector */
	uint64_t nr_samples;
	uint64_t nr_refused; /* processors, ranges, pauses and so on beyond the bounds */
};

/* model_paused_between: returns for how long the world was stopped in this time. After model_finish. */
int64_t model_paused_between(const struct model_runtime *runtime, ct_time from, ct_time until);

#endif
