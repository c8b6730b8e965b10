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

/* Permits of a semaphore that coroutines took. */
struct model_permits {
	uint32_t nr_out;          /* had by coroutines that live */
	uint32_t nr_returned;     /* given back by those that took them */
	uint32_t nr_kept;         /* of coroutines that have ended without giving them back */
	uint64_t kept_by;         /* the last such coroutine's id */
	struct model_waking kept; /* its end; the site is where it took one */
	bool is_signal;           /* one was given by a coroutine that had none */
};

#define MODEL_GIVERS 4u

/* All that have released, handed over or notified an object. */
struct model_givers {
	uint64_t by[MODEL_GIVERS]; /* ids of coroutines; 0: none */
	uint32_t count;            /* how often they did */
	bool has_others;           /* further coroutines did, or code outside of coroutines */
	bool was_handed;           /* at least once, from one to another */
	bool had_stock;            /* it was taken more often than given: room, or permits */
};

/* All that have taken something from a channel, and what was put there since. */
struct model_takers {
	uint32_t spawn_site; /* where all of them were started */
	bool has_others;     /* further ones took something, or code outside of coroutines */
	uint64_t nr_takes;
	uint64_t nr_puts;   /* since somebody took something last, or waited for it */
	ct_time put;        /* the first of these */
	int64_t longest_ns; /* that something lay there until somebody took or waited */
};

/* A lock, channel, or anything else that coroutines hand to each other. */
struct model_object {
	uint64_t handle;
	uint32_t process;
	uint32_t owner;        /* the coroutine that holds it; MODEL_OWNER_UNKNOWN; 0: none */
	uint32_t owner_site;   /* where the owner took it */
	uint32_t owner_thread; /* thread on which the taking was recorded */
	bool is_of_thread;     /* the thread itself holds it, outside of any coroutine */
	/* of a taking that names no coroutine: id of the coroutine that ran there; 0: none did */
	uint64_t taken_within;
	bool is_held;   /* a lock, held by a known coroutine */
	uint32_t giver; /* the coroutine that handed it over */
	bool is_handed; /* it was handed over, and the owner has recorded nothing of it since */
	ct_time owned;  /* since when the owner has it */
	int64_t longest_held; /* a lock: the longest time for which one had it that let it go again */
	uint64_t owner_event;
	ct_time released;          /* CT_NO_TIME: never */
	struct model_waking vain;  /* the last notify that woke nobody */
	struct model_waking found; /* the last notify that woke a coroutine */
	uint32_t nr_vain;          /* notifies since that, none of which woke one */
	/* index of a holding: two hold it, and the first has not released it; 0: none */
	uint32_t holding;
	uint32_t nr_takes;
	uint32_t nr_overlaps; /* of nr_takes: while another coroutine held it */
	uint32_t cut; /* a coroutine that was woken for it and destroyed before it ran; 0: none */
	/* Given minus taken, at least, if every taking is recorded. */
	uint64_t nr_left;
	bool has_takers; /* a taking was recorded at some time */
	struct model_permits permits;
	struct model_givers givers;
	struct model_takers takers;
	/* of a channel: given minus taken since a coroutine last waited for it */
	uint64_t content;
	/* series of `content`, once that reached MODEL_CONTENT; 0: none */
	uint32_t content_series;
	uint32_t put_site;        /* where something was given last */
	uint32_t changed_by_coro; /* who made the last change of any kind */
	uint32_t changed_by_thread;
	uint32_t changed_at; /* site of the last change */
	uint8_t changed_how; /* enum ctp_kind of the last change; 0: never */
	ct_time changed;
	uint64_t change_event;
};

#define MODEL_OWNER_UNKNOWN UINT32_MAX

#define MODEL_HOLDINGS 4096u

/* A coroutine took a lock whose release by another one was not recorded. */
struct model_holding {
	uint32_t object;
	struct model_waking first; /* the first holder's taking */
	struct model_waking second;
	struct model_waking ended; /* the first holder's own release; CT_NO_TIME: none */
	/* the first holder's last resume before that; CT_NO_TIME: none was seen */
	ct_time resumed;
	ct_time second_ended; /* the second holder's release; CT_NO_TIME: none */
	uint64_t waits_for
		/* what the first holder waited for: last with the lock before the second taking, and first after it */
		[2];
	bool is_yield[2];    /* or a point that is no wait */
	bool has_waited;     /* waits_for[0] is valid */
	bool has_moved;      /* waits_for[1] is valid */
	bool tells_releases; /* a release of the lock had been recorded before */
	bool is_withdrawn;   /* a later event contradicts the holding */
};

#endif
