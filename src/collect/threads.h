/* SPDX-License-Identifier: MIT */
/*
 * The threads of one process: kernel thread ids to the numbers that a trace knows them by.
 *
 * The same thread writes into several rings (the probe's, the ledger's), which are read one after the
 * other; and the kernel uses a thread id again. So a thread is told by its id and by when it stopped:
 * a ring that names an id at a time not after a thread's stop means that thread, a later time means a
 * new one. Times are those of the records, on one clock.
 *
 * Bound: 65,536 ids a process at a time, two threads each.
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
	uint32_t number;  /* in the trace; 0: none */
	uint64_t stopped; /* raw time; THREADS_RUNNING */
};

struct threads_entry {
	struct threads_life newest;
	struct threads_life older;
};

/* Zeroed is empty. */
struct threads {
	struct map by_id;
	VEC(struct threads_entry) entries;
};

/* collect_threads_fini: gives the memory back. */
void collect_threads_fini(struct threads *threads);

/*
 * collect_threads_find: the number of the thread that has `tid` at `time`. A thread that is not known gets
 * the number `fresh`, and *ret_is_new says so. Returns 0 where the bound is reached or memory is out.
 */
uint32_t collect_threads_find(
	struct threads *threads, uint64_t tid, uint64_t time, uint32_t fresh, bool *ret_is_new);

/* collect_threads_stopped: the thread of this number said that it ends. */
void collect_threads_stopped(struct threads *threads, uint32_t number, uint64_t tid, uint64_t time);

#endif
