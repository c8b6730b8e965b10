/* SPDX-License-Identifier: MIT */
/*
 * Threads: the stacks on which coroutines run, whether threads are idle, and how they spend their time. A part of
 * model.h.
 */
#ifndef MODEL_THREAD_H
#define MODEL_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/times.h"
#include "base/vec.h"

#define MODEL_NO_CALL UINT32_MAX
#define MODEL_VAIN 16u
#define MODEL_MADE 32u
#define MODEL_SEVERAL UINT32_MAX /* used instead of one thread */

/*
 * A coroutine on a thread's stack whose end would not be recorded, and the coroutine that the thread has run above
 * it.
 */
#define MODEL_OVER_MOST 16u
struct model_over {
	uint32_t below; /* the lower one; 0: none */
	uint32_t coro;
	uint32_t count; /* further runs of the same `coro` */
	ct_time time;   /* the thread's last event before the first run of `coro` */
};

struct model_thread {
	uint32_t process;
	uint32_t same_tid; /* the thread that had this kernel id before; 0: none */
	uint32_t top;      /* the coroutine that runs on it; 0: none */
	uint32_t nr_going; /* coroutines on its stack that have not returned */
	struct model_over over;
	/* the coroutine that suspended last on it, with no event of the thread since; 0: none */
	uint32_t leaving;
	/*
	 * The thread whose write to a pair of the process this thread's last poll has reported, until it polls again:
	 * another thread (which takes precedence), this thread itself, or MODEL_SEVERAL; 0: no write.
	 */
	uint32_t prodder;
	ct_time prodded;      /* time of that write */
	uint8_t last_kind;    /* kind of its last event */
	ct_time last_event;   /* last event that the thread itself wrote; CT_NO_TIME: none */
	ct_time event_before; /* the event before that */
	ct_time dropped; /* by when it had dropped its last event, as its ring was full; CT_NO_TIME: none */
	ct_time idle_from;  /* it has been idle since then; CT_NO_TIME: not idle */
	ct_time idle_began; /* its last park or poll; CT_NO_TIME: none */
	ct_time parked;     /* its last park, as the program recorded it; CT_NO_TIME: none */
	/* the last time at which it was idle with nothing ready in its process */
	ct_time idle_good;
	ct_time timed_end; /* end of its last idle time that had a time-out */
	/* a time-out of it ran out, and it has run and woken nobody since; CT_NO_TIME: none */
	ct_time expired;
	ct_time ran_out; /* when a time-out of it ran out last; CT_NO_TIME: never */
	/* a time-out of it, or a timer's descriptor, ran out in this turn, and woke nobody so far; CT_NO_TIME: none */
	ct_time due;
	/* the last times at which one had woken nobody by the end of its turn; nr_vain counts them */
	ct_time vain[MODEL_VAIN];
	ct_time blocked_from; /* in a call that may block since then; CT_NO_TIME: in none */
	ct_time left;         /* its first event after it was last idle; CT_NO_TIME: none */
	ct_time turned;       /* the latest resume that was the first one after idle time */
	uint64_t nr_turns;    /* number of resumes that were the first one after idle time */
	ct_time seen;         /* the engine's last look at it; CT_NO_TIME: none */
	/* the first of its latest looks that found it asleep in the same call; CT_NO_TIME: none */
	ct_time seen_from;
	/* of the looks before it woke up last, which found it asleep in one call: the first; CT_NO_TIME: none */
	ct_time slept_from;
	ct_time slept_until; /* the last of them */
	/* the first of its latest looks that found it running; CT_NO_TIME: none */
	ct_time roused;
	ct_time stopped; /* its end; CT_NO_TIME: not known */
	uint64_t nr_vain;
	/* coroutines that it created last, since it was last seen to begin a run (first_run.c) */
	uint32_t made[MODEL_MADE], nr_made;
	uint64_t seen_event;
	uint32_t seen_system_call; /* MODEL_NO_CALL: none, or not known */
	uint32_t slept_call;       /* of the looks from slept_from on */
	uint32_t nr_looks;         /* looks at it since its last event */
	/* of these, looks that found it on a processor, or waiting for one */
	uint32_t nr_looks_running;
	char seen_state; /* state letter of /proc, such as 'S' */
	uint8_t blocked_call;
	bool is_worker; /* it has run a coroutine */
	bool is_listed; /* it is in the list of its process's workers */
	/* The thread started coroutines, and ran at most their first steps: it may be no worker. */
	bool is_bystander;
	bool has_failed; /* a signal that it raised itself ended the process: it was awake then */
	bool is_parked;
	/* it parked and reported that none of its scheduler's timers is set */
	bool is_untimed;
	bool is_polling;    /* in a call that waits for descriptors */
	bool is_idle_timed; /* its present idle time has a time-out */
	/* as the program told of it: where it was then, and its name, both sites; 0: not told */
	uint32_t told_at, told_name;
	ct_time told;
	bool seen_untimed; /* at that look it was blocked without time-out */
	/* at that look it was in a poll or select whose descriptors are all known */
	bool seen_polls;
	bool seen_in_mutex;   /* at that look it waited as for a mutex */
	uint32_t mutex_owner; /* the thread that had that mutex then; 0: not known */
	/* at that look it was in an epoll_wait for what only the process itself makes ready */
	bool seen_inside;
	bool is_blocked_timed;
	bool is_blocked_last; /* its last event says that it entered this call */
	/* The lock that it waits for without time-out, with all coroutines on it (P-35): a resource handle; 0: none. */
	uint64_t wanted;
	uint64_t wanted_event;
	uint32_t wanted_at; /* site */
	/* what the next detail is about: a coroutine, or (last_doubled) a descriptor; at most one of them is set */
	uint32_t last_suspended;
	uint32_t last_doubled;
	uint32_t last_opened; /* descriptor; 0: none */
	/* the descriptor at which it has just found nothing, with no run, wake or transfer since; 0: none */
	uint32_t last_tried;
	uint32_t last_read;   /* the descriptor that it has read from last; 0: none */
	bool has_armed_tried; /* it has put that descriptor into an interest list since */
	uint32_t last_handed; /* the object of its last hand-over; 0: the receiver is known */
	uint64_t task;        /* the task that it works for outside of coroutines; 0: none */
	uint32_t region;
	uint32_t processor; /* the processor of the runtime that the thread has; 0: none */
	uint32_t name_site;
	uint64_t nr_resumes; /* made by this thread */
	struct model_past_run last_run;
	ct_time counted_from;
	ct_time counted; /* `spent` is right up to then; CT_NO_TIME: the thread was not seen */
	int64_t spent[MODEL_NR_ACTIVITIES]; /* ns, during the observation */
	VEC(struct model_account)
	accounts; /* by time; for parts of a recording only, not from its beginning */
};

#endif
