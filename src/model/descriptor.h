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
	MODEL_DESCRIPTOR_WAS_ARMED = 1 << 2, /* a poll was asked to report it at least once */
	MODEL_DESCRIPTOR_IS_LISTENER = 1 << 3,
	MODEL_DESCRIPTOR_IS_TIMER = 1 << 4,
	MODEL_DESCRIPTOR_REPEATS = 1 << 5,
	MODEL_DESCRIPTOR_SHARES_DATA = 1 << 6, /* its user data names another descriptor, too */
	MODEL_DESCRIPTOR_IS_DOUBLED = 1 << 7,  /* its file has or had another descriptor */
	MODEL_DESCRIPTOR_CLOSE_UNSEEN =
		1 << 8, /* its number was given out again, so it was closed before */
	MODEL_DESCRIPTOR_WAS_EMPTY = 1 << 9, /* its last read found nothing */
	MODEL_DESCRIPTOR_WAS_FULL =
		1 << 10, /* its last transfer was a write, and that write found no room */
	/*
	 * of a listener: it has accepted connections whose other end is in the process, and others; of a socket of
	 * datagrams: the process itself has sent it some, and others have
	 */
	MODEL_DESCRIPTOR_HAS_OWN_CLIENTS = 1 << 11,
	MODEL_DESCRIPTOR_HAS_OTHER_CLIENTS = 1 << 12,
};

/* Bits of the events of an arming (def/kinds.def). */
#define MODEL_ARMED_ONCE 0x4000u
#define MODEL_ARMED_EDGE 0x8000u

/* One generation of one descriptor number. */
struct model_descriptor {
	uint32_t process;
	uint32_t fd;
	/* in the first of its file: the other end, in the process, of the pipe, pair or connection; 0: none known */
	uint32_t mate;
	uint32_t generation; /* as recorded; 0: not recorded */
	uint32_t older;      /* generations of the same number */
	uint32_t newer;
	uint32_t epoch;     /* epoch of the close */
	bool has_forgotten; /* records of older generations were given back */
	uint32_t file;      /* the first descriptor of the same file; itself if there is no other */
	uint32_t nr_copies; /* in the first: open descriptors of the file */
	/* in the first: threads that have written to it since the other end was reported readable; 0: none */
	uint32_t written_by, written_too;
	ct_time written;
	/* in the first: the id of the only coroutine that has written to it; 0: none has */
	uint64_t writer;
	bool has_writers; /* there are others, or it is not known who wrote */
	/* in the first: bytes that were read from it, and written to it */
	uint64_t nr_read, nr_written;
	uint8_t type;          /* enum ctp_descriptor_type */
	uint16_t flags;        /* enum model_descriptor_flag */
	uint16_t shutdowns;    /* bit n: shutdown(n) was called */
	uint16_t armed_events; /* flags of poll */
	uint16_t nr_lists;     /* number of interest lists that have it */
	ct_time opened;        /* CT_NO_TIME: not seen */
	ct_time closed;        /* CT_NO_TIME: open */
	ct_time file_closed;   /* in the first: when the last descriptor of the file was closed */
	uint32_t last_copy;    /* in the first: the last descriptor of the file */
	uint32_t open_site;
	uint32_t arm_site;    /* where it was last added to an interest list */
	uint32_t disarm_site; /* where it was last removed from one */
	uint32_t disarm_thread;
	uint32_t disarm_coro; /* the coroutine that ran on that thread; 0: none that is known */
	uint32_t close_site;
	uint32_t close_thread;
	uint32_t close_coro; /* the coroutine that ran on that thread; 0: none that is known */
	uint32_t nr_hidden;  /* coroutines that may have run there unseen */
	uint32_t nr_waits;   /* suspends that waited for it */
	uint64_t waiter;     /* the id of the coroutine that did so last; 0: none did */
	uint64_t close_event;
	uint64_t user_data;
	ct_time armed;
	ct_time disarmed; /* CT_NO_TIME: never */
	uint64_t disarm_event;
	ct_time reported;   /* the last report by a poll; CT_NO_TIME: never */
	ct_time ready;      /* the same, but CT_NO_TIME after a transfer */
	ct_time ready_from; /* the first of the reports since the last transfer; valid with `ready` */
	uint32_t nr_ready; /* of these reports */
	/* a read met the end of the stream, of a connection or pipe; no time: none did */
	struct model_waking ended;
	ct_time expiry; /* of a timer; CT_NO_TIME: it is not set */
	/* the engine saw a thread wait for it by poll or select; CT_NO_TIME: never */
	ct_time polled;
	uint32_t polled_by;
	uint64_t ready_event;
	uint32_t ready_thread;
	uint32_t ready_flags; /* flags of poll */
};

#endif
