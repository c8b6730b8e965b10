/* SPDX-License-Identifier: MIT */
/*
 * What the snapshot knows: coroutines and facts. Private to src/snapshot.
 *
 * A coroutine's present state lies in its own 64 bytes, its creation and frame in 24 bytes elsewhere, because there may
 * be millions of coroutines. Everything else is a fact: a record that still counts. Facts of a coroutine (a lock that
 * it holds) are chained to the coroutine and end with it. Its last wake and its queue, which change all the time, are
 * not in the chain: the coroutine has their indexes. Other facts (a descriptor was closed, a worker is parked) are
 * found by a key. Index 0 of every array means none.
 */
#ifndef SNAPSHOT_KNOWN_H
#define SNAPSHOT_KNOWN_H

#include <assert.h>

#include "base/map.h"
#include "snapshot/snapshot.h"
#include "base/vec.h"

#define SNAPSHOT_BYTES (UINT64_C(512) << 20) /* for coroutines, their pages, and facts */
#define SNAPSHOT_COROS (1u << 24)            /* at a time, 88 bytes each, and 4 to 100 of pages */
#define SNAPSHOT_FACTS (1u << 23)            /* at a time, 48 bytes each */
#define SNAPSHOT_KEYS (1u << 20)             /* facts that are found by a key */
#define SNAPSHOT_CHAIN 64u                   /* most facts of one coroutine, details of one fact */
#define SNAPSHOT_NESTED 8u                   /* greatest depth of nested regions of one name */
#define SNAPSHOT_SEGMENTS (1u << 16)
/* coroutines destroyed lately, for which late records change nothing */
#define SNAPSHOT_GRAVES 65536u
#define SNAPSHOT_ORIGINS (1u << 24) /* a stream together with one of its threads */
#define SNAPSHOT_PAGE 16u           /* coroutines with neighbouring ids */
#define SNAPSHOT_RECENT 4096u       /* pages */
/* with at most this many coroutines, they lie near the processor */
#define SNAPSHOT_NEAR 4096u
#define SNAPSHOT_FAR 16384u /* with at least this many pages, they lie far from it */
#define SNAPSHOT_GRAVES_TOLD 4096u

struct snapshot_coro {
	uint64_t key;   /* segment << 48 | id; 0: the slot is free, `facts` is the next free slot */
	uint64_t since; /* of the record of its state: time, object, tail */
	uint64_t object;
	uint64_t tail;
	uint64_t created_object;
	uint32_t created_site;
	uint32_t created_origin : 24; /* 0: its creation was not seen */
	uint32_t nr_facts : 8;        /* number of facts in its chain */
	uint32_t origin : 24;         /* 0: nothing but its creation was seen */
	uint32_t holds : 8;           /* SNAPSHOT_HOLDS_...: the kinds that may be in its chain */
	uint32_t facts;               /* first fact of the chain */
	uint32_t wake;                /* last wake that no resume has used up */
	uint32_t queue;               /* the queue in which it lies */
};

static_assert(sizeof(struct snapshot_coro) == 64, "a coroutine's cache line");

/*
 * A coroutine's beginning. The frame is stored here if its record came from the same origin, soon after the creation;
 * otherwise the frame is a fact.
 */
struct snapshot_birth {
	uint64_t time;
	uint64_t frame;
	uint32_t frame_site;
	uint32_t frame_after; /* time after the creation; SNAPSHOT_NO_FRAME: there is none here */
};

#define SNAPSHOT_NO_FRAME UINT32_MAX

/*
 * The coroutines with neighbouring ids. Ids are given out one after the other, so most pages are full: a coroutine is
 * found through 4 to 5 bytes of its own, and neighbours share the cache lines.
 */
struct snapshot_page {
	uint64_t key; /* key of its coroutines, without the last bits; SNAPSHOT_NO_PAGE: free */
	uint32_t coro[SNAPSHOT_PAGE];
};

#define SNAPSHOT_NO_PAGE UINT64_MAX

struct snapshot_fact {
	struct ctp_record record;
	uint32_t origin; /* 0: the slot is free */
	uint32_t next;   /* next in the chain, or next free slot */
	uint32_t detail; /* a fact that is a detail of this one */
	uint32_t is_old; /* it was known when the snapshot was last handed out */
};

/* An origin, and the fact that its last record became: a detail that follows belongs to that fact. */
struct snapshot_source {
	struct snapshot_origin origin;
	uint32_t last_fact; /* 0: the last record is not kept as a fact */
	/* time of that fact or state, whose slot may have been reused since */
	uint64_t last_time;
	/* if last_fact is 0: the coroutine whose state the record became; 0: none */
	uint32_t last_coro;
	uint64_t last_key;
	uint32_t group;       /* first origin of the same stream */
	uint32_t nr_regions;  /* number of open regions of that name */
	uint64_t last_region; /* the last region that began or ended */
};

