/* SPDX-License-Identifier: MIT */
/*
 * What the files of this folder share. Private to src/snapshot.
 *
 * There are coroutines, and facts. A coroutine's creation and its present state lie in its own 64
 * bytes, for there may be millions; everything else is a fact: a record that still counts. Facts of a
 * coroutine (its frame, a lock that it holds) are chained to it and end with it; others (a descriptor
 * was closed, a worker is parked) are found by a key. Index 0 of every array means none.
 */
#ifndef SNAPSHOT_SNAPSHOT_PARTS_H
#define SNAPSHOT_SNAPSHOT_PARTS_H

#include <assert.h>

#include "map.h"
#include "snapshot.h"
#include "vec.h"

#define SNAPSHOT_COROS (1u << 24) /* at once, 64 bytes each */
#define SNAPSHOT_FACTS (1u << 23) /* at once, 48 bytes each */
#define SNAPSHOT_KEYS (1u << 20)  /* facts that are found by a key */
#define SNAPSHOT_CHAIN 64u        /* facts of one coroutine, details of one fact */
#define SNAPSHOT_NESTED 8u        /* regions of one name within each other */
#define SNAPSHOT_SEGMENTS (1u << 16)
#define SNAPSHOT_GRAVES 65536u /* destroyed lately: late records of theirs change nothing */
#define SNAPSHOT_RECENT 256u
#define SNAPSHOT_GRAVES_TOLD 4096u

struct snapshot_coro {
	uint64_t key; /* segment << 48 | id; 0: this place is free, `facts` is the next free one */
	uint64_t created;
	uint64_t created_object;
	uint64_t since; /* its state's own record: time, object, ... */
	uint64_t object;
	uint32_t created_site;
	uint32_t created_origin; /* 0: its creation was not seen */
	uint32_t site;
	uint32_t origin; /* 0: nothing but its creation was seen */
	uint8_t kind;
	uint8_t argument;
	uint16_t flags;
	uint32_t facts; /* first of the chain */
};

static_assert(sizeof(struct snapshot_coro) == 64, "a coroutine's cache line");

struct snapshot_fact {
	struct ctp_record record;
	uint32_t origin; /* 0: this place is free */
	uint32_t next;   /* in the chain, or among the free */
	uint32_t detail; /* a fact that says more of this one */
	uint32_t is_old; /* it was there the last time that the snapshot was told */
};

/* What the last record of an origin became: a detail that follows belongs to it. */
struct snapshot_source {
	struct snapshot_origin origin;
	uint32_t last_fact; /* 0: what it says belongs to nothing that is kept */
	uint64_t
		last_time; /* of that fact or state, which may be gone and its place another one's */
	uint32_t last_coro; /* whose state it became, where last_fact is 0; 0: nobody's */
	uint64_t last_key;
};

struct snapshot {
	VEC(struct snapshot_source) sources;
	struct map source_at;

	size_t max_coros;
	size_t max_facts;
	VEC(struct snapshot_coro) coros;
	struct map coro_at;               /* by segment and id */
	uint32_t recent[SNAPSHOT_RECENT]; /* found lately, by key; right where the key is */
	uint32_t free_coro;
	uint64_t nr_live;
	uint32_t *graves;   /* SNAPSHOT_GRAVES destroyed coroutines, a circle; NULL: none so far */
	uint64_t nr_graves; /* ever */
	uint64_t nr_graves_before; /* at the last beat */

	VEC(struct snapshot_fact) facts;
	struct map fact_at; /* by key */
	uint32_t free_fact;
	uint64_t nr_facts;
	uint64_t nr_forgotten;

	struct map site_named; /* by segment and name: the first site that has it */
	struct map
		named_as; /* by segment and site: the first one with its name, where that is another */

	VEC(struct snapshot_record) told;
	struct snapshot_observer observer;
};

/* Of a switch the coroutine that was entered: `object` of its state is this. */
#define SNAPSHOT_ENTERED 1u

