/* SPDX-License-Identifier: MIT */
/*
 * Events of Go in the words of our contract: goroutines are coroutines, Ps processors, Ms threads.
 *
 * A reader's events go in one by one, in their order, and each becomes none, one, or several of ours. What was so
 * before the trace is told apart from them.
 */
#ifndef GOTRACE_MAPPING_H
#define GOTRACE_MAPPING_H

#include "gotrace/reasons.h"
#include "gotrace/sites.h"

struct gotrace_mapping {
	struct lists lists; /* the process is number 1 */
	struct gotrace_sites sites;
	struct map thread_of; /* the file's thread to ours */
	uint64_t last_thread_id;
	uint32_t last_thread; /* 0: none was asked for */
	struct map life_of;   /* goroutines of threads of C, whose ids come again: how often */
	struct map worker_of; /* goroutines that look for garbage: the range that they have open */
	struct map
		nameless; /* goroutines that were there before, of which no stack is told yet: their thread */
	VEC(bool) is_parked; /* by index of the thread: it has no processor, and nothing to do */
	VEC(uint64_t) procs; /* that are there */
	struct map proc_of;  /* which these are */
	VEC(struct gotrace_reason) reasons; /* by the reader's name */
	int64_t start;                      /* the time that is 0 */
	bool has_start;
	uint64_t nr_syncs; /* generations that have begun */
	bool is_out_of_memory;
	const struct gotrace_reader *reader;
	VEC(struct ct_event) events;  /* what the last ones became */
	VEC(struct ct_event) carried; /* how things stood before the first one */
};

/* gotrace_mapping_init: false: out of memory. gotrace_mapping_restart: the same trace is read from its start again. */
bool gotrace_mapping_init(struct gotrace_mapping *mapping);
void gotrace_mapping_restart(struct gotrace_mapping *mapping);
void gotrace_mapping_fini(struct gotrace_mapping *mapping);

/*
 * gotrace_mapping_apply: appends what an event becomes to `events`. A goroutine that was there before the trace goes to
 * `carried`, with the time 0. Whether memory was there is asked at the end (`is_out_of_memory`).
 */
void gotrace_mapping_apply(struct gotrace_mapping *mapping, const struct gotrace_reader *reader,
	const struct gotrace_event *event);

#endif
