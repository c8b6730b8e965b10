/* SPDX-License-Identifier: MIT */
/* The checker's progress with each claim. Private to src/claim. */
#ifndef CLAIM_PROGRESS_H
#define CLAIM_PROGRESS_H

#include "base/map.h"
#include "event/wakes.h"
#include "claim/checker.h"

/* One of the two events that a claim names, and what it began. */
struct sighting {
	bool is_seen;
	bool has_ended; /* for OVERLAP */
	uint32_t thread;
	ct_time time;
	ct_time end;
};

/* What the reading has shown about a claim so far. */
struct progress {
	struct sighting at[2]; /* the events `after` and `before` */
	bool has_failed;
	uint64_t against;
};

/* A list of claims under one key: chained, because most keys have one or two claims. Numbers are indexes plus 1. */
struct link {
	uint32_t claim;
	uint32_t next;
};

struct missing {
	uint32_t process;
	uint32_t thread; /* 0: not known */
	ct_time from;
	ct_time until;
};

/* A wait at a place that a WAKES claim names, while it goes on. */
struct wait {
	uint32_t site; /* 0: it does not wait at such a place */
	bool is_woken;
};

struct place {
	uint32_t nr_claims;
	uint64_t nr_unwoken;
};

struct checker {
	const struct ct_tables *tables;
	struct claims *claims;
	struct progress *progress; /* indexed by claim */
	VEC(struct link) links;    /* [0] is reserved */
	struct map by_event;       /* maps a sequence number to a link */
	struct map by_subject;     /* maps process and handle to a link */
	VEC(struct missing) missing;
	uint8_t *sleeps;          /* an enum sleep for each thread */
	struct map tids;          /* maps process and kernel id to a thread */
	bool *has_unseen_threads; /* for each process: it has threads that were not looked at */
	VEC(struct place) places; /* [0] is reserved */
	struct map place_of_site;
	VEC(struct wait) waits;
	struct map wait_of_coro; /* maps process and handle to a wait */
	struct map coro_of_frame;
	bool asks_for_sleep;
	bool is_broken;
};

/* claim_key: returns a number of one process as a key. */
static inline uint64_t claim_key(uint32_t process, uint64_t number)
{
	return number ^ (uint64_t)process << 40;
}

/* ---------------------------------------------------------------- sleep.c */

/*
 * claim_sleep_prepare: call it before the first event. claim_sleep_take: takes what the event shows about threads.
 * claim_sleep_judge: returns whether each thread of the process sleeps without time-out, or has ended.
 */
void claim_sleep_prepare(struct checker *checker);
void claim_sleep_take(struct checker *checker, const struct ct_event *event);
bool claim_sleep_judge(const struct checker *checker, uint32_t process);
void claim_sleep_fini(struct checker *checker);

/* ---------------------------------------------------------------- wakes.c */

/* claim_wakes_prepare, _take, _judge, _fini: the same for waits at places and the wakes that ended them. */
void claim_wakes_prepare(struct checker *checker);
void claim_wakes_take(struct checker *checker, const struct ct_event *event);
bool claim_wakes_judge(const struct checker *checker, const struct claim *claim);
void claim_wakes_fini(struct checker *checker);

#endif