#define SNAPSHOT_ID_BITS 48 /* of a coroutine's id in its segment: more can not be true (F-35) */
#define SNAPSHOT_ID_MASK ((UINT64_C(1) << SNAPSHOT_ID_BITS) - 1)

static inline uint64_t snapshot_id(const struct snapshot_coro *coro)
{
	return coro->key & SNAPSHOT_ID_MASK;
}

static inline uint8_t snapshot_kind(const struct snapshot_fact *fact)
{
	return CTP_TAIL_KIND(fact->record.tail);
}

/* ------------------------------------------------------------------ facts.c */

/* fact_new: a fact that is in no chain; 0: no room, or out of memory. fact_free: also its details. */
uint32_t snapshot_fact_new(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *record);
void snapshot_fact_free(struct snapshot *snapshot, uint32_t fact);

static inline bool snapshot_is_at(const struct snapshot_fact *fact, uint32_t origin, uint64_t time)
{
	return fact->origin == origin && fact->record.time == time;
}

/* fact_replace: this record takes the place of another, unless that one is later. */
void snapshot_fact_replace(
	struct snapshot *snapshot, uint32_t fact, uint32_t origin, const struct ctp_record *record);

/*
 * fact_set: this record is what counts for the key from now on, unless a later one is known. False: no
 * room. fact_clear: nothing counts for it any more.
 */
bool snapshot_fact_set(
	struct snapshot *snapshot, uint64_t key, uint32_t origin, const struct ctp_record *record);
void snapshot_fact_clear(struct snapshot *snapshot, uint64_t key);

/* fact_at: what counts for the key; 0: nothing. */
uint32_t snapshot_fact_at(const struct snapshot *snapshot, uint64_t key);

/* fact_remember: the details that follow belong to this one. */
void snapshot_fact_remember(struct snapshot *snapshot, uint32_t origin, uint32_t fact);

/* fact_key: of what a record of this kind is about, in this segment. */
uint64_t snapshot_fact_key(uint32_t segment, unsigned kind, uint64_t about);

/* ------------------------------------------------------------------ coros.c */

/* snapshot_coro_find, snapshot_coro_get: by id; snapshot_coro_get makes it. 0: not known; no room for it. */
uint32_t snapshot_coro_find(const struct snapshot *snapshot, uint32_t segment, uint64_t id);
uint32_t snapshot_coro_get(struct snapshot *snapshot, uint32_t segment, uint64_t id);
void snapshot_coro_forget(struct snapshot *snapshot, uint32_t coro);

/*
 * snapshot_coro_add: chains a fact. snapshot_coro_drop: frees its facts of one kind (and object, where that is not 0)
 * up to a time; false: there were none. snapshot_coro_take: frees one and tells its time; false: there was none.
 * snapshot_coro_drop_kinds: the same for
 * several kinds, as bits. coro_has: does it have any of this kind?
 */
bool snapshot_coro_add(
	struct snapshot *snapshot, uint32_t coro, uint32_t origin, const struct ctp_record *record);
bool snapshot_coro_drop(
	struct snapshot *snapshot, uint32_t coro, unsigned kind, uint64_t object, uint64_t until);
void snapshot_coro_drop_kinds(
	struct snapshot *snapshot, uint32_t coro, uint64_t kinds, uint64_t until);
uint32_t snapshot_coro_pair(const struct snapshot *snapshot, uint32_t coro, unsigned begin,
	unsigned end, uint64_t object);
bool snapshot_coro_has(
	const struct snapshot *snapshot, const struct snapshot_coro *coro, unsigned kind);

/* snapshot_coro_woken: was it woken or queued since its present state, and when? False: it was not. */
bool snapshot_coro_woken(
	const struct snapshot *snapshot, const struct snapshot_coro *coro, uint64_t *ret_time);

/* snapshot_coro_bury: it was destroyed; what it left behind is forgotten when the graves are full. */
bool snapshot_coro_bury(struct snapshot *snapshot, uint32_t coro);

#endif
