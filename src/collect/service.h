/* SPDX-License-Identifier: MIT */
/*
 * Version 1, served: the channel, the probes that have connected to it, the stations, and the sleep.
 *
 * A probe connects once; its process is taken up then, and its end is noticed like any other's. While the
 * engine is busy the flag in the shared memory is 0 and no probe makes a system call; before it waits, the
 * flag is set, the stations are looked at once more, and the first probe that finds it set sends a byte.
 * Nothing here waits.
 */
#ifndef COLLECT_SERVICE_H
#define COLLECT_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/channel.h"
#include "collect/station_trace.h"
#include "collect/stations.h"

#define SERVICE_PEERS 64
#define SERVICE_STATIONS 1000000u /* where nobody asked for a number: the file is sparse */

struct collect;
struct collect_options;
struct process;

#define SERVICE_NOTE_BYTES 512u

struct service {
	char memory_note
		[SERVICE_NOTE_BYTES]; /* "" where the names that were asked for could be had */
	char socket_note[SERVICE_NOTE_BYTES];
	char room_note[SERVICE_NOTE_BYTES]; /* of coroutines that found no station */
	struct channel channel;             /* its base is NULL: version 1 is not served */
	bool was_cut;                       /* its file was shortened: it is served no longer */
	struct stations stations;
	struct station_trace trace;
	int peers[SERVICE_PEERS]; /* -1: none */
	uint64_t told_untraced;
	uint64_t told_impossible;
	uint64_t settled_ns;
	uint64_t scanned_ns; /* when the last scan began */
};

/* collect_service_init: version 1 is not served. */
void collect_service_init(struct service *service);

/* collect_service_open: opens the channel, and has collect->waiting watch it. */
enum ct_status collect_service_open(
	struct collect *collect, const struct collect_options *options, struct ct_error *reterr);

/* collect_service_arrivals: takes up who has connected, and forgets who has left. */
void collect_service_arrivals(struct collect *collect);

/* collect_service_scan: looks at every live station. Returns how many events there were. */
uint64_t collect_service_scan(struct collect *collect, bool is_thorough);

/*
 * collect_service_harvest: looks at every live station; where there is something new, again and again until there
 * was nothing for 20 us, for a millisecond at most: eight events are all that a station holds. Returns
 * how many events there were.
 */
uint64_t collect_service_harvest(struct collect *collect);

/* collect_service_sleep: before a wait. True: nothing came meanwhile, and probes will say when something does. */
bool collect_service_sleep(struct collect *collect);

/* collect_service_has_peers: is a probe of version 1 connected? */
bool collect_service_has_peers(const struct service *service);

/* collect_service_wake: after the wait. */
void collect_service_wake(struct collect *collect);

/* collect_service_settle: looks at dead stations, too, and tells of losses since the last time. */
void collect_service_settle(struct collect *collect);

/* collect_service_last: the last look, for the sake of one process that is about to be forgotten. */
void collect_service_last(struct collect *collect, struct process *process);

/* collect_service_close: removes what was made. */
void collect_service_close(struct service *service);

#endif
