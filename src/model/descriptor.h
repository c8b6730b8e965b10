/* SPDX-License-Identifier: MIT */
/*
 * Descriptors: one record for each time that a number was given out. A part of model.h.
 */
#ifndef MODEL_DESCRIPTOR_H
#define MODEL_DESCRIPTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/waking.h"

enum model_descriptor_flag {
	MODEL_DESCRIPTOR_IS_OPEN = 1 << 0,
	MODEL_DESCRIPTOR_IS_ARMED = 1 << 1,
	MODEL_DESCRIPTOR_WAS_ARMED = 1 << 2, /* readiness, at least once, was what told of it */
	MODEL_DESCRIPTOR_IS_LISTENER = 1 << 3,
	MODEL_DESCRIPTOR_IS_TIMER = 1 << 4,
	MODEL_DESCRIPTOR_REPEATS = 1 << 5,
	MODEL_DESCRIPTOR_SHARES_DATA = 1 << 6, /* its user data also names another descriptor */
	MODEL_DESCRIPTOR_IS_DOUBLED = 1 << 7,  /* there is or was another descriptor of its file */
	MODEL_DESCRIPTOR_CLOSE_UNSEEN =
		1 << 8, /* its number was given out again: it was closed before */
	MODEL_DESCRIPTOR_WAS_EMPTY = 1 << 9, /* its last read found nothing */
	MODEL_DESCRIPTOR_WAS_FULL =
		1 << 10, /* the last that was tried is a write, which found no room */
};

/* One generation of one descriptor number. */
struct model_descriptor {
	uint32_t process;
	uint32_t fd;
	/* in the first of its file: the other end of a pipe or socket pair; 0: none, or not known */
	uint32_t mate;
	uint32_t generation; /* as the trace tells; 0: it does not */
	uint32_t older;      /* generations of the same number */
	uint32_t newer;
	uint32_t epoch;     /* in which it was closed */
	bool has_forgotten; /* some older than this one were given back */
	uint32_t file; /* the first descriptor of the same file; itself, where there is no other */
	uint32_t nr_copies; /* in the first: descriptors of the file that are open */
	/* in the first: threads that have written to it since the other end was told to be readable; 0: none */
	uint32_t written_by, written_too;
	ct_time written;
	uint8_t type;          /* enum ctp_descriptor_type */
	uint16_t flags;        /* enum model_descriptor_flag */
	uint16_t shutdowns;    /* bit n: shutdown(n) was called */
	uint16_t armed_events; /* as poll has them */
	uint16_t nr_lists;     /* interest lists in which it is */
	ct_time opened;        /* CT_NO_TIME: not seen */
	ct_time closed;        /* CT_NO_TIME: it is open */
	ct_time file_closed;   /* in the first: when the last descriptor of the file was closed */
	uint32_t last_copy;    /* in the first: which one that was */
	uint32_t open_site;
	uint32_t arm_site;    /* where it came into an interest list last */
	uint32_t disarm_site; /* where it was taken out of one last */
	uint32_t disarm_thread;
	uint32_t disarm_coro; /* what ran on that thread; 0: no coroutine that is known */
	uint32_t close_site;
	uint32_t close_thread;
	uint32_t close_coro; /* what ran on that thread; 0: no coroutine that is known */
	uint32_t nr_hidden;  /* coroutines that may have run there unseen */
	uint32_t nr_waits;   /* suspensions that waited for it */
	uint64_t close_event;
	uint64_t user_data;
	ct_time armed;
	ct_time disarmed; /* CT_NO_TIME: never */
	uint64_t disarm_event;
	ct_time reported; /* a poll reported it last; CT_NO_TIME: never */
	ct_time ready;    /* the same, where nobody has transferred anything since */
	struct model_waking
		ended;  /* somebody read its end, of a connection or a pipe; no time: nobody */
	ct_time expiry; /* of a timer; CT_NO_TIME: it is not set */
	ct_time polled; /* the engine saw a thread wait for it by poll or select; CT_NO_TIME: never */
	uint32_t polled_by;
	uint64_t ready_event;
	uint32_t ready_thread;
	uint32_t ready_flags; /* as poll has them */
};

#endif
