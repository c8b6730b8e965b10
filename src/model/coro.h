/* SPDX-License-Identifier: MIT */
/*
 * Coroutines, and steps that do not lead on from the state that one was in. A part of model.h.
 */
#ifndef MODEL_CORO_H
#define MODEL_CORO_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/waking.h"

/* Further facts about a coroutine, besides its state. */
enum model_coro_flag {
	MODEL_CORO_WAS_CREATED = 1 << 0, /* its creation is in the trace */
	MODEL_CORO_ON_STACK = 1 << 1,    /* it is on its thread's stack of running coroutines */
	/* Resumed while another thread still ran it: it may be the clocks, the suspend decides. */
	MODEL_CORO_EARLY_RESUME = 1 << 2,
	MODEL_CORO_HAS_DOUBTFUL_WAKE = 1 << 3, /* a wake may have been for it, or not */
	MODEL_CORO_IS_FRAME_REUSED = 1 << 4,   /* its frame lies where another one's lay */
	MODEL_CORO_WAS_DESTROYED_WAITING = 1 << 5,
	MODEL_CORO_IS_INITIAL = 1 << 7,     /* it was seen to be suspended at its beginning */
	MODEL_CORO_IS_HIDDEN = 1 << 10,     /* created, and where it is now is not known */
	MODEL_CORO_WAITS_FOR_MORE = 1 << 9, /* its last wait is for further objects, too */
	MODEL_CORO_WAS_REPLACED = 1 << 8,   /* no end was seen, but its memory serves another one */
	/* Woken, and destroyed before it ran. */
	MODEL_CORO_WAS_DESTROYED_READY = 1 << 12,
	MODEL_CORO_LEFT_BY_SWITCH = 1 << 11,  /* what it waits for comes as a detail */
	MODEL_CORO_WAS_WOKEN_AGAIN = 1 << 14, /* since it waits, and not run since */
	MODEL_CORO_WAS_AWAITED = 1 << 15,     /* somebody waited for its end at some time */
	/* By coarse clocks, steps of it on several threads may have come in another order. */
	MODEL_CORO_HAS_DOUBTFUL_ORDER = 1 << 13,
};

/*
 * How it came to run again, and what became of its time: of those that left their first wait, or were put into a queue.
 */
struct model_turns {
	struct model_waking wake;        /* the last one for it */
	struct model_waking wake_before; /* the one before the last that made it ready */
	int64_t spent
		[CT_STATE_DESTROYED]; /* ns in each state but the last, while observed: model_spent */
	ct_time queued;
	uint64_t queue_event;
	uint32_t queue_thread; /* that put it into the queue in which it lies; 0: in none */
	uint32_t queue;        /* that queue: an index; 0: not looked at */
	uint32_t nr_wakes;
	uint32_t nr_migrations; /* resumes on another thread than the one before */
};

/* What few of those have that are alive. */
struct model_rare {
	uint64_t
		nr_events; /* that it wrote, beyond those that its own field counts: model_nr_events */
	uint32_t resumer; /* the coroutine that resumed it last; 0: none ran there */
	uint32_t above;   /* neighbours on its thread's stack of running coroutines */
	uint32_t below;
	uint32_t descriptor; /* the generation that it waited for last; 0: no descriptor */
	/* the descriptor at which nothing was found just before it came to wait, for what is not told; 0: none */
	uint32_t tried;
	bool has_armed_tried; /* and put into an interest list since */

	uint32_t nr_awaits; /* children that it awaits now */
	uint64_t awaited;   /* exclusive or of their ids */
	ct_time deadline;   /* when its last wait ends by itself; CT_NO_TIME: it does not */
	uint32_t holding;   /* of a lock that another one took meanwhile: an index; 0: none */
	uint32_t conflict;  /* its resume that the clocks may explain: an index; 0: none */

	uint64_t frame;   /* address; 0: not known */
	uint64_t address; /* of its tracing state; 0: not known */
	uint32_t function_site;
	uint32_t name_site; /* that the program gave it; 0: none */

