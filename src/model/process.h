/* SPDX-License-Identifier: MIT */
/*
 * A process as a whole: the maps to its records, what it says about itself, its crash, and its missing events. A part
 * of model.h.
 */
#ifndef MODEL_PROCESS_H
#define MODEL_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "base/histogram.h"
#include "base/map.h"
#include "model/releasing.h"
#include "model/series.h"
#include "base/vec.h"

/*
 * A wake of a frame that was not known to be at that address. MODEL_UNMATCHED such wakes are kept, to be matched
 * later.
 */
struct model_unmatched {
	uint64_t frame;
	ct_time time;
	uint32_t site;
	bool is_stranger; /* no known coroutine ever had a frame there */
};

#define MODEL_UNMATCHED 4096u

/* A time in which no coroutine of a process took a step: stillness.c. */
struct model_stillness {
	ct_time from; /* the last step */
	/* the first act that led to the next step; CT_NO_TIME: there was no such time */
	ct_time until;
	uint64_t nr_alive; /* living coroutines */
	uint32_t nr_runs;  /* runs of the process up to then */
	bool is_busy;      /* no stillness: a signal came while others went on */
};

#define MODEL_INTERRUPTIONS 4u /* the latest ones are kept */

/* Coroutines that a panic or an exception ended: their number, and the last one. */
struct model_failed {
	uint32_t count;
	uint32_t site;   /* where the last one was started */
	uint32_t failed; /* where the error arose; 0: not known */
	uint64_t id;
};

struct model_process {
	struct map pages; /* coroutine id / MODEL_PAGE_IDS -> index into model.pages */
	uint64_t cached_key;
	uint32_t cached_page; /* 0: none */
	uint32_t nr_ready;    /* coroutines in state READY */
	uint32_t nr_alive;    /* coroutines that were seen, and have not ended */
	uint32_t nr_alive_most;
	ct_time alive_most_time;
	uint32_t series[MODEL_NR_SERIES_OF_PROCESS];
	uint32_t nr_hidden;          /* coroutines that may run unseen */
	ct_time ready_since;         /* when nr_ready last left zero */
	uint32_t bound_gap;          /* index of the gap of events without room, plus 1; 0: none */
	VEC(struct model_gone) gone; /* by page: ids whose records were given back */
	struct map kept[MODEL_NR_KEPT]; /* names of records that are to be kept */
	struct map frames;     /* frame address -> coroutine; MODEL_GONE, MODEL_GONE_REUSED */
	struct map addresses;  /* address of the tracing state -> coroutine */
	VEC(uint64_t) offsets; /* distances seen between the two */
	VEC(struct model_unmatched) unmatched;
	struct map numbers;     /* descriptor number -> its newest generation */
	struct map user_data;   /* word given to epoll -> descriptor; MODEL_GONE */
	struct map objects;     /* resource handle -> model.objects */
	struct map tasks;       /* id of an open task -> model.tasks */
	struct map names;       /* resource handle -> site */
	struct map run_queues;  /* resource handle, or else thread -> model.run_queues */
	VEC(uint32_t) workers;  /* threads that ran coroutines, or whose events are missing */
	uint32_t nr_bystanders; /* of these, bystanders */
	struct map tids;        /* kernel thread id -> the last thread that had it */
	/* the last of its coroutines that was destroyed while suspended; 0: none */
	uint32_t last_cut;
	uint64_t nr_cut;       /* coroutines destroyed while they waited */
	uint64_t nr_cut_ready; /* coroutines destroyed after a wake, before they ran */
	ct_time last_event;    /* last event that any of its threads wrote; CT_NO_TIME: none */
	/* the last resume of any coroutine of the program; CT_NO_TIME: none */
	ct_time last_run;
	/* the last end of any of their records, given back or not; CT_NO_TIME: none */
	ct_time last_destroyed;
	ct_time stepped; /* the last step of any of its coroutines; CT_NO_TIME: none */
	ct_time stirred; /* its first event after the last pause in all that it writes */
	/* a signal last came to one of its threads: it interrupted a call, or a handler says so; CT_NO_TIME: never */
	ct_time interrupted;
	struct model_stillness stillness; /* the last long one that a step ended */
	struct model_stillness pause;     /* the last one of any length */
	struct model_stillness interruptions[MODEL_INTERRUPTIONS]; /* those that a signal ended */
	/* the next one is written at this number modulo MODEL_INTERRUPTIONS */
	uint32_t nr_interruptions;
	/* the same, if others went on meanwhile */
	struct model_stillness interrupted_busy[MODEL_INTERRUPTIONS];
	uint32_t nr_interrupted_busy;
	uint64_t nr_opened;
	uint64_t nr_open;
	ct_time shutdown_from; /* when the program announced its end; CT_NO_TIME: it did not */
	/* when the program announced the end of its warm-up; CT_NO_TIME: it did not */
	ct_time warm_up_until;
	bool is_warming_up;
	/* waits for a lock, a channel or the like that is not named (P-104) */
	bool has_unnamed_waits;
	bool has_half_told;   /* has coroutines whose beginnings and ends are not recorded */
	bool has_completions; /* signs of completion-based I/O */
	/* has waits by poll or select, which do not name descriptors beforehand */
	bool has_polls;
	/* of its coroutines, and how many of these were created; both modulo 2^32 */
	uint32_t nr_runs;
	uint32_t nr_made;
	bool tells_ends; /* ends are recorded, or initial suspends: not all probes do that */
	/* bit n: of objects of this kind (resources.def) takings are recorded; and waits for one have ended */
	uint32_t tells_takings;
	uint32_t ended_waits;
	/* records which wakes find their target queued, or each entry into a queue */
	bool tells_queues;
	/* by a child or an io_uring, besides its descriptors; see model_process_is_reachable */
	bool is_reachable;
	bool has_handlers; /* of signals */
	/* it announced that its signal handlers end it, and wake nobody */
	bool is_ended_by_signals;
	bool has_reads;          /* a transfer that reads was recorded */
	bool has_unseen_threads; /* the engine did not look at all of its threads */
	/* stopped by a signal or a debugger since then; CT_NO_TIME: it is not */
	ct_time halted;
	/* `ready` is right up to here; CT_NO_TIME: nothing was ready yet */
	ct_time ready_counted;
	/* for how many ns how many coroutines were ready at the same time */
	struct histogram ready;
	struct model_failed failed; /* coroutines that a panic or an exception ended */
	struct histogram delays;    /* ns from ready to running, of all its coroutines */
	/* ns from running to the next wait, of all its coroutines */
	struct histogram runs;
	struct model_runtime *runtime; /* what its runtime does besides; NULL: not recorded */
};

