/* SPDX-License-Identifier: MIT */
/*
 * What is known: coroutines and facts. Private to src/snapshot.
 *
 * There are coroutines, and facts. A coroutine's present state lies in its own 64 bytes, its creation and
 * frame in 24 that lie elsewhere, for there may be millions; everything else is a fact: a record that still counts.
 * Facts of a coroutine (a lock that it holds) are chained to it and end with it, but for its last wake and the queue
 * that it stands in, which change all the time: these it names itself. Others (a descriptor was closed, a worker is
 * parked) are found by a key. Index 0 of every array means none.
 */
#ifndef SNAPSHOT_KNOWN_H
#define SNAPSHOT_KNOWN_H

#include <assert.h>

#include "base/map.h"
#include "snapshot/snapshot.h"
#include "base/vec.h"

#define SNAPSHOT_BYTES (UINT64_C(512) << 20) /* of coroutines, their pages, and facts */
#define SNAPSHOT_COROS (1u << 24)            /* at once, 88 bytes each, and 4 to 100 of pages */
#define SNAPSHOT_FACTS (1u << 23)            /* at once, 48 bytes each */
#define SNAPSHOT_KEYS (1u << 20)             /* facts that are found by a key */
#define SNAPSHOT_CHAIN 64u                   /* facts of one coroutine, details of one fact */
#define SNAPSHOT_NESTED 8u                   /* regions of one name within each other */
#define SNAPSHOT_SEGMENTS (1u << 16)
#define SNAPSHOT_GRAVES 65536u      /* destroyed lately: late records of theirs change nothing */
#define SNAPSHOT_ORIGINS (1u << 24) /* streams, each with each of its threads */
#define SNAPSHOT_PAGE 16u           /* coroutines with neighbouring ids */
#define SNAPSHOT_RECENT 4096u       /* pages */
#define SNAPSHOT_NEAR 4096u         /* coroutines: so many lie near the processor */
#define SNAPSHOT_FAR 16384u         /* pages: so many do not */
#define SNAPSHOT_GRAVES_TOLD 4096u

struct snapshot_coro {
	uint64_t key; /* segment << 48 | id; 0: this place is free, `facts` is the next free one */
	uint64_t since; /* its state's own record: time, object, tail */
	uint64_t object;
	uint64_t tail;
	uint64_t created_object;
	uint32_t created_site;
	uint32_t created_origin : 24; /* 0: its creation was not seen */
	uint32_t nr_facts : 8;        /* in its chain */
	uint32_t origin : 24;         /* 0: nothing but its creation was seen */
	uint32_t holds : 8;           /* SNAPSHOT_HOLDS_...: what there may be among them */
	uint32_t facts;               /* first of the chain */
	uint32_t wake;                /* the last one that no resume has used up */
	uint32_t queue;               /* that it stands in */
};

static_assert(sizeof(struct snapshot_coro) == 64, "a coroutine's cache line");

/*
 * A coroutine's beginning. Its frame stands here where the record of it came from the same origin, not
 * long after the creation; else it is a fact.
 */
struct snapshot_birth {
	uint64_t time;
	uint64_t frame;
	uint32_t frame_site;
	uint32_t frame_after; /* the creation; SNAPSHOT_NO_FRAME: there is none here */
};

#define SNAPSHOT_NO_FRAME UINT32_MAX

/*
 * Ids are given out one after the other, so most pages are full: a coroutine is found through 4 to 5 bytes of its own,
 * and many neighbours share what the processor has at hand.
 */
struct snapshot_page {
	uint64_t key; /* of its coroutines, less the last bits; SNAPSHOT_NO_PAGE: it is free */
	uint32_t coro[SNAPSHOT_PAGE];
};

#define SNAPSHOT_NO_PAGE UINT64_MAX

struct snapshot_fact {
	struct ctp_record record;
	uint32_t origin; /* 0: this place is free */
	uint32_t next;   /* in the chain, or among the free */
	uint32_t detail; /* a fact that says more of this one */
	uint32_t is_old; /* it was there the last time that the snapshot was told */
};

