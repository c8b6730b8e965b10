/* SPDX-License-Identifier: MIT */
/*
 * Objects that coroutines hand to each other. A part of model.h.
 */
#ifndef MODEL_OBJECT_H
#define MODEL_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/waking.h"

/* A lock, channel, or anything else that coroutines hand to each other. */
struct model_object {
	uint64_t handle;
	uint32_t process;
	uint32_t owner;        /* coroutine that holds it; MODEL_OWNER_UNKNOWN; 0: none */
	uint32_t owner_site;   /* where it came to hold it */
	uint32_t owner_thread; /* on which it was told */
	bool is_of_thread;     /* the thread itself has it, outside of any coroutine */
	uint64_t
		taken_within; /* id of the coroutine that ran there, where the taking names none; 0: none did */
	bool is_held;   /* a lock, by a coroutine that is known */
	uint32_t giver; /* the coroutine that handed it over */
	bool is_handed; /* by a hand-over, and the owner has not told of it since */
	ct_time owned;  /* since when */
	uint64_t owner_event;
	ct_time released;          /* CT_NO_TIME: never */
	struct model_waking vain;  /* the last notify that woke nobody */
	struct model_waking found; /* the last one that woke somebody */
	uint32_t holding; /* two hold it, and the first one has not given it back; 0: none do */
	uint32_t nr_takes;
	uint32_t nr_overlaps; /* of these: that another one held it */
	uint32_t cut; /* that had been woken for it, and was destroyed before it ran; 0: none */
	/* At least as many were given and not taken, if every taking is told. */
	uint64_t nr_left;
	bool has_takers;  /* one was taken at some time */
	uint64_t content; /* of a channel: the same, since somebody waited for it last */
	/* followed over time since there were MODEL_CONTENT; 0: it is not */
	uint32_t content_series;
	uint32_t put_site;        /* where one was given last */
	uint32_t changed_by_coro; /* the last of any change */
	uint32_t changed_by_thread;
	uint32_t changed_at; /* site */
	uint8_t changed_how; /* enum ctp_kind; 0: never */
	ct_time changed;
	uint64_t change_event;
};

#define MODEL_OWNER_UNKNOWN UINT32_MAX

#define MODEL_HOLDINGS 4096u

/* A coroutine took a lock that another one had not told to have given back. */
struct model_holding {
	uint32_t object;
	struct model_waking first; /* who took it, when and where */
	struct model_waking second;
	struct model_waking ended; /* the first one gave it back itself; CT_NO_TIME: it did not */
	ct_time resumed;           /* its last resume before that; CT_NO_TIME: none was seen */
	ct_time second_ended;      /* likewise */
	uint64_t waits_for
		[2]; /* the first one's last wait with it before the second one, and its first after */
	bool is_yield[2];    /* or a point that is no wait */
	bool has_waited;     /* waits_for[0] counts */
	bool has_moved;      /* waits_for[1] counts */
	bool tells_releases; /* the lock had been given back before, and that was told */
	bool is_withdrawn;   /* something that was told later speaks against it */
};

#endif
