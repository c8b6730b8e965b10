/* SPDX-License-Identifier: MIT */
/*
 * Scans the stations of version 1: returns every coroutine's events in their order, and an exact count of the lost
 * ones.
 *
 * A scan looks at every live station once, which takes two cache lines if there is no new event. A station that is dead
 * and empty is looked at again only by a thorough scan. Events are passed to a consumer, station by station. The shared
 * memory is not trusted (version1.h).
 *
 * At any time, for every station: the number of the next event = events reported + events reported as gone (and
 * nr_gone, not reported yet) + events reported as impossible.
 */
#ifndef VERSION1_STATIONS_H
#define VERSION1_STATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "version1/guard.h"
#include "base/vec.h"
#include "version1/version1.h"

/* The reader's state of one station. */
struct station {
	struct version1_identity identity; /* of the present coroutine */
	enum version1_discipline discipline;
	bool is_born; /* its birth was reported */
	bool has_ended;
	uint64_t next;       /* number of the next event */
	uint64_t gone_first; /* number of the first event that is gone and not reported as such */
	uint64_t nr_gone;    /* how many of them there are */
	uint64_t last_ns;    /* time of the last event that was reported, or of the birth */

	/* The consumer's. The members after the key are zeroed before each birth. */
	uint32_t owner;
	uint32_t lane;  /* the lane of its last record */
	uint64_t place; /* the place of that record */
	uint64_t key;   /* the key by which its records are sorted */
	uint64_t coro;
	uint64_t addr; /* the address in its last suspend */
	uint32_t site; /* the site of that address if it is code; else 0 */
};

enum stations_what {
	STATIONS_BORN,  /* a coroutine has the station; comes before its first event */
	STATIONS_EVENT, /* `event` */
	/* `count` events from number `first` on were overwritten before they were read */
	STATIONS_GONE,
	STATIONS_IMPOSSIBLE, /* an event that cannot be true; only counted */
	STATIONS_ENDED,      /* the coroutine was destroyed, or another one has its station */
};

struct stations_news {
	enum stations_what what;
	/* of BORN, GONE: the event that follows; NULL: none */
	const struct version1_event *event;
	uint64_t first;
	uint64_t count;
};

struct stations_consumer {
	void *context;
	void (*take)(void *context, struct station *station, const struct stations_news *news);
};

/* A zeroed struct with `base` and `max_stations` set is ready for use. */
struct stations {
	void *base;
	const struct guard *guard; /* of the mapping at `base`; NULL: none */
	uint32_t max_stations;
	uint64_t from_ns;  /* an earlier time cannot be true */
	uint64_t until_ns; /* nor can a later time; the owner advances it */
	/* when the previous scan began: a coroutine found dead now was alive then */
	uint64_t alive_ns;
	VEC(struct station) all;
	VEC(uint32_t) live;   /* the stations that a scan looks at */
	uint64_t nr_untraced; /* coroutines that found no station; never decreases */
};

/*
 * version1_stations_take_up: adds the stations that were allocated since the last call to the next scan; true if there
 * are any. If memory is out, a later call adds them.
 */
bool version1_stations_take_up(struct stations *stations);

/*
 * version1_stations_scan: reports the new events of the stations that were added. `is_thorough`: of dead stations, too.
 * Returns the number of events, including those that are gone.
 */
uint64_t version1_stations_scan(
	struct stations *stations, const struct stations_consumer *consumer, bool is_thorough);

/*
 * version1_stations_finish: reports events that are gone at the end, with no event after them. Must be called after the
 * last scan.
 */
void version1_stations_finish(struct stations *stations, const struct stations_consumer *consumer);

/* version1_stations_fini: frees the memory; the mapping is the caller's. */
void version1_stations_fini(struct stations *stations);

#endif
