/* SPDX-License-Identifier: MIT */
/*
 * Coroutines, and steps that cannot follow from a coroutine's state. A part of model.h.
 */
#ifndef MODEL_CORO_H
#define MODEL_CORO_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/waking.h"

/* Facts about a coroutine besides its state. */
enum model_coro_flag {
	MODEL_CORO_WAS_CREATED = 1 << 0, /* its creation is in the trace */
	MODEL_CORO_ON_STACK = 1 << 1,    /* it is on its thread's stack of running coroutines */
	/* Resumed while another thread still ran it. Perhaps the clocks are the reason: the next suspend decides. */
	MODEL_CORO_EARLY_RESUME = 1 << 2,
	MODEL_CORO_HAS_DOUBTFUL_WAKE = 1 << 3, /* a wake may have been meant for it or not */
	/* its frame has an address that an earlier frame had */
	MODEL_CORO_IS_FRAME_REUSED = 1 << 4,
	MODEL_CORO_WAS_DESTROYED_WAITING = 1 << 5,
	/* by a look at memory, nothing that can run leads to what could end its present wait */
	MODEL_CORO_IS_UNREACHED = 1 << 6,
	MODEL_CORO_IS_INITIAL = 1 << 7,     /* it suspended at its very beginning */
	MODEL_CORO_IS_HIDDEN = 1 << 10,     /* created, but where it is now is not known */
	MODEL_CORO_WAITS_FOR_MORE = 1 << 9, /* its last wait is for more than one object */
	/* its end was not seen, but its memory has another coroutine now */
	MODEL_CORO_WAS_REPLACED = 1 << 8,
	/* woken, and destroyed before it ran. */
	MODEL_CORO_WAS_DESTROYED_READY = 1 << 12,
	MODEL_CORO_LEFT_BY_SWITCH = 1 << 11, /* the object that it waits for comes as a detail */
	/* a second wake came since the wait began, before a run */
	MODEL_CORO_WAS_WOKEN_AGAIN = 1 << 14,
	/* another coroutine waited for its end at some time */
	MODEL_CORO_WAS_AWAITED = 1 << 15,
	/* With coarse clocks: some of its steps on several threads may have come in another order. */
	MODEL_CORO_HAS_DOUBTFUL_ORDER = 1 << 13,
};

/*
 * How a coroutine came to run again, and how it spent its time. Only coroutines that left their first wait, or were
 * put into a queue, have this part.
 */
struct model_turns {
	struct model_waking wake; /* the last wake for it */
	/* the wake that made it ready before the last one that did */
	struct model_waking wake_before;
	int64_t spent
		/* ns in each state except the last, during the observation: model_spent */
		[CT_STATE_DESTROYED];
	ct_time queued;
	uint64_t queue_event;
	/* the thread that put it into the queue in which it is; 0: in no queue */
	uint32_t queue_thread;
	uint32_t queue; /* index of that queue; 0: not looked up */
	uint32_t nr_wakes;
	uint32_t nr_migrations; /* resumes on another thread than the resume before */
};

/* What only few living coroutines have. */
struct model_rare {
	/* events that it wrote, beyond the count in struct model_coro: model_nr_events */
	uint64_t nr_events;
	uint32_t resumer; /* the coroutine that resumed it last; 0: none ran there */
	uint32_t above;   /* neighbours on its thread's stack of running coroutines */
	uint32_t below;
	uint32_t descriptor; /* the generation that it waited for last; 0: no descriptor */
	/* the descriptor at which it found nothing just before a wait that names none; 0: none */
	uint32_t tried;
	bool has_armed_tried; /* it has put `tried` into an interest list since */

	/* the site of its wait for an unnamed lock, if other calls lead there than to wait_site; 0: the same */
	uint32_t wait_call;
	uint32_t nr_awaits; /* children that it awaits now */
	uint64_t awaited;   /* the ids of these children, combined by exclusive or */
	ct_time deadline;   /* when its last wait ends by itself; CT_NO_TIME: never */
	/* the lower half of its thread's nr_turns when that was recorded */
	uint32_t turns_before;
	ct_time held; /* when it was last recorded who can find what it waits for; CT_NO_TIME: never */
	uint32_t permit; /* index of a semaphore of which it has permits; 0: none */
	uint32_t nr_permits;
	uint32_t permit_site; /* where it took the last one */
	uint64_t held_by;     /* that one's id; 0: nobody but itself can */
	uint32_t nr_let_go;   /* locks that it had, and that were let go again */
	int64_t longest_held; /* for how long at most */
	uint32_t
		site_before; /* where it had waited before it took one, but for a lock; 0: not known */
	/* index of the holding, if another coroutine took its lock meanwhile; 0: none */
	uint32_t holding;
	/* index of a conflict about its resume that the clocks may explain; 0: none */
	uint32_t conflict;