	ct_time destroyed;
	uint64_t destroy_event; /* UINT64_MAX: it was not seen */
	uint32_t destroy_thread;
	uint32_t destroy_site; /* 0: not told */
	uint32_t destroy_coro; /* that ran there; 0: none */
	uint32_t epoch;        /* in which it was destroyed */
	uint32_t ghost_wake;   /* its last late wake: index of the ghost, plus 1; 0: none */
};

/* The parts of a coroutine that has none of its own: read as any other, and never written. */
extern const struct model_turns model_no_turns;
extern const struct model_rare model_nothing_rare;

#define MODEL_SEQUENCES ((UINT64_C(1) << 40) - 1) /* the highest number of an event */

/*
 * So many can be alive that each byte counts: what not all of them have stands apart, and what is short lies beside
 * sequence numbers, which no file has enough events to fill. Both parts are always there.
 */
struct model_coro {
	uint64_t id;
	uint64_t wait_object; /* what it waited for last: a resource handle */
	ct_time changed;      /* when it entered its present state */
	ct_time suspended;    /* its last suspend; CT_NO_TIME: none was seen */
	ct_time resumed;      /* its last resume; CT_NO_TIME: none was seen */
	ct_time created;
	const struct model_turns *turns;
	const struct model_rare *rare;
	int64_t blocked_before; /* what its thread had spent in system calls until its last resume, in ns */

	uint64_t last_event : 40;   /* sequence number, as the next two */
	uint64_t flags : 16;        /* enum model_coro_flag */
	uint64_t state : 8;         /* enum ct_state */
	uint64_t resume_event : 40; /* of its last resume */
	uint64_t point : 8;         /* enum ctp_point of the last suspend */
	uint64_t mark : 8;
	uint64_t
		order_doubts : 8; /* of its last steps and wakes, the latest in bit 0: was its place chosen? */
	uint64_t wait_event : 40; /* of its last suspend */
	bool is_queue_private : 1; /* of the queue in which it lies: no other thread can take it from there */
	bool has_spare_wake : 1; /* two wakes had put it into a queue before it ran last */
	bool has_outlived : 1;   /* its parent had come to its end when it came to its own */
	bool is_remains : 1;     /* its record was given back, and it was named again */
	bool is_cut : 1;         /* some whom its record named were given back */
	bool is_half_told : 1;   /* neither its beginning nor its end is told: the base class */
	/* Its end was not told, and its thread has gone on: done, until it shows that it was not. */
	bool is_presumed_done : 1;
	bool is_assisting : 1;   /* the runtime in looking for garbage */
	bool is_collector : 1;   /* it looks for garbage in the place of others */
	bool is_told_around : 1; /* a hook around its last run told the beginning (P-36) */
	/* While it has no turns: its time before its first run, and of it, show in its times (model_spent). */
	bool counts_unseen : 1;
	bool counts_run : 1;

	uint32_t nr_events; /* that it wrote: model_nr_events */
	uint32_t nr_resumes;
	uint32_t process;
	uint32_t thread; /* the one it runs on, or ran on last; before that, its creator's */
	uint32_t wait_site;
	uint32_t spawn_site;
	uint32_t creator; /* the thread that created it; 0: not seen */
	uint32_t parent;  /* index; 0: a thread created it, or not known */
};

static_assert(sizeof(struct model_coro) <= 128, "two lines of the cache");

/* For what a coroutine works: most do for nothing that is told. */
struct model_work {
	uint64_t task;   /* it counts while that is open; 0: none */
	ct_time counted; /* up to then its time was given to task and regions */
	uint32_t region; /* the innermost one that it has open; 0: none */
	uint32_t index;  /* of the task; 0: its beginning was not seen, or none */
	uint32_t next;   /* neighbours among those that work for it */
	uint32_t before;
};

#define MODEL_PAGE_IDS 64u
struct model_page {
	uint32_t coro[MODEL_PAGE_IDS]; /* 0: none; MODEL_GONE */
};

