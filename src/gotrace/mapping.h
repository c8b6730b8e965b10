/* SPDX-License-Identifier: MIT */
/*
 * Maps Go's events to our events: goroutines are coroutines, Ps are processors, Ms are threads.
 *
 * The reader's events go in one by one, in order; each becomes none, one, or several of our events. Events about the
 * state before the trace are kept apart from the others.
 */
#ifndef GOTRACE_MAPPING_H
#define GOTRACE_MAPPING_H

#include "gotrace/reasons.h"
#include "gotrace/sites.h"

struct gotrace_mapping {
	struct lists lists; /* the process is number 1 */
	struct gotrace_sites sites;
	struct map thread_of; /* the file's thread id to our index */
	uint64_t last_thread_id;
	uint32_t last_thread; /* the thread of the last look-up; 0: none yet */
	/* number of lives of each goroutine that serves a thread of C: such ids come again */
	struct map life_of;
	struct map worker_of; /* marking workers of the garbage collector: their open range */
	/* threads of goroutines that began before the trace and have no known stack yet */
	struct map nameless;
	VEC(bool) is_parked; /* by index of the thread: it has no processor and nothing to run */
	VEC(uint64_t) procs; /* processors that exist */
	struct map proc_of;  /* the same processors, by id */
	VEC(struct gotrace_reason) reasons; /* indexed by the reader's name */
	int64_t start;                      /* the raw time that becomes time 0 */
	bool has_start;
	uint64_t nr_syncs; /* number of generations that have begun */
	bool is_out_of_memory;
	const struct gotrace_reader *reader;
	VEC(struct ct_event) events;  /* what the last events of the reader became */
	VEC(struct ct_event) carried; /* the state before the first event of the trace */
};

/*
 * gotrace_mapping_init: false if memory is out. gotrace_mapping_restart: prepares for reading the same trace again from
 * its start.
 */
bool gotrace_mapping_init(struct gotrace_mapping *mapping);
void gotrace_mapping_restart(struct gotrace_mapping *mapping);
void gotrace_mapping_fini(struct gotrace_mapping *mapping);

/*
 * gotrace_mapping_apply: appends to `events` what one event of the reader becomes. Events about a goroutine from before
 * the trace go to `carried`, with time 0. The caller checks `is_out_of_memory` at the end.
 */
void gotrace_mapping_apply(struct gotrace_mapping *mapping, const struct gotrace_reader *reader,
	const struct gotrace_event *event);

#endif