/* A reference to something that is to be handed out. */
struct snapshot_reference {
	uint64_t place; /* time of the record to which it belongs */
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
	uint64_t nr_gathered; /* references gathered so far */
	uint64_t first;       /* time of the first and the last */
	uint64_t last;
	uint64_t from; /* the present stretch of time */
	uint64_t until;
	/* number in each share of the time; NULL: one stretch has everything */
	uint32_t *nr_by_time;
	unsigned shift; /* duration of a share, as a number of bits */
	size_t next_share;
	struct snapshot_references references; /* references of the present stretch */
	struct snapshot_references sorted;
	size_t next; /* the next reference */
	VEC(struct snapshot_record) told;
};

struct snapshot {
	VEC(struct snapshot_source) sources;
	struct map source_at;
	struct map stream_at; /* maps a stream to its first origin */

	uint64_t max_bytes;
	size_t max_coros;
	size_t max_facts;
	VEC(struct snapshot_coro) coros;
	VEC(struct snapshot_birth) births; /* the birth of the coroutine at the same index */
	uint64_t nr_coros;                 /* number of slots in use */
	uint32_t free_coro;
	VEC(struct snapshot_page) pages;
	struct map page_at;               /* maps a key to a page */
	uint32_t recent[SNAPSHOT_RECENT]; /* pages found lately; valid if the key matches */
	uint32_t free_page;               /* its first coroutine is the next free page */
	uint64_t nr_live;
	uint64_t most_live; /* most live coroutines at a time, since the last query */
	/* a circle of SNAPSHOT_GRAVES destroyed coroutines; NULL: none so far */
	uint32_t *graves;
	uint64_t nr_graves;        /* destroyed coroutines, ever */
	uint64_t nr_graves_before; /* nr_graves at the last beat */

	VEC(struct snapshot_fact) facts;
	struct map fact_at; /* maps a key to a fact */
	uint32_t free_fact;
	uint64_t nr_facts;
	uint64_t nr_forgotten;

	struct map site_named; /* maps segment and name to the first site of that name */
	/* maps segment and site to the first site of its name, if that is another site */
	struct map named_as;

	struct snapshot_telling telling;
	struct snapshot_observer observer;
};

/* `object` of the state of a coroutine that a switch entered. */
#define SNAPSHOT_ENTERED 1u

/* bits of a coroutine's id in its segment: longer ids cannot be true (F-35) */
#define SNAPSHOT_ID_BITS 48
#define SNAPSHOT_ID_MASK ((UINT64_C(1) << SNAPSHOT_ID_BITS) - 1)

static inline uint64_t snapshot_id(const struct snapshot_coro *coro)
{
	return coro->key & SNAPSHOT_ID_MASK;
}

/* Returns the kind of the record of its state; 0: nothing but its creation was seen. */
static inline uint8_t snapshot_state(const struct snapshot_coro *coro)
{
	return CTP_TAIL_KIND(coro->tail);
}

static inline uint8_t snapshot_kind(const struct snapshot_fact *fact)
{
	return CTP_TAIL_KIND(fact->record.tail);
}

/* snapshot_has_room: returns whether there is room for nr_bytes more. */
static inline bool snapshot_has_room(const struct snapshot *snapshot, uint64_t nr_bytes)
{
	return snapshot_nr_bytes(snapshot) + nr_bytes <= snapshot->max_bytes;
}

/*
 * snapshot_put_bytes: returns the memory that one more key in a map takes: at times the map is rebuilt, twice as large.
 */
static inline uint64_t snapshot_put_bytes(const struct map *map)
{
	return map->count + 1 > map->capacity / 4 * 3 ? map->capacity * 2 * sizeof(*map->entries)
						      : 0;
}

/* ------------------------------------------------------------------ facts.c */

/* snapshot_fact_more: returns a slot that was never used; 0: no room, or out of memory. */
uint32_t snapshot_fact_more(struct snapshot *snapshot);

/*
 * snapshot_fact_new: makes a fact that is in no chain; 0: no room, or out of memory. snapshot_fact_free: frees the fact
 * and its details.
 */
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

/* snapshot_fact_remember: notes that the details that follow belong to this fact. */
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

/* snapshot_fact_replace: replaces the fact's record by this one, unless the fact's record is later. */
void snapshot_fact_replace(
	struct snapshot *snapshot, uint32_t fact, uint32_t origin, const struct ctp_record *record);

/*
 * snapshot_fact_key: returns the key of what a record of this kind is about, in this segment. Each bit of the key
 * depends on all bits of the arguments.
 */
static inline uint64_t snapshot_fact_key(uint32_t segment, unsigned kind, uint64_t about)
{
	uint64_t key = (about ^ (uint64_t)kind << 56 ^ (uint64_t)segment << 32) *
		       UINT64_C(0xbf58476d1ce4e5b9);

	key ^= key >> 31;
	key = (key + kind) * UINT64_C(0x94d049bb133111eb);
	return (key ^ key >> 29) + segment;
}

/* snapshot_fact_at: returns the fact for the key; 0: none. snapshot_fact_clear: removes the fact for the key. */
static inline uint32_t snapshot_fact_at(const struct snapshot *snapshot, uint64_t key)
{
	uint32_t fact = 0;

	map_get(&snapshot->fact_at, key, &fact);
	return fact;
}

void snapshot_fact_clear(struct snapshot *snapshot, uint64_t key);

