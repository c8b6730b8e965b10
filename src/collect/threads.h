/* SPDX-License-Identifier: MIT */
/*
 * The threads of one process: maps kernel thread ids to the numbers of threads in a trace.
 *
 * The same thread writes into several rings (the probe's, the ledger's), which are read one after the other; and the
 * kernel uses a thread id again. So a thread is identified by its id and the time of its stop: an id at a time not
 * after a thread's stop means that thread, and at a later time a new thread. Times are those of the records, on one
 * clock.
 *
 * Bound: 65,536 ids of a process at a time, with two threads each.
 */
#ifndef COLLECT_THREADS_H
#define COLLECT_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

#define THREADS_MAX 65536u
#define THREADS_RUNNING UINT64_MAX

struct threads_life {
	uint32_t number;  /* its number in the trace; 0: none */
	uint64_t stopped; /* raw time; THREADS_RUNNING */
};

struct threads_entry {
	struct threads_life newest;
	struct threads_life older;
};

/* Zeroed: empty. */
struct threads {
	struct map by_id;
	VEC(struct threads_entry) entries;
};

/* collect_threads_fini: frees the memory. */
void collect_threads_fini(struct threads *threads);

/*
 * collect_threads_find: returns the number of the thread that has `tid` at `time`. A thread that is not known gets the
 * number `fresh`, and *ret_is_new is set. Returns 0 if the bound is reached or memory is out.
 */
uint32_t collect_threads_find(
	struct threads *threads, uint64_t tid, uint64_t time, uint32_t fresh, bool *ret_is_new);

/* collect_threads_stopped: notes that the thread of this number recorded its end. */
void collect_threads_stopped(struct threads *threads, uint32_t number, uint64_t tid, uint64_t time);

#endif
