/* SPDX-License-Identifier: MIT */
/*
 * Where threads run, by the kernel's clock: each thread that writes events is watched by a perf event, from outside.
 * What the kernel found becomes events of kind SAMPLE in streams of the engine's own, one for each thread; their sites
 * are addresses, with the stacks that the frame pointers show. A page that was read from a file for a thread is a
 * PAGE_FAULT. All page faults are counted ten times a second.
 *
 * A thread that gets a processor more than 2,000 times a second is left alone until it has calmed down: each time would
 * cost it some tenths of a microsecond, and by its many events it is known anyway.
 *
 * Bounds: 1,024 threads at a time; 65,536 addresses and as many stacks of each process, behind which samples name the
 * innermost address alone, or none. What the kernel refuses or loses is counted, and noted in the trace.
 */
#ifndef COLLECT_SAMPLES_H
#define COLLECT_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "collect/fault_files.h"
#include "kernel/perf_thread.h"
#include "kernel/procfs.h"

struct collect;
struct process;

/* The names of one process's addresses. */
struct sampled_process {
	uint32_t process; /* its number in the trace; 0: a free entry */
	uint32_t segment;
	uint32_t nr_sites;
	uint32_t nr_stacks;
	struct map sites;  /* by address, and whether it is a return address */
	struct map stacks; /* by caller and site */
	struct map tops;   /* by stack and file: the site that stands for all of it */
	struct fault_files files;
};

struct sampled_thread {
	struct process *process;
	uint64_t tid;
	uint32_t thread; /* its number in the trace */
	uint32_t stream;
	bool is_there; /* found at the present look */
	bool is_open;
	bool is_refused; /* the kernel does not let us watch it */
	bool is_hasty;   /* gives its processor away so often that a watch would slow it down */
	uint64_t turns;  /* on a processor, as counted at the last search */
	/* since when it has no processor, and that is not told; 0: it has one, or that was not seen */
	uint64_t off_ns;
	bool was_preempted;
	bool is_going_on;      /* that it has none was told before */
	uint32_t nr_off_calls; /* the stack with which it lost it; 0: not known */
	uint64_t off_calls[PERF_CALLS];
	/* how long it waited in the kernel when it was at this address, as for a page; 0: not known */
	uint64_t wait_address;
	uint64_t wait_ns;
	struct procfs_faults faults; /* as counted at the last search */
	uint64_t nr_major;           /* of these, since the search before */
	uint64_t faulted_ns;         /* the last search with any; 0: none */
	struct perf_thread watch;
};

/* Zeroed: nothing is sampled. */
struct samples {
	unsigned hz; /* of each thread's processor time; 0: nothing is sampled */
	VEC(struct sampled_process) processes;
	VEC(struct sampled_thread) threads;
	struct map by_tid;     /* index + 1 in `threads`, by process and tid */
	uint32_t nr_threads;   /* of the collector, at the last search */
	uint64_t searched_ns;  /* last search for threads */
	uint64_t judged_ns;    /* last look at how often threads get a processor */
	uint64_t taken_ns;     /* last reading of what the kernel has found */
	uint64_t faulted_ns;   /* last such reading with a page fault */
	uint64_t nr_lost;      /* by the kernel, for want of room */
	uint64_t nr_unwatched; /* threads that the kernel did not let us watch */
	int trouble;           /* errno of the last one */
	uint64_t nr_hasty;     /* threads that were left alone for a while */
	bool is_blind;         /* the kernel says nothing of time spent inside of it */
};

/* collect_samples_look: watches threads that are new, and takes what the kernel has found until now. */
void collect_samples_look(struct collect *collect);

/* collect_samples_due_ns: returns when the next look is due although nothing happens; UINT64_MAX: never. */
uint64_t collect_samples_due_ns(const struct collect *collect);

/* collect_samples_take: takes what the kernel has found until now. */
void collect_samples_take(struct collect *collect);

/* collect_samples_last: does so for the threads of one process for the last time, and forgets the process. */
void collect_samples_last(struct collect *collect, struct process *process);

/* collect_samples_fini: ends all watches, and frees the memory. */
void collect_samples_fini(struct collect *collect);

#endif