/* The fact that the last record of an origin became: a detail that follows belongs to it. */
struct snapshot_source {
	struct snapshot_origin origin;
	uint32_t last_fact; /* 0: what it says belongs to nothing that is kept */
	/* of that fact or state, which may be gone and its place another one's */
	uint64_t last_time;
	uint32_t last_coro; /* whose state it became, where last_fact is 0; 0: nobody's */
	uint64_t last_key;
	uint32_t group;       /* the first origin of its stream */
	uint32_t nr_regions;  /* of that name are open */
	uint64_t last_region; /* the last one that began or ended */
};

/* One that is to be told. */
struct snapshot_reference {
	uint64_t place; /* time of the record that it belongs to */
	uint32_t group;
	uint32_t what; /* see tell.c */
};

struct snapshot_references {
	struct snapshot_reference *at;
	size_t count;
	size_t capacity;
};

enum snapshot_telling_step { SNAPSHOT_COUNTS, SNAPSHOT_SHARES, SNAPSHOT_GATHERS };

struct snapshot_telling {
	bool is_over;
	bool is_broken; /* out of memory */
	enum snapshot_telling_step step;
	uint64_t nr_all;
	uint64_t nr_gathered; /* so far */
	uint64_t first;       /* times */
	uint64_t last;
	uint64_t from; /* of the stretch at hand */
	uint64_t until;
	uint32_t *nr_by_time; /* how many in each share of the time; NULL: all are one stretch */
	unsigned shift;       /* a share lasts so long, as bits */
	size_t next_share;
	struct snapshot_references references; /* of the stretch */
	struct snapshot_references sorted;
	size_t next; /* reference */
	VEC(struct snapshot_record) told;
};

struct snapshot {
	VEC(struct snapshot_source) sources;
	struct map source_at;
	struct map stream_at; /* its first origin */

	uint64_t max_bytes;
	size_t max_coros;
	size_t max_facts;
	VEC(struct snapshot_coro) coros;
	VEC(struct snapshot_birth) births; /* of the coroutine in the same place */
	uint64_t nr_coros;                 /* of them in use */
	uint32_t free_coro;
	VEC(struct snapshot_page) pages;
	struct map page_at;               /* by key */
	uint32_t recent[SNAPSHOT_RECENT]; /* pages found lately; right where the key is */
	uint32_t free_page;               /* its first coroutine is the next free one */
	uint64_t nr_live;
	uint64_t most_live; /* at once, since that was asked for */
	uint32_t *graves;   /* SNAPSHOT_GRAVES destroyed coroutines, a circle; NULL: none so far */
	uint64_t nr_graves; /* ever */
	uint64_t nr_graves_before; /* at the last beat */

	VEC(struct snapshot_fact) facts;
	struct map fact_at; /* by key */
	uint32_t free_fact;
	uint64_t nr_facts;
	uint64_t nr_forgotten;

	struct map site_named; /* by segment and name: the first site that has it */
	/* by segment and site: the first one with its name, where that is another */
	struct map named_as;

	struct snapshot_telling telling;
	struct snapshot_observer observer;
};

/* The coroutine that a switch entered: `object` of its state is this. */
#define SNAPSHOT_ENTERED 1u

#define SNAPSHOT_ID_BITS 48 /* of a coroutine's id in its segment: more cannot be true (F-35) */
#define SNAPSHOT_ID_MASK ((UINT64_C(1) << SNAPSHOT_ID_BITS) - 1)

static inline uint64_t snapshot_id(const struct snapshot_coro *coro)
{
	return coro->key & SNAPSHOT_ID_MASK;
}

/* The kind of the record that told its state; 0: nothing but its creation was seen. */
static inline uint8_t snapshot_state(const struct snapshot_coro *coro)
{
	return CTP_TAIL_KIND(coro->tail);
}

static inline uint8_t snapshot_kind(const struct snapshot_fact *fact)
{
	return CTP_TAIL_KIND(fact->record.tail);
}

