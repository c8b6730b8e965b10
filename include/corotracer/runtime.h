/* SPDX-License-Identifier: MIT */
/*
 * What the runtime of a process did besides running coroutines, as a report tells it, and how durations are told in all
 * of a report. A part of ct.h; arrays, texts and times are as in report.h.
 */
#ifndef COROTRACER_RUNTIME_H
#define COROTRACER_RUNTIME_H

#include <stdint.h>

#include "corotracer/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How durations are distributed: how many, how long in all, and the time that so many of them did not pass;
 * percentiles are at most 1/32 too high.
 */
struct ct_distribution {
	uint64_t count;
	int64_t total_ns;
	int64_t p50_ns;
	int64_t p90_ns;
	int64_t p95_ns;
	int64_t p99_ns;
	int64_t p999_ns;
	int64_t p9999_ns;
	int64_t max_ns;
};

/* What goes on when the observation ends, and is in no distribution. */
struct ct_going_on {
	uint64_t count;
	int64_t total_ns; /* so far */
	int64_t longest_ns;
};

/* A processor of a runtime's scheduler: what a thread needs to run coroutines. */
struct ct_processor {
	uint64_t number;
	int64_t running_ns;
	int64_t syscall_ns; /* its coroutine was in a system call, and it could be taken away */
	int64_t idle_ns;    /* no thread had it */
	int64_t untold_ns;
	uint64_t nr_taken; /* how often a thread took it */
};

/* All ranges of one kind and name: pauses, and what collection did. */
struct ct_range {
	const char *kind; /* of ranges.def */
	const char *name; /* as the program tells it; "": it does not */
	uint32_t site;    /* the first one of the name; 0: not known */
	struct ct_distribution durations;
	struct ct_going_on open; /* not in `durations` */
};

/* What the program had of the processors in the window, among all so long, where that was least. */
struct ct_utilization {
	int64_t window_ns;
	double least; /* 0 to 1 */
};

/* One of the slowest tasks, with what the runtime took of its time. */
struct ct_met_task {
	uint64_t id;
	const char *name;
	ct_time begun;
	uint64_t event; /* sequence number of its beginning */
	int64_t duration_ns;
	int64_t paused_ns;   /* of it, in which the world stood still */
	int64_t assisted_ns; /* of the time in which its coroutines ran: they helped the collection */
};

/* What the runtime of a process did besides running coroutines, where its trace tells of that. */
struct ct_runtime {
	uint32_t process;
	const struct ct_processor *processors; /* by number */
	uint32_t nr_processors;
	const struct ct_range *ranges; /* the longest in total first */
	uint32_t nr_ranges;
	const struct ct_utilization *utilization; /* the shortest window first */
	uint32_t nr_utilization;
	const struct ct_met_task
		*met; /* the slowest first; those without any such time are left out */
	uint32_t nr_met;
	double utilization_mean; /* of the processors, left to the program; 1 where nothing is told */
	int64_t processors_ns;   /* of all processors together */
	int64_t paused_ns;
	int64_t assisted_ns;   /* of the time in which coroutines ran */
	int64_t idle_ready_ns; /* of processors: idle while as many coroutines were ready */
	int64_t short_ns;      /* in which at least one was */
	uint64_t nr_swept_bytes;
	uint64_t nr_reclaimed_bytes;
	uint64_t nr_samples;    /* of a clock that looked what runs */
	uint64_t nr_coros_most; /* alive at once */
	ct_time coros_most_time;
	uint64_t nr_refused; /* of all these, beyond the bounds of what is kept */
};

#ifdef __cplusplus
}
#endif

#endif
