/* SPDX-License-Identifier: MIT */
/*
 * A process as a whole: where to find what lies in it, its words on itself, its crash, and its missing events. A part
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
 * A wake of a frame that nothing was known to lie at; MODEL_UNMATCHED are kept, to be matched
 * later.
 */
struct model_unmatched {
	uint64_t frame;
	ct_time time;
	uint32_t site;
	bool is_stranger; /* nothing that is known ever lay there */
};

#define MODEL_UNMATCHED 4096u

/* A while in which no coroutine of a process took a step: stillness.c. */
struct model_stillness {
	ct_time from; /* the last step */
	ct_time until; /* before anybody did anything that led to the next one; CT_NO_TIME: there was no such while */
	uint64_t nr_alive; /* coroutines, meanwhile */
	uint32_t nr_runs;  /* of the process up to then */
	bool is_busy;      /* it was no rest: a signal came while others went on */
};

#define MODEL_INTERRUPTIONS 4u /* that are kept, the latest ones */

/* Those that a panic or an exception ended: how many, and the last. */
struct model_failed {
	uint32_t count;
	uint32_t site; /* where it was spawned */
	uint64_t id;
};

struct model_process {
	struct map pages; /* coroutine id / MODEL_PAGE_IDS -> index into model.pages */
	uint64_t cached_key;
	uint32_t cached_page; /* 0: none */
	uint32_t nr_ready;    /* coroutines in state READY */
	uint32_t nr_alive;    /* that were seen, and have not come to their end */
	uint32_t nr_alive_most;
	ct_time alive_most_time;
	uint32_t series[MODEL_NR_SERIES_OF_PROCESS];
	uint32_t nr_hidden;  /* coroutines that may be running without having been seen to */
	ct_time ready_since; /* when nr_ready last left zero */
	uint32_t bound_gap;  /* of what found no room: index of the gap, plus 1; 0: none did not */
	VEC(struct model_gone) gone;    /* by page: ids of those that were given back */
	struct map kept[MODEL_NR_KEPT]; /* names of what is not to be given back */
	struct map frames;     /* frame address -> coroutine; MODEL_GONE, MODEL_GONE_REUSED */
	struct map addresses;  /* address of the tracing state -> coroutine */
	VEC(uint64_t) offsets; /* seen between the two */
	VEC(struct model_unmatched) unmatched;
	struct map numbers;     /* descriptor number -> its newest generation */
	struct map user_data;   /* given to epoll -> descriptor; MODEL_GONE */
	struct map objects;     /* resource handle -> model.objects */
	struct map tasks;       /* id of an open task -> model.tasks */
	struct map names;       /* resource handle -> site */
	struct map run_queues;  /* resource handle, or else thread -> model.run_queues */
	VEC(uint32_t) workers;  /* threads that ran coroutines, or whose events are missing */
	uint32_t nr_bystanders; /* of these */
	struct map tids;        /* kernel thread id -> the last thread that had it */
	uint32_t last_cut; /* the last of its coroutines that was destroyed while suspended; 0: none
			    */
	uint64_t nr_cut;   /* of those */
	uint64_t nr_cut_ready; /* besides: that had been woken, and had not run since */
	ct_time last_event;    /* written by any of its threads; CT_NO_TIME: none */
	ct_time last_run;      /* the last resume of any of its own coroutines; CT_NO_TIME: none */
	ct_time last_destroyed; /* the last end of any record of them, given back or not; CT_NO_TIME: none */
	ct_time stepped;     /* the last step of any of them; CT_NO_TIME: none */
	ct_time stirred;     /* its first event behind the last pause in all that it writes */
	ct_time interrupted; /* a signal ended a call of one of its threads; CT_NO_TIME: none did */
	struct model_stillness stillness; /* the last long one that a step ended */
	struct model_stillness interruptions[MODEL_INTERRUPTIONS]; /* that a signal ended */
	uint32_t nr_interruptions; /* the next one goes to this one modulo their number */
	struct model_stillness
		interrupted_busy[MODEL_INTERRUPTIONS]; /* likewise, amid steps of others */
	uint32_t nr_interrupted_busy;
	uint64_t nr_opened;
	uint64_t nr_open;
	ct_time shutdown_from; /* the program said that it ends; CT_NO_TIME: it did not */
	ct_time warm_up_until; /* it said that it had begun to work; CT_NO_TIME: it did not */
	bool is_warming_up;
	bool has_unnamed_waits; /* for a lock, a channel or their like, of which is not told which (P-104) */
	bool has_half_told;   /* coroutines that begin, and so end, without telling of it */
	bool has_completions; /* signs of completion-based input and output */
	bool has_polls;       /* waits by poll or select, which name no descriptor beforehand */
	/* of its coroutines, and how many of those were created; both modulo 2^32 */
	uint32_t nr_runs;
	uint32_t nr_made;
	bool tells_ends;    /* of coroutines, or that they begin suspended: not all probes do */
	bool tells_takings; /* acquisitions of other things than locks are told */
	bool tells_queues; /* which wakes find their target queued already, or each entry of a queue */
	bool is_reachable; /* by a child, an io_uring: past its descriptors; model_process_is_reachable */
	bool has_handlers;        /* of signals */
	bool is_ended_by_signals; /* it said that its handlers end it, and wake nobody */
	bool has_reads;           /* a transfer that reads was told */
	bool has_unseen_threads;  /* the engine did not look at all of its threads */
	ct_time halted;         /* stopped by a signal or a debugger since; CT_NO_TIME: it is not */
	ct_time ready_counted;  /* up to then `ready` is right; CT_NO_TIME: nothing was ready yet */
	struct histogram ready; /* for how many ns how many coroutines were ready at once */
	struct model_failed failed;    /* coroutines that a panic or an exception ended */
	struct histogram delays;       /* ns from ready to running, of all its coroutines */
	struct histogram runs;         /* ns from there to the next wait, likewise */
	struct model_runtime *runtime; /* what it does besides; NULL: nothing is told of that */
};

/* model_process_is_reachable: can what no descriptor shows set it going? */
static inline bool model_process_is_reachable(const struct model_process *process)
{
	return process->is_reachable || (process->has_handlers && !process->is_ended_by_signals);
}

struct model_crash {
	uint32_t process;
	uint32_t thread;
	uint32_t coro; /* that ran there; 0: none */
	uint32_t site; /* the instruction */
	/* of a jump to where there is no code: where it returns to; 0: no such jump */
	uint32_t caller;
	uint32_t signal_number;
	bool is_sent;   /* by another process */
	bool is_raised; /* by the program itself: abort, raise, kill; no address applies */
	uint64_t address;
	ct_time time;
	uint64_t sequence;
};

/* Events that are missing. */
struct model_gap {
	uint32_t process;
	uint32_t thread; /* 0: not known */
	uint32_t reason; /* enum ctp_loss */
	bool is_told;    /* by the thread itself, when it wrote again */
	uint64_t coro;   /* id; 0: not known, or of several */
	uint64_t count;  /* that sums of all gaps can hold */
	uint64_t told;   /* what is said of it: count, or more */
	ct_time first;
	ct_time last;
};

/* One edge of a gap, with the number of events that are missing in all gaps up to it. */
struct model_edge {
	uint64_t owner; /* whose events they are */
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
