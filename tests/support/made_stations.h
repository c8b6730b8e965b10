/* SPDX-License-Identifier: MIT */
/*
 * Stations of version 1 made by hand, for tests: a writer in either discipline that can stop between any two of its
 * stores, and a consumer that keeps the news of a scan.
 */
#ifndef TESTS_MADE_STATIONS_H
#define TESTS_MADE_STATIONS_H

#include <stdlib.h>
#include <string.h>

#include "version1/stations.h"
#include "base/vec.h"

#define MADE_STATIONS 4u
#define MADE_STORES 6 /* the stores of one event: mark, time, thread, address, activity, number */

struct made_told {
	uint32_t station;
	enum stations_what what;
	struct version1_event event;
	uint64_t first;
	uint64_t count;
};

struct made_stations {
	void *base;
	struct stations stations;
	VEC(struct made_told) told;
};

static inline struct version1_station *made_station(struct made_stations *made, uint32_t index)
{
	return (struct version1_station *)made->base + 1 + index;
}

static inline void made_take(
	void *context, struct station *station, const struct stations_news *news)
{
	struct made_stations *made = (struct made_stations *)context;
	struct made_told told = {.station = (uint32_t)(station - made->stations.all.at),
		.what = news->what,
		.first = news->first,
		.count = news->count};

	if (news->event)
		told.event = *news->event;
	if (!vec_push(&made->told, told))
		abort();
}

static inline void made_open(struct made_stations *made)
{
	memset(made, 0, sizeof(*made));
	made->base = aligned_alloc(4096, version1_bytes(MADE_STATIONS - 1));
	if (!made->base)
		abort();
	memset(made->base, 0, version1_bytes(MADE_STATIONS - 1));
	version1_format(made->base, MADE_STATIONS - 1);
	made->stations.base = made->base;
	made->stations.max_stations = MADE_STATIONS - 1;
	made->stations.from_ns = 1000;
	made->stations.until_ns = 1000000;
}

static inline void made_close(struct made_stations *made)
{
	version1_stations_fini(&made->stations);
	vec_fini(&made->told);
	free(made->base);
}

static inline uint64_t made_scan(struct made_stations *made, bool is_thorough)
{
	const struct stations_consumer consumer = {made, made_take};

	version1_stations_take_up(&made->stations);
	return version1_stations_scan(&made->stations, &consumer, is_thorough);
}

static inline void made_finish(struct made_stations *made)
{
	const struct stations_consumer consumer = {made, made_take};

	version1_stations_finish(&made->stations, &consumer);
}

static inline void made_allocate(struct made_stations *made, uint64_t probe_id)
{
	struct version1_header *header = (struct version1_header *)made->base;
	struct version1_station *station = made_station(made, header->allocated_count++);

	station->probe_id = probe_id;
	station->birth_ts = 2000;
}

/* Makes one store of event `number`: odd events are resumes; the thread is 7, the time 3000 + 10 * number. */
static inline void made_store(struct made_stations *made, uint32_t index,
	enum version1_discipline discipline, uint64_t number, int store)
{
	bool is_lock = discipline == VERSION1_SEQUENCE_LOCK;
	struct version1_slot *slot = &made_station(made, index)->slots[(number + !is_lock) % 8];

	switch (store) {
	case 0:
		slot->seq = is_lock ? number / 8 * 2 + 1 : slot->seq;
		break;
	case 1:
		slot->timestamp = 3000 + 10 * number;
		break;
	case 2:
		slot->tid = 7;
		break;
	case 3:
		slot->addr = 0x1000 + number;
		break;
	case 4:
		slot->is_active = number % 2;
		break;
	default:
		slot->seq = is_lock ? number / 8 * 2 + 2 : number + 1;
		break;
	}
}

static inline void made_write(struct made_stations *made, uint32_t index,
	enum version1_discipline discipline, uint64_t number)
{
	int i;

	for (i = 0; i < MADE_STORES; i++)
		made_store(made, index, discipline, number, i);
}

#endif
