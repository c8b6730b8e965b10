/* SPDX-License-Identifier: MIT */
/*
 * Stations whose writers write anything at any time. The input is a list of stores: two bytes of position, eight of
 * value; after every fourth store the reader looks. Always true must be: a station's events come in order, and the
 * numbers of events reported, gone and impossible add up to its number.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "version1/stations.h"

#define STORE_BYTES 10u
#define STATIONS 3u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

struct harness {
	struct stations stations;
	uint64_t next[STATIONS];
};

static void take(void *context, struct station *station, const struct stations_news *news)
{
	struct harness *harness = context;
	size_t index = (size_t)(station - harness->stations.all.at);

	switch (news->what) {
	case STATIONS_BORN:
		if (station->last_ns < harness->stations.from_ns ||
			station->last_ns > harness->stations.until_ns)
			abort();
		break;
	case STATIONS_EVENT:
		if (news->event->tid == 0 || news->event->is_active > 1 || !station->is_born)
			abort();
		break;
	default:
		break;
	}
	if (index >= STATIONS || news->count > (UINT64_C(1) << 52))
		abort();
	harness->next[index] += news->count;
}

static void look(struct harness *harness, bool is_thorough)
{
	const struct stations_consumer consumer = {harness, take};

	version1_stations_take_up(&harness->stations);
	version1_stations_scan(&harness->stations, &consumer, is_thorough);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	size_t size = version1_bytes(STATIONS);
	struct harness harness = {0};
	uint8_t *base = aligned_alloc(1024, size);
	size_t place;
	unsigned i;

	if (!base)
		abort();
	memset(base, 0, size);
	version1_format(base, STATIONS);
	harness.stations.base = base;
	harness.stations.max_stations = STATIONS;
	harness.stations.from_ns = 1;
	harness.stations.until_ns = UINT64_C(1) << 40;
	for (i = 0; nr_bytes >= STORE_BYTES; i++) {
		place = (size_t)(bytes[0] | bytes[1] << 8) % (size - 7);
		memcpy(base + place, bytes + 2, 8);
		bytes += STORE_BYTES;
		nr_bytes -= STORE_BYTES;
		if (i % 4 == 3)
			look(&harness, i % 16 == 15);
	}
	look(&harness, true);
	version1_stations_finish(
		&harness.stations, &(const struct stations_consumer){&harness, take});
	version1_stations_fini(&harness.stations);
	free(base);
	return 0;
}
