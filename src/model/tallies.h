/* SPDX-License-Identifier: MIT */
/*
 * What the model keeps of things that mean something only when they happen again and again. Each is bounded; what comes
 * beyond is counted in model->nr_tallies_refused. A part of model.h.
 */
#ifndef MODEL_MODEL_TALLIES_H
#define MODEL_MODEL_TALLIES_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"

/* One wake of a coroutine. */
struct model_waking {
	ct_time time; /* CT_NO_TIME: none */
	uint64_t sequence;
	uint32_t coro; /* the waker; 0: a thread */
	uint32_t thread;
	uint32_t site;
	bool is_leaving; /* it was on its way off the thread, as far as is known: it was not told who did it */
};

/*
 * At one place at which coroutines wait: wakes of such as had been woken from there already, and not run since. A waker
 * that says itself that it found its target in the queue does not count.
 */
#define MODEL_REPEATS 4096u
#define MODEL_REPEAT_WAKERS 8u

struct model_repeat {
	uint32_t site;
	uint32_t coro;     /* the last one */
	uint32_t thread;   /* on which it was woken again */
	uint64_t event;    /* of that wake */
	ct_time time;      /* of it */
	uint64_t nr_waits; /* that were ended by more than one wake */
	uint64_t nr_wakes; /* beyond the first of a wait */
	/* Who woke again most: the rarest one gives way to a new one, and its count with it. */
	struct model_repeat_waker {
		uint32_t site;
		uint64_t count;
	} wakers[MODEL_REPEAT_WAKERS];
};

/* One wait was ended by two wakes, and the next one, which nobody had ended, by the second of them. */
struct model_twice {
	uint32_t coro;
	uint32_t wait_thread; /* on which it ran in between */
	uint32_t wait_site;   /* of the wait that nobody had ended */
	uint64_t wait_object; /* likewise: a resource handle */
	ct_time suspended;
	uint64_t wait_event;
	ct_time resumed; /* the first time */
	uint64_t resume_event;
	uint32_t thread; /* of the second resume, as are the next two */
	ct_time time;
	uint64_t sequence;
	bool has_deadline; /* that wait */
	bool is_yield;
	bool is_explained; /* there was a wake after all */
	struct model_waking wakes[2];
};

/* A lock that a coroutine holds. */
struct model_held {
	uint32_t object; /* index; 0: the place is free, and `next` is the next free one */
	uint32_t coro;
	uint32_t site; /* where it was taken */
	uint32_t thread;
	uint32_t next; /* of the same coroutine, taken before */
	uint32_t before;
	ct_time time;
	uint64_t event;
};

/* Connections that are closed at one place, of those that a poll had reported. */
#define MODEL_UNREADS 4096u

struct model_unread {
	uint32_t process;
	uint32_t site;
	uint64_t nr_closed;
	uint64_t nr_unread; /* readable, and nobody had read since; the last of these: */
	uint64_t handle;
	ct_time opened;
	uint32_t open_site;
	uint32_t ready_thread; /* that found it readable */
	ct_time ready;
	uint64_t ready_event;
	ct_time closed;
	uint64_t close_event;
	uint32_t close_thread;
};

#define MODEL_HELD_DEPTH \
	16u /* of the locks that one coroutine holds, as many of the latest are looked at */
#define MODEL_GATES 4u
#define MODEL_NESTINGS 65536u
#define MODEL_NESTINGS_OF_PAIR 8u

/*
 * A coroutine took one lock while it held another. `gates` are the locks that it had taken before the outer one, and
 * held: two that share one exclude each other. Of one pair of locks the first ones are kept, and the last.
 */
struct model_nesting {
	uint32_t outer; /* objects */
	uint32_t inner;
	uint32_t coro;
	uint32_t nr_gates; /* more than MODEL_GATES: not all of them are here */
	uint32_t gates[MODEL_GATES];
	uint32_t next;       /* of the same two locks in the same order; 0: none */
	uint32_t nr_of_pair; /* in the first of them */
	struct model_taking {
		ct_time time;
		uint64_t event;
		uint32_t site;
		uint32_t thread;
	} outer_taken, inner_taken; /* the first time */
	ct_time last;               /* that the inner one was taken */
};

#define MODEL_HERDS 16384u

/* From when on it is one, and what is right away. They are set between model_new and the first event. */
struct model_herd_limits {
	uint32_t nr_woken;      /* by one burst, at least */
	uint32_t nr_progressed; /* of those, at most */
	int64_t back_ns; /* from its resume until it waits again, at most; likewise between two wakes of a burst */
};

/* Of a coroutine's burst: it is woken no more by it: it waits again, or has got something done. */
#define MODEL_BURST_OVER (1u << 31)

/* What is woken at one place. */
struct model_herd {
	uint32_t site;
	uint32_t burst; /* number of the present one; the rest up to `present` is of that */
	uint64_t object;
	uint32_t nr_woken;
	uint32_t nr_vain; /* that wait again, with nothing done */
	uint32_t nr_told; /* that got something done, and told of it */
	uint32_t last_vain;
	int64_t vain_ns; /* for which those ran */
	ct_time first;
	ct_time last;
	uint64_t waker_id;           /* who began it */
	struct model_waking present; /* its first wake, without who did it */
	uint64_t nr_bursts;          /* large ones */
	uint64_t nr_thundered;       /* of those: for nearly all in vain; the rest is of those */
	uint64_t nr_served;          /* somebody told of something done */
	uint64_t nr_vain_wakes;
	int64_t wasted_ns;
	ct_time since;
	ct_time until;
	uint32_t coro;             /* that was woken in vain by the last one */
	struct model_waking waker; /* the first wake of the last one */
};

#define MODEL_SERIES 4096u
#define MODEL_WINDOWS 64u

/* What is followed over time. */
enum model_series_kind {
	MODEL_SERIES_ALIVE, /* coroutines whose creation was seen */
	MODEL_SERIES_READY,
	MODEL_SERIES_LOCKS,       /* that are held */
	MODEL_SERIES_DESCRIPTORS, /* that are open, and whose opening was seen */
	MODEL_NR_SERIES_OF_PROCESS,
	MODEL_SERIES_COUNTER = MODEL_NR_SERIES_OF_PROCESS, /* of the program's own */
	MODEL_SERIES_CONTENT,                              /* of one channel */
};

/* A channel that never holds so much is not followed. */
#define MODEL_CONTENT 16u

struct model_series {
	uint32_t process;
	uint32_t span;   /* of a counter */
	uint32_t object; /* of a content */
	uint8_t kind;    /* enum model_series_kind */
	bool has_fallen; /* at some time */
	ct_time from;    /* the first window begins; CT_NO_TIME: there was no value yet */
	ct_time until;   /* the present one ends */
	int64_t width_ns;
	int64_t value;
	uint32_t present;
	uint32_t nr_rises[MODEL_WINDOWS];
	int64_t least[MODEL_WINDOWS]; /* up to the present one */
};

#endif