	uint64_t frame;       /* address; 0: not known */
	uint64_t frame_bytes; /* 0: not known */
	uint64_t address;     /* address of its tracing state; 0: not known */
	uint32_t function_site;
	uint32_t name_site; /* the name that the program gave it; 0: none */

	ct_time destroyed;
	uint64_t destroy_event; /* UINT64_MAX: the destruction was not seen */
	uint32_t destroy_thread;
	uint32_t destroy_site; /* 0: not known */
	uint32_t destroy_coro; /* the coroutine that ran on that thread; 0: none */
	/* where an error arose that ended it, or else where it was started; 0: none did */
	uint32_t failed_site;
	uint32_t cancelled_site; /* where it was cancelled, or else was started; 0: it was not */
	uint32_t epoch;          /* epoch of its destruction */
	uint32_t ghost_wake;     /* index of the ghost of its last late wake, plus 1; 0: none */
};

/* The parts of a coroutine that has none of its own: read like any other part, and never written. */
extern const struct model_turns model_no_turns;
extern const struct model_rare model_nothing_rare;

#define MODEL_SEQUENCES ((UINT64_C(1) << 40) - 1) /* the highest sequence number of an event */

/*
 * So many coroutines can live at the same time that every byte counts. Fields that not all of them need are in
 * separate parts, and short fields share a word with sequence numbers, for which 40 bits suffice. Both pointers to
 * parts are always valid.
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
	/* what its thread had spent in system calls before its last resume, in ns */
	int64_t blocked_before;

	uint64_t last_event : 40;   /* a sequence number, like resume_event and wait_event */
	uint64_t flags : 16;        /* enum model_coro_flag */
	uint64_t state : 8;         /* enum ct_state */
	uint64_t resume_event : 40; /* of its last resume */
	uint64_t point : 8;         /* enum ctp_point of the last suspend */
	uint64_t mark : 8;
	/* its last steps and wakes, the latest in bit 0: set if the order was chosen */
	uint64_t order_doubts : 8;
	uint64_t wait_event : 40;  /* of its last suspend */
	bool is_queue_private : 1; /* no other thread can take it from the queue in which it is */
	bool has_spare_wake : 1;   /* two wakes had put it into a queue before its last run */
	bool had_vain_wake : 1;    /* a wake was not to bring a resume of its own */
	bool has_outlived : 1;     /* its parent had ended when it ended */
	bool is_remains : 1;       /* its record was given back, and it was named again */
	/* records of coroutines that its own record named were given back */
	bool is_cut : 1;
	/* neither its beginning nor its end is recorded: it uses only the base class */
	bool is_half_told : 1;
	/* Its end was not recorded, and its thread has gone on: it counts as done until an event shows otherwise. */
	bool is_presumed_done : 1;
	bool is_assisting : 1;   /* it helps the runtime's garbage collector */
	bool is_collector : 1;   /* it is one of the garbage collector's own coroutines */
	bool is_told_around : 1; /* a hook around its last run recorded the beginning (P-36) */
	/*
	 * As long as it has no turns: its time before the first run (unseen) and in the run follows from its other
	 * times.
	 */
	bool counts_unseen : 1;
	bool counts_run : 1;

	uint32_t nr_events; /* events that it wrote: model_nr_events */
	uint32_t nr_resumes;
	uint32_t process;
	/* the thread that it runs on, or ran on last; before its first run, its creator's */
	uint32_t thread;
	uint32_t wait_site;
	uint32_t spawn_site;
	uint32_t creator; /* the thread that created it; 0: not seen */
	uint32_t parent;  /* index; 0: a thread created it, or not known */
};

static_assert(sizeof(struct model_coro) <= 128, "two lines of the cache");

/* What a coroutine works for. Most coroutines work for nothing that is recorded. */
struct model_work {
	uint64_t task;   /* id of the task, valid as long as that is open; 0: none */
	ct_time counted; /* its time up to here has been added to its task and regions */
	uint32_t region; /* its innermost open region; 0: none */
	/* index of the task; 0: none, or the beginning of the task was not seen */
	uint32_t index;
	uint32_t next; /* neighbours among the coroutines that work for the task */
	uint32_t before;
};

#define MODEL_PAGE_IDS 64u
struct model_page {
	uint32_t coro[MODEL_PAGE_IDS]; /* 0: none; MODEL_GONE: given back */
};