/* snapshot_has_room: for so many bytes more. */
static inline bool snapshot_has_room(const struct snapshot *snapshot, uint64_t nr_bytes)
{
	return snapshot_nr_bytes(snapshot) + nr_bytes <= snapshot->max_bytes;
}

/* snapshot_put_bytes: what one more key in a map takes: at times it is made again, twice as large. */
static inline uint64_t snapshot_put_bytes(const struct map *map)
{
	return map->count + 1 > map->capacity / 4 * 3 ? map->capacity * 2 * sizeof(*map->entries)
						      : 0;
}

/* ------------------------------------------------------------------ facts.c */

/* snapshot_fact_more: a place that was never used; 0: no room, or out of memory. */
uint32_t snapshot_fact_more(struct snapshot *snapshot);

/* snapshot_fact_new: a fact that is in no chain; 0: no room, or out of memory. snapshot_fact_free: also its details. */
static inline uint32_t snapshot_fact_new(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *record)
{
	uint32_t index = snapshot->free_fact;

	if (index)
		snapshot->free_fact = snapshot->facts.at[index].next;
	else
		index = snapshot_fact_more(snapshot);
	if (!index)
		return 0;
	snapshot->facts.at[index] = (struct snapshot_fact){.record = *record, .origin = origin};
	snapshot->nr_facts++;
	return index;
}

static inline void snapshot_fact_free(struct snapshot *snapshot, uint32_t fact)
{
	while (fact) {
		struct snapshot_fact *freed = &snapshot->facts.at[fact];
		uint32_t detail = freed->detail;

		freed->origin = 0;
		freed->detail = 0;
		freed->next = snapshot->free_fact;
		snapshot->free_fact = fact;
		snapshot->nr_facts--;
		fact = detail;
	}
}

/* snapshot_fact_remember: the details that follow belong to this one. */
static inline void snapshot_fact_remember(struct snapshot *snapshot, uint32_t origin, uint32_t fact)
{
	struct snapshot_source *source = &snapshot->sources.at[origin];

	source->last_fact = fact;
	source->last_time = snapshot->facts.at[fact].record.time;
	source->last_coro = 0;
}

static inline bool snapshot_is_at(const struct snapshot_fact *fact, uint32_t origin, uint64_t time)
{
	return fact->origin == origin && fact->record.time == time;
}

/* snapshot_fact_replace: this record takes the place of another, unless that one is later. */
void snapshot_fact_replace(
	struct snapshot *snapshot, uint32_t fact, uint32_t origin, const struct ctp_record *record);

/*
 * snapshot_fact_key: of what a record of this kind is about, in this segment. Each bit of it depends on all of
 * theirs.
 */
static inline uint64_t snapshot_fact_key(uint32_t segment, unsigned kind, uint64_t about)
{
	uint64_t key = (about ^ (uint64_t)kind << 56 ^ (uint64_t)segment << 32) *
		       UINT64_C(0xbf58476d1ce4e5b9);

	key ^= key >> 31;
	key = (key + kind) * UINT64_C(0x94d049bb133111eb);
	return (key ^ key >> 29) + segment;
}

/* snapshot_fact_at: what counts for the key; 0: nothing. snapshot_fact_clear: nothing counts for it any more. */
static inline uint32_t snapshot_fact_at(const struct snapshot *snapshot, uint64_t key)
{
	uint32_t fact = 0;

	map_get(&snapshot->fact_at, key, &fact);
	return fact;
}

void snapshot_fact_clear(struct snapshot *snapshot, uint64_t key);

/*
 * snapshot_fact_set: this record is what counts for the key from now on, unless a later one is known; `known` is what
 * counted so far. False: no room. snapshot_fact_make: for a key for which nothing counts.
 */
bool snapshot_fact_make(
	struct snapshot *snapshot, uint64_t key, uint32_t origin, const struct ctp_record *record);