/* A step that does not lead on from the state that a coroutine was in. */
struct model_conflict {
	uint32_t coro;
	uint32_t thread;
	uint32_t site;
	uint32_t thread_before; /* on which the state was entered */
	uint32_t by;            /* the coroutine that did it; 0: none ran there */
	uint32_t by_before;     /* of the resume before */
	uint8_t kind;           /* enum ctp_kind of the event */
	uint8_t state;          /* enum ct_state before it */
	bool is_explained;      /* the clocks explain it after all */
	bool is_order_unknown; /* perhaps some order within the reach of time-stamps is free of it */
	bool was_idle;         /* its thread had gone idle since: a suspend was not told */
	bool had_spare_wake;   /* two wakes had put it into a queue before it ran */
	ct_time time;
	ct_time before; /* when the state was entered */
	uint64_t sequence;
	uint64_t sequence_before;
	uint64_t run_event;           /* the resume of the coroutine's last run before it */
	struct model_waking wakes[2]; /* the last ones until then, the older first */
};

/* Something done to a coroutine that was gone. */
struct model_ghost {
	uint32_t coro;
	uint32_t thread;
	uint32_t site;
	uint8_t kind;     /* enum ctp_kind of what was done */
	uint8_t argument; /* of the event: of a wake, its outcome */
	uint32_t by;      /* coroutine that did it; 0: none */
	uint32_t wake;    /* the last late wake of the same coroutine before it: an index */
	bool has_wake;
	bool is_by_frame;      /* what was done names the address of its frame, not its id */
	bool is_order_unknown; /* perhaps it came before the end */
	ct_time time;
	uint64_t sequence;
};

#define MODEL_GHOSTS 65536u

/* model_is_of_runtime: it is no coroutine of the program: it counts in no statistic, and nothing is said of it. */
static inline bool model_is_of_runtime(const struct model_coro *coro)
{
	return coro->mark == CTP_MARK_RUNTIME;
}

/* model_waited_descriptor: the one that it waits for; where that is not told, at which it had just found nothing. */
static inline uint32_t model_waited_descriptor(const struct model_coro *coro)
{
	return coro->rare->descriptor ? coro->rare->descriptor : coro->rare->tried;
}

/* model_is_yielding: it gave up its thread, and waits for nothing. */
static inline bool model_is_yielding(const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING && coro->point == CTP_POINT_YIELD;
}

/* model_is_order_doubtful: did its last steps, or wakes, come in an order that was chosen, and not told? */
#define MODEL_ORDER_DOUBTS 7u
static inline bool model_is_order_doubtful(const struct model_coro *coro)
{
	return coro->order_doubts & MODEL_ORDER_DOUBTS;
}

/* model_wake_last: its last wake. */
static inline struct model_waking model_wake_last(const struct model_coro *coro)
{
	return coro->turns->wake;
}

/* model_nr_events: how many it wrote. */
static inline uint64_t model_nr_events(const struct model_coro *coro)
{
	return coro->nr_events + coro->rare->nr_events;
}

/* model_wake_ready: the last wake that made it ready, which one that was given up does not; none known: the last. */
static inline struct model_waking model_wake_ready(const struct model_coro *coro)
{
	return event_makes_ready(coro->turns->wake.outcome) ||
			       coro->turns->wake_before.time == CT_NO_TIME
		       ? model_wake_last(coro)
		       : coro->turns->wake_before;
}

/* model_was_woken: has a wake come since its last resume? By the order of events, since both may have the same time. */
static inline bool model_was_woken(const struct model_coro *coro)
{
	return coro->turns->wake.time != CT_NO_TIME &&
	       coro->turns->wake.outcome != CTP_OUTCOME_NO_WAKER &&
	       (coro->resumed == CT_NO_TIME || coro->turns->wake.sequence > coro->resume_event);
}

/* model_is_unwoken: does it wait, and no wake has come for it? */
static inline bool model_is_unwoken(const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING &&
	       (coro->turns->wake.time < coro->suspended ||
		       coro->turns->wake.outcome == CTP_OUTCOME_NO_WAKER);
}

/* model_is_woken_again: had a wake, and not a queue alone, made it ready before this one? */
static inline bool model_is_woken_again(const struct model_coro *coro, const struct ct_event *wake)
{
	return coro->state == CT_STATE_READY && !model_is_order_doubtful(coro) &&
	       coro->turns->wake.time != CT_NO_TIME && coro->turns->wake.time >= coro->suspended &&
	       coro->turns->wake.outcome == CTP_OUTCOME_QUEUED &&
	       wake->argument == CTP_OUTCOME_QUEUED;
}

#endif
