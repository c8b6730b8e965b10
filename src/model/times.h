/* SPDX-License-Identifier: MIT */
/*
 * Times: how long threads, runs and places took, as far as the model keeps it. A part of model.h.
 */
#ifndef MODEL_TIMES_H
#define MODEL_TIMES_H

#include <stdint.h>

#include "corotracer/ct.h"
#include "base/histogram.h"
#include "model/series.h"

/* What a thread does. */
enum model_activity {
	MODEL_ACTIVITY_RUNNING,    /* runs a coroutine */
	MODEL_ACTIVITY_SCHEDULING, /* runs outside of any coroutine */
	MODEL_ACTIVITY_BLOCKED,    /* in a call that may block, and does not wait for work */
	MODEL_ACTIVITY_IDLE,       /* parked, or polling */
	MODEL_NR_ACTIVITIES,
};

/* The kernel's accounts of a thread up to a time, in ns. */
struct model_account {
	ct_time time;
	uint64_t waited_ns; /* runnable, but without a processor */
	uint64_t ran_ns;
	/* in which its own events explain that it slept: it waited for work, or was in a call that may block */
	int64_t rested_ns;
};

/* One run of a coroutine, from a resume until it released its thread. */
struct model_run {
	uint32_t coro; /* 0: none */
	uint32_t thread;
	ct_time until;
	int64_t ns;
	uint64_t event;     /* the event that ended it */
	int64_t blocked_ns; /* part of it in system calls that do not wait for work */
	uint8_t call;       /* enum ctp_call: the last of these calls */
};

/* The last run that a thread has completed, and what it may have kept waiting. */
struct model_past_run {
	uint32_t coro; /* 0: none */
	uint32_t thread;
	uint32_t site; /* where it began */
	ct_time until;
	int64_t ns;
};

#define MODEL_RUN_QUEUES 4096u /* queues that are followed, at 15 KiB each */

/* A queue of coroutines that are ready to run, which the program recorded. */
struct model_run_queue {
	uint64_t handle; /* 0: it has no name */
	uint32_t process;
	uint32_t thread; /* the only thread that takes coroutines out of it; 0: others may, too */
	uint64_t length; /* at present */
	ct_time counted; /* `lengths` is right up to here; CT_NO_TIME: nothing was in it yet */
	uint64_t nr_entered;
	struct histogram *lengths; /* for how many ns how many coroutines were in it */
};

/*
 * The times at one place, in ns; a distribution is NULL as long as it is empty. The place is where coroutines wait
 * or, for coroutines that have not waited yet, where they were started.
 */
struct model_place_times {
	struct histogram *waits; /* of waits that have ended, up to the wake */
	/* from ready to running, of coroutines that waited here */
	struct histogram *delays;
	/* from running to the next wait, of coroutines that waited here */
	struct histogram *runs;
	/* from ready to running, of coroutines that a wake from here made ready */
	struct histogram *delays_caused;
	struct histogram *lives; /* of coroutines that were started here and have ended */
	uint64_t nr_unwoken;     /* waits here that a resume ended without a wake before it */
	uint64_t nr_in_turn; /* of nr_unwoken: a coroutine that had come later still waited here */
	uint32_t newest;     /* the coroutine that began the last wait here; 0: none */
	uint64_t nr_cut;     /* coroutines that were destroyed while they waited here */
	uint64_t nr_cut_ready; /* coroutines destroyed after their wake, before they ran */
	uint32_t cut;          /* the last coroutine of nr_cut_ready; 0: none */
	/* The next four are open at the end, and not counted above: */
	struct ct_going_on waiting; /* waiting here */
	struct ct_going_on ready;   /* ready after a wait here */
	struct ct_going_on running; /* running on from here */
	struct ct_going_on living;  /* alive, started here */
	uint64_t nr_started;
	ct_time last_started;
	uint64_t nr_ended; /* of those started here: records given back */
	uint64_t nr_free;  /* of these: model_was_free */
	/* Living coroutines started here: [0] up to the last start, [1] after it. NULL: out of memory. */
	struct model_series *alive;
	uint64_t nr_started_before; /* of those started here: before the observation */
	uint64_t nr_events;         /* of those started here */
	struct model_run longest;
	uint32_t most_delayed; /* the coroutine of the longest of `delays` */
	ct_time most_delayed_until;
	/* of the last runs of all threads, the one that took most of that delay; no coroutine: none is known */
	struct model_past_run delayed_by;
};

/* Quantities by which coroutines are ranked. */
enum model_measure {
	MODEL_MEASURE_RUNNING, /* ns in this state, as in the next two */
	MODEL_MEASURE_READY,
	MODEL_MEASURE_WAITING,
	MODEL_MEASURE_MIGRATIONS,
	MODEL_NR_MEASURES,
};

/* The coroutines with the most of a measure, in order. */
struct model_most {
	uint32_t coros[CT_BUSIEST];
	uint32_t count;
};

/* model_histogram: returns the distribution, or an empty one for NULL. */
static inline const struct histogram *model_histogram(const struct histogram *histogram)
{
	static const struct histogram empty;

	return histogram ? histogram : &empty;
}

/* model_usual_time: returns the time that 99 in 100 do not exceed; 0: there are fewer than `least`. */
static inline int64_t model_usual_time(const struct histogram *histogram, int64_t least)
{
	histogram = model_histogram(histogram);
	return histogram->count < (uint64_t)least ? 0 : (int64_t)histogram_at(histogram, 0.99);
}

#endif
