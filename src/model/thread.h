/* SPDX-License-Identifier: MIT */
/*
 * Threads: on whose stack coroutines run, whether they are idle, what they spend their time on. A part of
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
#define MODEL_SEVERAL UINT32_MAX /* threads, in place of one */

/* A coroutine on a thread's stack whose end would not be told, and whom the thread has run above it since. */
#define MODEL_OVER_MOST 16u
struct model_over {
	uint32_t below; /* 0: none */
	uint32_t coro;
	uint32_t count; /* further times the same one */
	ct_time time;   /* the last sign of the thread before the first one */
};

struct model_thread {
	uint32_t process;
	uint32_t same_tid; /* the thread that had this kernel id before; 0: none */
	uint32_t top;      /* the coroutine that runs on it; 0: none */
	struct model_over over;
	/* that suspended last on it, with nothing told of the thread since; 0: none */
	uint32_t leaving;
	/*
	 * whose write to a pair of the process its last poll has told of, until it polls again: itself, another one
	 * (which counts before itself), MODEL_SEVERAL others; 0: nobody's
	 */
	uint32_t prodder;
	ct_time prodded;      /* that write */
	uint8_t last_kind;    /* of what it wrote */
	ct_time last_event;   /* written by the thread itself; CT_NO_TIME: none */
	ct_time event_before; /* the one before that */
	ct_time idle_from;    /* it has been idle since; CT_NO_TIME: it is not */
	ct_time idle_began;   /* its last park or poll; CT_NO_TIME: none */
	ct_time idle_good;    /* the last moment at which it was idle with nothing ready anywhere */
	ct_time timed_end;    /* the end of its last idleness that had a time-out */
	ct_time expired; /* a time-out of it ran out, and it has run and woken nobody since; CT_NO_TIME: no */
	ct_time blocked_from; /* in a call that may block; CT_NO_TIME: in none */
	ct_time left;         /* its first event behind its last idleness; CT_NO_TIME: none */
	ct_time turned;       /* the first resume behind such an event, */
	uint64_t nr_turns;    /* and how many of those there were */
	ct_time seen;         /* the engine's last look at it; CT_NO_TIME: none */
	ct_time seen_from; /* the first of its last looks that found it asleep in the same call; CT_NO_TIME: none */
	ct_time roused;  /* the first of its last looks that found it running; CT_NO_TIME: none */
	ct_time stopped; /* it has ended; CT_NO_TIME: not known */
	uint64_t seen_event;
	uint64_t expired_event;
	uint32_t seen_system_call; /* MODEL_NO_CALL: none, or not known which */
	uint32_t nr_looks;         /* at it, since its last event */
	uint32_t nr_looks_running; /* of these, that found it on a processor, or waiting for one */
	char seen_state;           /* the letter of /proc, such as 'S' */
	uint8_t blocked_call;
	bool is_worker; /* it ran a coroutine at some time */
	bool is_listed; /* among the workers of its process */
	/* The thread started coroutines, and ran at most their first steps: it may well be no worker. */
	bool is_bystander;
	bool has_failed; /* a signal of its own doing ended the process: it was awake then */
	bool is_parked;
	bool is_untimed;    /* it parked and said so: none of its scheduler's timers is set */
	bool is_polling;    /* in a call that waits for descriptors */
	bool is_idle_timed; /* its present idleness ends by itself */
	bool seen_untimed;  /* at that look it blocked without time-out */
	bool seen_polls;    /* it was in a poll or select then, and all its descriptors were told */
	bool seen_inside; /* it was in an epoll_wait then, for what only the process itself makes ready */
	bool is_blocked_timed;
	bool is_blocked_last; /* that it went into this call is the last that it wrote */
	/* The lock that it waits for without time-out, with all that runs on it (P-35): a resource handle; 0: none. */
	uint64_t wanted;
	uint64_t wanted_event;
	uint32_t wanted_at;      /* site */
	uint32_t last_suspended; /* whom a detail speaks of: coroutine or descriptor; one at most */
	uint32_t last_doubled;
	uint32_t last_opened; /* descriptor; 0: none */
	/* the descriptor at which it has just found nothing, with no run, wake or transfer since; 0: none */
	uint32_t last_tried;
	bool has_armed_tried; /* since then it has put that into an interest list */
	uint32_t last_handed; /* the object of its last hand-over; 0: its receiver is known */
	uint64_t task;        /* that it works for outside of coroutines; 0: none */
	uint32_t region;
	uint32_t processor; /* that it has: of the runtime of its process; 0: none */
	uint32_t name_site;
	uint64_t nr_resumes; /* that it did */
	ct_time counted_from;
	ct_time counted; /* `spent` is right up to then; CT_NO_TIME: nothing was seen of it */
	int64_t spent[MODEL_NR_ACTIVITIES]; /* ns, while observed */
	VEC(struct model_account)
	accounts; /* by time; of parts of a recording, not from the beginning */
};

#endif
