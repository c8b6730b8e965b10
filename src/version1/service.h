/* SPDX-License-Identifier: MIT */
/*
 * Serves version 1: the channel, the connected probes, the stations, and the engine's sleep.
 *
 * A probe connects once; its process is traced from then on, and its end is noticed like that of any process. While the
 * engine is busy, the flag in the shared memory is 0 and no probe makes a system call. Before the engine waits, it sets
 * the flag and scans the stations once more; the first probe that finds the flag set sends a byte. No function here
 * waits.
 */
#ifndef VERSION1_SERVICE_H
#define VERSION1_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "version1/channel.h"
#include "version1/station_trace.h"
#include "version1/stations.h"

#define SERVICE_PEERS 64
#define SERVICE_STATIONS 1000000u /* if no number was requested: the file is sparse */

#define SERVICE_NOTE_BYTES 512u

struct service {
	char memory_note
		[SERVICE_NOTE_BYTES]; /* why the names that were requested could not be used; "": no reason */
	char socket_note[SERVICE_NOTE_BYTES];
	char room_note[SERVICE_NOTE_BYTES]; /* about coroutines that found no station */
	struct version1_engine engine;
	struct channel channel; /* its base is NULL if version 1 is not served */
	bool was_cut;           /* the file was shortened: version 1 is no longer served */
	struct stations stations;
	struct station_trace trace;
	int peers[SERVICE_PEERS]; /* -1: none */
	uint64_t told_untraced;
	uint64_t told_impossible;
	uint64_t settled_ns;
	uint64_t scanned_ns; /* when the last scan began */
	uint64_t slept_ns;   /* when the last scan before the last sleep began */
	/* after this time without an event, no further event is expected soon */
	uint64_t quiet_ns;
	uint32_t nr_in_vain; /* number of successive harvests that waited that long in vain */
};

/* version1_service_init: initialises a service that does not serve version 1. */
void version1_service_init(struct service *service);

/*
 * version1_service_open: opens the channel and makes the engine's wait watch it. 0 stations: as many as there is room
 * for. If neither names nor a number were requested, a failure is not reported: version 1 is then not served.
 */
enum ct_status version1_service_open(struct service *service, const struct version1_engine *engine,
	const struct channel_options *options, struct ct_error *reterr);

/*
 * version1_service_listen: takes the bytes that probes have sent to wake the engine, and forgets probes that have left.
 * version1_service_arrivals: does the same, and takes up new probes.
 */
void version1_service_listen(struct service *service);
void version1_service_arrivals(struct service *service);

/* version1_service_scan: scans every live station. Returns the number of events. */
uint64_t version1_service_scan(struct service *service, bool is_thorough);

/* The result of a harvest. */
enum harvest {
	HARVEST_NOTHING,
	HARVEST_IS_QUIET, /* there were events, and no further event is expected soon */
	HARVEST_GOES_ON,
};

/*
 * version1_service_harvest: scans every live station. If there are events, scans again and again until none has come
 * for 20 us, but for at most a millisecond, because a station holds only eight events. If a program is silent for
 * longer, that wait becomes shorter, down to 2 us.
 */
enum harvest version1_service_harvest(struct service *service);

/*
 * version1_service_sleep: must be called before a wait. True: no event has come in the meantime, and probes will wake
 * the engine.
 */
bool version1_service_sleep(struct service *service);

/* version1_service_has_peers: is a probe of version 1 connected? */
bool version1_service_has_peers(const struct service *service);

/* version1_service_wake: must be called after the wait. */
void version1_service_wake(struct service *service);

/* version1_service_settle: scans dead stations, too, and reports losses since the last time. */
void version1_service_settle(struct service *service);

/* version1_service_last: scans for the last time before a process is forgotten. */
void version1_service_last(struct service *service, struct process *process);

/* version1_service_close: removes everything that was made. */
void version1_service_close(struct service *service);

#endif
