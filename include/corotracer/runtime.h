/* SPDX-License-Identifier: MIT */
/*
 * The part of a report about what the runtime of a process did besides running coroutines, and the form of durations in
 * all parts of a report. A part of ct.h; arrays, texts and times are as in report.h.
 */
#ifndef COROTRACER_RUNTIME_H
#define COROTRACER_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A distribution of durations: their number, their sum, and percentiles: pN_ns is the time that N percent of the
 * durations do not exceed. Percentiles are at most 1/32 too high.
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

/* Durations that have not ended when the observation ends; no distribution includes them. */
struct ct_going_on {
	uint64_t count;
	int64_t total_ns; /* so far */
	int64_t longest_ns;
};

/* A processor of a runtime's scheduler: what a thread needs to run coroutines. */
struct ct_processor {
	uint64_t number;
	int64_t running_ns;
	int64_t syscall_ns; /* its coroutine was in a system call; the processor could be taken */
	int64_t idle_ns;    /* no thread had it */
	int64_t untold_ns;
	uint64_t nr_taken; /* how often a thread took the processor */
};

/* All ranges of one kind and name: pauses, and work of the garbage collector. */
struct ct_range {
	const char *kind; /* from ranges.def */
	const char *name; /* as the program recorded it; "": no name */
	uint32_t site;    /* site of the first range of the name; 0: not known */
	struct ct_distribution durations;
	struct ct_going_on open; /* ranges that go on; not in `durations` */
};

/* The share of the processors' time that the program had, in the window of this length in which the share was least. */
struct ct_utilization {
	int64_t window_ns;
	double least; /* 0 to 1 */
};

/* One of the slowest tasks, with the time that the runtime took from it. */
struct ct_met_task {
	uint64_t id;
	const char *name;
	ct_time begun;
	uint64_t event; /* sequence number of the event at which the task began */
	int64_t duration_ns;
	int64_t paused_ns;   /* of the duration: time in which the world was stopped */
	int64_t assisted_ns; /* of its coroutines' running time: helping the collector */
};

/* What the runtime of a process did besides running coroutines, if its trace says so. */
struct ct_runtime {
	uint32_t process;
	const struct ct_processor *processors; /* by number */
	uint32_t nr_processors;
	const struct ct_range *ranges; /* the longest in total first */
	uint32_t nr_ranges;
	const struct ct_utilization *utilization; /* the shortest window first */
	uint32_t nr_utilization;
	/* the slowest first; tasks that lost no time to the runtime are left out */
	const struct ct_met_task *met;
	uint32_t nr_met;
	/* share of the processors' time left to the program; 1 if not recorded */
	double utilization_mean;
	int64_t processors_ns; /* time of all processors together */
	int64_t paused_ns;
	int64_t assisted_ns; /* of the coroutines' running time */
	/* idle time of processors for each of which a coroutine was ready */
	int64_t idle_ready_ns;
	int64_t short_ns; /* time in which at least one processor was idle so */
	uint64_t nr_swept_bytes;
	uint64_t nr_reclaimed_bytes;
	uint64_t nr_samples;    /* samples by a clock of the code that runs */
	uint64_t nr_coros_most; /* most coroutines alive at the same time */
	ct_time coros_most_time;
	uint64_t nr_refused; /* things of all these kinds beyond the bounds of what is kept */
};

/* How a thread that runs coroutines spent its time. */
struct ct_worker {
	uint32_t thread;
	ct_time from;
	ct_time until;
	int64_t running_ns;    /* running coroutines */
	int64_t scheduling_ns; /* outside of coroutines */
	int64_t blocked_ns;    /* in system calls other than waiting for work */
	int64_t idle_ns;
	uint64_t nr_resumes;
	/* of all these: it could run and had no processor, by the kernel's account; 0: not known, likewise */
	int64_t starved_ns;
};

/* A function in which samples found a thread, or in which it waited: the innermost one of the program's own. */
struct ct_hot {
	const char *function; /* "": not known */
	const char *file;
	uint32_t line; /* where most of this was */
	uint32_t site; /* the place of one of them, which may be a call that was inlined there */
	uint64_t nr_samples; /* or waits */
	int64_t waited_ns;   /* 0: these are samples */
};

/* Samples of the thread that ran a coroutine meanwhile. All zero: none were taken. */
struct ct_run_samples {
	uint64_t count;
	const struct ct_hot *hot; /* the hottest first; at most 8 */
	uint32_t nr_hot;
	/* times in which the thread could have run, and had no processor */
	uint64_t nr_preempted;
	int64_t preempted_ns;
	/* of these times and those after it was woken: at least so much; without samples, too */
	int64_t starved_ns;
	/* times of a millisecond or more in which it waited in the kernel */
	uint64_t nr_waited;
	int64_t waited_ns;
	const struct ct_hot *waits; /* where it waited, the longest in all first; at most 8 */
	uint32_t nr_waits;
	/* pages that had to be read from a file or from swap for it; how long it waited for them, as far as is known */
	uint64_t nr_faults;
	int64_t faulted_ns;
	bool is_faulted_least;       /* the kernel told only some of them one by one */
	const char *faulted_file;    /* of which most of them are, or "swap"; "": not known */
	const struct ct_hot *faults; /* where it waited for them, likewise */
	uint32_t nr_faults_at;
	uint64_t nr_minor_faults; /* at least; counted ten times a second */
};

/* A run of a coroutine that lasted for long: its longest one, or the one that it is in. */
struct ct_long_run {
	uint64_t coro; /* id */
	uint32_t process;
	uint32_t thread;
	ct_time since;
	int64_t duration_ns; /* so far, if it goes on */
	bool goes_on;
	const char *text; /* one sentence without its full stop */
	struct ct_run_samples samples;
};

#ifdef __cplusplus
}
#endif

#endif
