/* SPDX-License-Identifier: MIT */
/*
 * How long: what the model keeps of the time that threads, runs and places took. A part of model.h.
 */
#ifndef MODEL_TIMES_H
#define MODEL_TIMES_H

#include <stdint.h>

#include "corotracer/ct.h"
#include "base/histogram.h"
#include "model/series.h"

/* The states of a thread. */
enum model_activity {
	MODEL_ACTIVITY_RUNNING,    /* coroutines */
	MODEL_ACTIVITY_SCHEDULING, /* outside of any */
	MODEL_ACTIVITY_BLOCKED,    /* in a call that may block, and is no waiting for work */
	MODEL_ACTIVITY_IDLE,       /* parked, or polling */
	MODEL_NR_ACTIVITIES,
};

/* The kernel's account of a thread by then, in ns. */
struct model_account {
	ct_time time;
	uint64_t waited_ns; /* it could have run, and got no processor */
	uint64_t ran_ns;
};

/* One run of a coroutine, from a resume to where it let the thread go. */
struct model_run {
	uint32_t coro; /* 0: none */
	uint32_t thread;
	ct_time until;
	int64_t ns;
	uint64_t event;     /* with which it ended */
	int64_t blocked_ns; /* of it, in system calls that are no waiting for work */
	uint8_t call;       /* enum ctp_call: the last one of those */
};

#define MODEL_RUN_QUEUES 4096u /* that are looked at, at 15 KiB each */

/* A queue of coroutines that are ready to run, which the program told of. */
struct model_run_queue {
	uint64_t handle; /* 0: it was not named */
	uint32_t process;
	uint32_t thread; /* that alone takes coroutines out of it; 0: others may, too */
	uint64_t length; /* now */
	ct_time counted; /* up to then `lengths` is right; CT_NO_TIME: nobody was in it yet */
	uint64_t nr_entered;
	struct histogram *lengths; /* for how many ns how many lay in it */
};

/*
 * The times at one place, in ns; distributions are NULL as long as they are empty. The place where coroutines wait, or,
 * for those that have not waited yet, at which they were started.
 */
struct model_place_times {
	struct histogram *waits;         /* of waits that have ended: until they were woken */
	struct histogram *delays;        /* from ready to running, of those that waited here */
	struct histogram *runs;          /* from there to the next wait */
	struct histogram *delays_caused; /* from ready to running, of those that were woken here */
	struct histogram *lives;         /* of those that were started here and have ended */
	uint64_t nr_unwoken;   /* waits here that ended by a resume, with no wake before it */
	uint64_t nr_cut;       /* that were destroyed as they waited here */
	uint64_t nr_cut_ready; /* besides: that had been woken, and had not run since */
	uint32_t cut;          /* the last of these; 0: none */
	/* At the end, and in none of the above: */
	struct ct_going_on waiting; /* here */
	struct ct_going_on ready;   /* having waited here */
	struct ct_going_on running; /* from here on */
	struct ct_going_on living;  /* started here */
	uint64_t nr_started;
	ct_time last_started;
	uint64_t nr_ended; /* of those started here: given back */
	uint64_t nr_free;  /* of these: model_was_free */
	/* Times of those started here: [0] up to the last start, [1] after it. NULL: there is no memory for it. */
	struct model_series *alive;
	uint64_t nr_started_before; /* of those started here: before the observation */
	uint64_t nr_events;         /* of those started here */
	struct model_run longest;
	uint32_t most_delayed; /* coroutine of the longest of `delays` */
	ct_time most_delayed_until;
};

/* Quantities that coroutines have more or less of. */
enum model_measure {
	MODEL_MEASURE_RUNNING, /* ns in this state, as the next two */
	MODEL_MEASURE_READY,
	MODEL_MEASURE_WAITING,
	MODEL_MEASURE_MIGRATIONS,
	MODEL_NR_MEASURES,
};

/* The coroutines that have most of it, the most first. */
struct model_most {
	uint32_t coros[CT_BUSIEST];
	uint32_t count;
};

/* model_histogram: a distribution, also where it is empty. */
static inline const struct histogram *model_histogram(const struct histogram *histogram)
{
	static const struct histogram empty;

	return histogram ? histogram : &empty;
}

/* model_usual_time: what 99 of 100 take at most; 0: there are fewer than `least`. */
static inline int64_t model_usual_time(const struct histogram *histogram, int64_t least)
{
	histogram = model_histogram(histogram);
	return histogram->count < (uint64_t)least ? 0 : (int64_t)histogram_at(histogram, 0.99);
}

#endif