static inline bool snapshot_fact_set(struct snapshot *snapshot, uint64_t key, uint32_t known,
	uint32_t origin, const struct ctp_record *record)
{
	if (!known)
		return snapshot_fact_make(snapshot, key, origin, record);
	snapshot_fact_replace(snapshot, known, origin, record);
	return true;
}

/* snapshot_fact_detail: a record that says more of a fact, behind those that did before. False: no room. */
bool snapshot_fact_detail(
	struct snapshot *snapshot, uint32_t fact, uint32_t origin, const struct ctp_record *record);

/* snapshot_first_named: the first site of the segment that has this one's name. */
uint32_t snapshot_first_named(const struct snapshot *snapshot, uint32_t segment, uint32_t site);

/* ------------------------------------------------------------------ forget.c */

/* snapshot_forget_past: what nobody can ask for any more. False: out of memory, and not all of it is forgotten. */
bool snapshot_forget_past(struct snapshot *snapshot);

/* snapshot_age: what is known now was told. */
void snapshot_age(struct snapshot *snapshot);

/* ------------------------------------------------------------------ coros.c */

/* snapshot_page_find: the page with this key, by looking; 0: there is none. */
uint32_t snapshot_page_find(struct snapshot *snapshot, uint64_t key);

static inline uint64_t snapshot_key(uint32_t segment, uint64_t id)
{
	return (uint64_t)segment << SNAPSHOT_ID_BITS | id;
}

/* snapshot_coro_find, snapshot_coro_make: by id. 0: not known; no room for it. */
static inline uint32_t snapshot_coro_find(struct snapshot *snapshot, uint32_t segment, uint64_t id)
{
	uint64_t key = snapshot_key(segment, id) / SNAPSHOT_PAGE;
	uint32_t page = snapshot->recent[key % SNAPSHOT_RECENT];

	/* Rule P-13 hands out ids from 1: one with more bits than that is no coroutine's. */
	if (id >> SNAPSHOT_ID_BITS || segment >= SNAPSHOT_SEGMENTS)
		return 0;
	if (snapshot->pages.at[page].key != key)
		page = snapshot_page_find(snapshot, key);
	return snapshot->pages.at[page].coro[id % SNAPSHOT_PAGE];
}

uint32_t snapshot_coro_make(struct snapshot *snapshot, uint32_t segment, uint64_t id);
void snapshot_coro_forget(struct snapshot *snapshot, uint32_t coro);

#define SNAPSHOT_ROW 128u /* records that are looked at before they are folded */

/*
 * snapshot_look_ahead: the coroutine that each record of a row is about, most likely; 0: none, or not known. Most of
 * very many coroutines lie far from the processor: all of a row are asked for at once.
 */
void snapshot_look_ahead(struct snapshot *snapshot, uint32_t segment,
	const struct ctp_record *records, size_t count, uint32_t *ret_coros);

#define SNAPSHOT_KIND(kind) (UINT64_C(1) << (kind))

/*
 * The kinds that a chain may hold. Some are known without a look at it; the last bit stands for all others.
 */
enum {
	SNAPSHOT_HOLDS_DETAIL = 1,
	SNAPSHOT_HOLDS_CANCEL = 2,
	SNAPSHOT_HOLDS_OTHER = 4,
	SNAPSHOT_HOLDS_SEVERAL = 8, /* of one of these kinds, maybe */
	SNAPSHOT_HOLDS_ALL = 15,
};

static inline uint8_t snapshot_holds(uint64_t kinds)
{
	return (kinds & SNAPSHOT_KIND(CTP_KIND_DETAIL) ? SNAPSHOT_HOLDS_DETAIL : 0) |
	       (kinds & SNAPSHOT_KIND(CTP_KIND_CANCEL) ? SNAPSHOT_HOLDS_CANCEL : 0) |
	       (kinds & ~(SNAPSHOT_KIND(CTP_KIND_DETAIL) | SNAPSHOT_KIND(CTP_KIND_CANCEL))
			       ? SNAPSHOT_HOLDS_OTHER
			       : 0);
}

