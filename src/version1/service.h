/* SPDX-License-Identifier: MIT */
/*
 * Version 1, served: the channel, the probes that have connected to it, the stations, and the sleep.
 *
 * A probe connects once; its process is taken up then, and its end is noticed like any other's. While the
 * engine is busy the flag in the shared memory is 0 and no probe makes a system call; before it waits, the
 * flag is set, the stations are looked at once more, and the first probe that finds it set sends a byte.
 * Nothing here waits.
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
#define SERVICE_STATIONS 1000000u /* where nobody asked for a number: the file is sparse */

#define SERVICE_NOTE_BYTES 512u

struct service {
	char memory_note
		[SERVICE_NOTE_BYTES]; /* "" where the names that were asked for could be had */
	char socket_note[SERVICE_NOTE_BYTES];
	char room_note[SERVICE_NOTE_BYTES]; /* of coroutines that found no station */
	struct version1_engine engine;
	struct channel channel; /* its base is NULL: version 1 is not served */
	bool was_cut;           /* its file was shortened: it is served no longer */
	struct stations stations;
	struct station_trace trace;
	int peers[SERVICE_PEERS]; /* -1: none */
	uint64_t told_untraced;
	uint64_t told_impossible;
	uint64_t settled_ns;
	uint64_t scanned_ns; /* when the last scan began */
	uint64_t slept_ns;   /* likewise, of that before the last sleep */
	uint64_t quiet_ns;   /* after so long nothing more is expected at once */
	uint32_t nr_in_vain; /* harvests in a row that waited so long for nothing */
};

/* version1_service_init: version 1 is not served. */
void version1_service_init(struct service *service);

/*
 * version1_service_open: opens the channel, and has the engine's wait watch it. With 0 stations there are as many as
 * there is room for. Where nothing was asked for, what fails is no failure: nothing is served then.
 */
enum ct_status version1_service_open(struct service *service, const struct version1_engine *engine,
	const struct channel_options *options, struct ct_error *reterr);

/*
 * version1_service_listen: takes the bytes that probes have sent to wake the engine, and forgets who has left.
 * version1_service_arrivals: this, and takes up who has connected.
 */
void version1_service_listen(struct service *service);
void version1_service_arrivals(struct service *service);

/* version1_service_scan: looks at every live station. Returns how many events there were. */
uint64_t version1_service_scan(struct service *service, bool is_thorough);

/* What a harvest has come to. */
enum harvest {
	HARVEST_NOTHING,
	HARVEST_IS_QUIET, /* there were events, and nothing follows at once */
	HARVEST_GOES_ON,
};

/*
 * version1_service_harvest: looks at every live station; where there is something new, again and again until there
 * was nothing for 20 us, for a millisecond at most: eight events are all that a station holds. Where a program is
 * silent for longer, that wait becomes shorter, down to 2 us.
 */
enum harvest version1_service_harvest(struct service *service);

/* version1_service_sleep: before a wait. True: nothing came meanwhile, and probes will say when something does. */
bool version1_service_sleep(struct service *service);

/* version1_service_has_peers: is a probe of version 1 connected? */
bool version1_service_has_peers(const struct service *service);

/* version1_service_wake: after the wait. */
void version1_service_wake(struct service *service);

/* version1_service_settle: looks at dead stations, too, and tells of losses since the last time. */
void version1_service_settle(struct service *service);

/* version1_service_last: the last look, for the sake of one process that is about to be forgotten. */
void version1_service_last(struct service *service, struct process *process);

/* version1_service_close: removes what was made. */
void version1_service_close(struct service *service);

#endif