/* model_process_is_reachable: can something that is no descriptor wake the process? */
static inline bool model_process_is_reachable(const struct model_process *process)
{
	return process->is_reachable || (process->has_handlers && !process->is_ended_by_signals);
}

struct model_crash {
	uint32_t process;
	uint32_t thread;
	uint32_t coro; /* the coroutine that ran there; 0: none */
	uint32_t site; /* the instruction */
	/* of a jump to an address without code: where it returns to; 0: no such jump */
	uint32_t caller;
	uint32_t signal_number;
	bool is_sent;   /* by another process */
	bool is_raised; /* by the program itself: abort, raise, kill; `address` is meaningless */
	uint64_t address;
	ct_time time;
	uint64_t sequence;
};

/* Missing events. */
struct model_gap {
	uint32_t process;
	uint32_t thread; /* 0: not known */
	uint32_t reason; /* enum ctp_loss */
	bool is_told;    /* recorded by the thread itself, when it wrote again */
	uint64_t coro;   /* id; 0: not known, or several */
	uint64_t count;  /* limited, so that sums over all gaps do not overflow */
	uint64_t told;   /* the count as recorded: `count` or more */
	ct_time first;
	ct_time last;
};

/* One edge of a gap, with the number of missing events in all gaps up to it. */
struct model_edge {
	uint64_t owner; /* whose events are missing */
	ct_time time;
	uint64_t total;
};

/* Gaps, by their owners and by time. */
struct model_gap_index {
	size_t count;
	struct model_edge *firsts;
	struct model_edge *lasts;
};

#endif