/*
 * snapshot_coro_drop: frees its facts of these kinds (SNAPSHOT_KIND) and this object (0: any) up to a time.
 * snapshot_coro_add: chains a fact; false: no room. snapshot_coro_unlink: takes a fact out of the chain and frees it,
 * given where the number of it stands. snapshot_coro_pair: its fact of either kind about this object; 0: none.
 * snapshot_coro_has: does it have any of this kind?
 */
void snapshot_coro_drop_any(
	struct snapshot *snapshot, uint32_t coro, uint64_t kinds, uint64_t object, uint64_t until);
bool snapshot_coro_add(
	struct snapshot *snapshot, uint32_t coro, uint32_t origin, const struct ctp_record *record);
void snapshot_coro_unlink(struct snapshot *snapshot, uint32_t coro, uint32_t *link);
uint32_t snapshot_coro_pair(const struct snapshot *snapshot, uint32_t coro, unsigned begin,
	unsigned end, uint64_t object);
bool snapshot_coro_has(
	const struct snapshot *snapshot, const struct snapshot_coro *coro, unsigned kind);

static inline void snapshot_coro_drop(
	struct snapshot *snapshot, uint32_t coro, uint64_t kinds, uint64_t object, uint64_t until)
{
	if (snapshot->coros.at[coro].holds & snapshot_holds(kinds))
		snapshot_coro_drop_any(snapshot, coro, kinds, object, until);
}

/* snapshot_coro_drop_details: those of its present state. Mostly there is one, the fact that came last. */
static inline void snapshot_coro_drop_details(struct snapshot *snapshot, uint32_t index)
{
	struct snapshot_coro *coro = &snapshot->coros.at[index];
	uint32_t fact = coro->facts;

	if (!(coro->holds & SNAPSHOT_HOLDS_DETAIL))
		return;
	if (coro->holds & SNAPSHOT_HOLDS_SEVERAL ||
		snapshot_kind(&snapshot->facts.at[fact]) != CTP_KIND_DETAIL) {
		snapshot_coro_drop_any(
			snapshot, index, SNAPSHOT_KIND(CTP_KIND_DETAIL), 0, UINT64_MAX);
		return;
	}
	coro->facts = snapshot->facts.at[fact].next;
	coro->nr_facts--;
	coro->holds &= SNAPSHOT_HOLDS_ALL & ~SNAPSHOT_HOLDS_DETAIL;
	snapshot_fact_free(snapshot, fact);
}

/* snapshot_slot_drop: the wake or queue that this place names, up to a time. */
static inline void snapshot_slot_drop(struct snapshot *snapshot, uint32_t *slot, uint64_t until)
{
	if (!*slot || snapshot->facts.at[*slot].record.time > until)
		return;
	snapshot_fact_free(snapshot, *slot);
	*slot = 0;
}

/* snapshot_slot_set: the record is the last of its kind, unless a later one is known. False: no room. */
static inline bool snapshot_slot_set(
	struct snapshot *snapshot, uint32_t *slot, uint32_t origin, const struct ctp_record *record)
{
	if (*slot) {
		snapshot_fact_replace(snapshot, *slot, origin, record);
		return true;
	}
	*slot = snapshot_fact_new(snapshot, origin, record);
	if (*slot)
		snapshot_fact_remember(snapshot, origin, *slot);
	return *slot != 0;
}

/* snapshot_coro_frame: the record of its frame, where that stands with its birth; false: it does not. */
bool snapshot_coro_frame(
	const struct snapshot *snapshot, uint32_t coro, struct ctp_record *ret_record);

/* snapshot_coro_woken: was it woken or queued since its present state, and when? False: it was not. */
bool snapshot_coro_woken(const struct snapshot *snapshot, uint32_t coro, uint64_t *ret_time);

/* snapshot_coro_bury: it was destroyed; what it left behind is forgotten when the graves are full. */
bool snapshot_coro_bury(struct snapshot *snapshot, uint32_t coro);

#endif