/* A step that cannot follow from the state of the coroutine. */
struct model_conflict {
	uint32_t coro;
	uint32_t thread;
	uint32_t site;
	uint32_t thread_before; /* thread on which the state was entered */
	uint32_t by;            /* the coroutine that made the step; 0: none ran there */
	uint32_t by_before;     /* the coroutine that made the resume before */
	uint8_t kind;           /* enum ctp_kind of the event */
	uint8_t state;          /* enum ct_state before the event */
	bool is_explained;      /* the clocks explain it after all */
	/* in another order, within the reach of the time-stamps, there may be no conflict */
	bool is_order_unknown;
	bool was_idle;       /* its thread had gone idle since: a suspend is missing */
	bool had_spare_wake; /* two wakes had put it into a queue before it ran */
	ct_time time;
	ct_time before; /* when the state was entered */
	uint64_t sequence;
	uint64_t sequence_before;
	/* sequence number of the resume that began the coroutine's last run before the conflict */
	uint64_t run_event;
	/* the last two wakes before the conflict, the older first */
	struct model_waking wakes[2];
};

/* A ghost: something done to a coroutine after its end. */
struct model_ghost {
	uint32_t coro;
	uint32_t thread;
	uint32_t site;
	uint8_t kind;     /* enum ctp_kind of what was done */
	uint8_t argument; /* argument of the event: of a wake, its outcome */
	uint32_t by;      /* the coroutine that did it; 0: none */
	uint32_t wake;    /* index of the coroutine's last late wake before this ghost */
	bool has_wake;
	bool is_by_frame;      /* the event names the address of the frame, not the id */
	bool is_order_unknown; /* the event may have come before the end */
	ct_time time;
	uint64_t sequence;
};

#define MODEL_GHOSTS 65536u

/*
 * model_is_of_runtime: does the coroutine belong to the runtime, not to the program? If so, no statistic counts it,
 * and no finding names it.
 */
static inline bool model_is_of_runtime(const struct model_coro *coro)
{
	return coro->mark == CTP_MARK_RUNTIME;
}

/*
 * model_waited_descriptor: returns the descriptor that the coroutine waits for, or, if the wait names none, the
 * descriptor at which it had just found nothing.
 */
static inline uint32_t model_waited_descriptor(const struct model_coro *coro)
{
	return coro->rare->descriptor ? coro->rare->descriptor : coro->rare->tried;
}

/* model_is_yielding: has the coroutine given up its thread without waiting for anything? */
static inline bool model_is_yielding(const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING && coro->point == CTP_POINT_YIELD;
}

/* model_is_awaiting: does the coroutine wait, with its thread given up until something happens? */
static inline bool model_is_awaiting(const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING && coro->point == CTP_POINT_AWAIT;
}

/* model_is_order_doubtful: was the order of its last steps or wakes chosen, not recorded? */
#define MODEL_ORDER_DOUBTS 7u
static inline bool model_is_order_doubtful(const struct model_coro *coro)
{
	return coro->order_doubts & MODEL_ORDER_DOUBTS;
}

/* model_wake_last: returns the last wake of the coroutine. */
static inline struct model_waking model_wake_last(const struct model_coro *coro)
{
	return coro->turns->wake;
}

/* model_nr_events: returns how many events the coroutine wrote. */
static inline uint64_t model_nr_events(const struct model_coro *coro)
{
	return coro->nr_events + coro->rare->nr_events;
}

/*
 * model_wake_ready: returns the last wake that made the coroutine ready, which a wake that was given up does not; if
 * there is none, the last wake.
 */
static inline struct model_waking model_wake_ready(const struct model_coro *coro)
{
	return event_makes_ready(coro->turns->wake.outcome) ||
			       coro->turns->wake_before.time == CT_NO_TIME
		       ? model_wake_last(coro)
		       : coro->turns->wake_before;
}

/*
 * model_was_woken: has a wake come since the last resume? Compares by the order of events, because both may have the
 * same time.
 */
static inline bool model_was_woken(const struct model_coro *coro)
{
	return coro->turns->wake.time != CT_NO_TIME &&
	       coro->turns->wake.outcome != CTP_OUTCOME_NO_WAKER &&
	       (coro->resumed == CT_NO_TIME || coro->turns->wake.sequence > coro->resume_event);
}

/* model_is_unwoken: does the coroutine wait, with no wake for it so far? */
static inline bool model_is_unwoken(const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING &&
	       (coro->turns->wake.time < coro->suspended ||
		       coro->turns->wake.outcome == CTP_OUTCOME_NO_WAKER);
}

/* model_is_woken_again: had a wake, and not only a queue, already made the coroutine ready before this wake? */
static inline bool model_is_woken_again(const struct model_coro *coro, const struct ct_event *wake)
{
	return coro->state == CT_STATE_READY && !model_is_order_doubtful(coro) &&
	       coro->turns->wake.time != CT_NO_TIME && coro->turns->wake.time >= coro->suspended &&
	       coro->turns->wake.outcome == CTP_OUTCOME_QUEUED &&
	       wake->argument == CTP_OUTCOME_QUEUED;
}

#endif
