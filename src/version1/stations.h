/* SPDX-License-Identifier: MIT */
/*
 * Scanning the stations of version 1: every coroutine's events in the order in which it had them, and an
 * exact count of those that are gone.
 *
 * One scan looks at every live station once: two cache lines where nothing is new. A station that is dead and empty is
 * looked at again only by a thorough scan. Events are told to a consumer, station by station. The shared memory is
 * believed nothing (version1.h).
 *
 * At every moment, for every station: the number of the next event = events told + events told as gone
 * (and nr_gone, not yet told) + events told as impossible.
 */
#ifndef VERSION1_STATIONS_H
#define VERSION1_STATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "version1/guard.h"
#include "base/vec.h"
#include "version1/version1.h"

/* The reader's side of one station. */
struct station {
	struct version1_identity identity; /* of the coroutine that is told of at present */
	enum version1_discipline discipline;
	bool is_born; /* it was told of */
	bool has_ended;
	uint64_t next;       /* number of the event that comes next */
	uint64_t gone_first; /* number of the first event that is gone and not told as such */
	uint64_t nr_gone;    /* how many those are */
	uint64_t last_ns;    /* time of the last event that was told, or of the birth */

	/* the consumer's; what follows the key is zeroed before each birth */
	uint32_t owner;
	uint32_t lane;  /* that has its last record */
	uint64_t place; /* of that record */
	uint64_t key;   /* what its records are sorted by */
	uint64_t coro;
	uint64_t addr; /* what it told when it suspended last */
	uint32_t site; /* likewise, where that is code; else 0 */
};

enum stations_what {
	STATIONS_BORN,       /* a coroutine has the station: before its first event */
	STATIONS_EVENT,      /* `event` */
	STATIONS_GONE,       /* `count` events from number `first` on were overwritten unread */
	STATIONS_IMPOSSIBLE, /* an event that cannot be true: counted, and nothing more */
	STATIONS_ENDED,      /* the coroutine was destroyed, or another one has its station */
};

struct stations_news {
	enum stations_what what;
	/* of BORN, GONE: the one that follows; NULL: none did */
	const struct version1_event *event;
	uint64_t first;
	uint64_t count;
};

struct stations_consumer {
	void *context;
	void (*take)(void *context, struct station *station, const struct stations_news *news);
};

/* Zeroed, with `base` and `max_stations` set, it is ready. */
struct stations {
	void *base;
	const struct guard *guard; /* of what `base` maps; NULL: none */
	uint32_t max_stations;
	uint64_t from_ns;  /* a time before it cannot be true */
	uint64_t until_ns; /* nor can one behind it; the owner advances it */
	uint64_t alive_ns; /* when the scan before began: who is found dead lived then */
	VEC(struct station) all;
	VEC(uint32_t) live;   /* those that a scan looks at */
	uint64_t nr_untraced; /* coroutines that found no station, ever growing */
};

/*
 * version1_stations_take_up: takes up what was allocated since the last time, for the next scan; true where there is
 * any. Where there is no memory for them, a later one takes them up.
 */
bool version1_stations_take_up(struct stations *stations);

/*
 * version1_stations_scan: tells what is new in those that were taken up. `is_thorough`: in dead stations, too. Returns
 * how many events there were, those that are gone among them.
 */
uint64_t version1_stations_scan(
	struct stations *stations, const struct stations_consumer *consumer, bool is_thorough);

/* version1_stations_finish: tells what is gone at the end, with no event behind it. After the last scan. */
void version1_stations_finish(struct stations *stations, const struct stations_consumer *consumer);

/* version1_stations_fini: gives the memory back; the mapping is the caller's. */
void version1_stations_fini(struct stations *stations);

#endif