/*
 * snapshot_fact_set: makes this record the fact for the key, unless a later one is known; `known` is the present fact.
 * Returns false if there is no room. snapshot_fact_make: the same for a key without a fact.
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

/* snapshot_fact_detail: adds a detail to a fact, after its earlier details. Returns false if there is no room. */
bool snapshot_fact_detail(
	struct snapshot *snapshot, uint32_t fact, uint32_t origin, const struct ctp_record *record);

/* snapshot_first_named: returns the first site of the segment that has this site's name. */
uint32_t snapshot_first_named(const struct snapshot *snapshot, uint32_t segment, uint32_t site);

/* ------------------------------------------------------------------ forget.c */

/*
 * snapshot_forget_past: forgets facts that nobody can ask for any more. Returns false if out of memory; not all of them
 * are forgotten then.
 */
bool snapshot_forget_past(struct snapshot *snapshot);

/* snapshot_age: marks everything that is known as handed out before. */
void snapshot_age(struct snapshot *snapshot);

/* ------------------------------------------------------------------ coros.c */

/* snapshot_page_find: searches for the page with this key; 0: there is none. */
uint32_t snapshot_page_find(struct snapshot *snapshot, uint64_t key);

static inline uint64_t snapshot_key(uint32_t segment, uint64_t id)
{
	return (uint64_t)segment << SNAPSHOT_ID_BITS | id;
}

/* snapshot_coro_find, snapshot_coro_make: find or make a coroutine by id. 0: not known; or no room for it. */
static inline uint32_t snapshot_coro_find(struct snapshot *snapshot, uint32_t segment, uint64_t id)
{
	uint64_t key = snapshot_key(segment, id) / SNAPSHOT_PAGE;
	uint32_t page = snapshot->recent[key % SNAPSHOT_RECENT];

	/* Rule P-13 gives out ids from 1 on: an id with more bits is not a coroutine's. */
	if (id >> SNAPSHOT_ID_BITS || segment >= SNAPSHOT_SEGMENTS)
		return 0;
	if (snapshot->pages.at[page].key != key)
		page = snapshot_page_find(snapshot, key);
	return snapshot->pages.at[page].coro[id % SNAPSHOT_PAGE];
}

uint32_t snapshot_coro_make(struct snapshot *snapshot, uint32_t segment, uint64_t id);
void snapshot_coro_forget(struct snapshot *snapshot, uint32_t coro);

#define SNAPSHOT_ROW 128u /* records that are looked up before they are folded */

/*
 * snapshot_look_ahead: returns the coroutine that each record of a row is most likely about; 0: none, or not known.
 * Most of very many coroutines lie far from the processor: those of a whole row are prefetched at the same time.
 */
void snapshot_look_ahead(struct snapshot *snapshot, uint32_t segment,
	const struct ctp_record *records, size_t count, uint32_t *ret_coros);

#define SNAPSHOT_KIND(kind) (UINT64_C(1) << (kind))

/*
 * The kinds that a chain may contain. Some kinds are known without a look at the chain; OTHER stands for all other
 * kinds.
 */
enum {
	SNAPSHOT_HOLDS_DETAIL = 1,
	SNAPSHOT_HOLDS_CANCEL = 2,
	SNAPSHOT_HOLDS_OTHER = 4,
	SNAPSHOT_HOLDS_SEVERAL = 8, /* there may be several of one of these kinds */
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
 * snapshot_coro_drop: frees the coroutine's facts of these kinds (SNAPSHOT_KIND) and this object (0: any) up to a time.
 * snapshot_coro_add: chains a fact; false: no room. snapshot_coro_unlink: takes a fact out of the chain and frees it;
 * `link` is where its index stands. snapshot_coro_pair: returns the coroutine's fact of either kind about this object;
 * 0: none.
 * snapshot_coro_has: returns whether the coroutine has a fact of this kind.
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

/* snapshot_coro_drop_details: frees the details of the present state. Mostly there is one, the fact that came last. */
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

/* snapshot_slot_drop: frees the wake or queue in this slot, if its time is not after `until`. */
static inline void snapshot_slot_drop(struct snapshot *snapshot, uint32_t *slot, uint64_t until)
{
	if (!*slot || snapshot->facts.at[*slot].record.time > until)
		return;
	snapshot_fact_free(snapshot, *slot);
	*slot = 0;
}

/* snapshot_slot_set: sets the slot to this record, unless a later one is known. Returns false if there is no room. */
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

/*
 * snapshot_coro_frame: returns the record of the coroutine's frame, if the frame is stored with its birth; false: it is
 * not.
 */
bool snapshot_coro_frame(
	const struct snapshot *snapshot, uint32_t coro, struct ctp_record *ret_record);

/* snapshot_coro_woken: returns whether the coroutine was woken or queued since its present state began, and when. */
bool snapshot_coro_woken(const struct snapshot *snapshot, uint32_t coro, uint64_t *ret_time);

/* snapshot_coro_bury: notes that the coroutine was destroyed; its remains are forgotten when the graves are full. */
bool snapshot_coro_bury(struct snapshot *snapshot, uint32_t coro);

#endif
