/* SPDX-License-Identifier: MIT */
/*
 * Turns the results of scanning stations into records, in streams of the sink.
 *
 * A coroutine of a station has the probe's number as its id if that number is new in its process and below 2^47 (for as
 * many coroutines as there are stations); else it gets a number from 2^47 on. A process has one segment for all its
 * stations, and a stream for each thread. Only time orders events of different stations, so the records of one scan are
 * sorted by time. But a reader merges streams by time, and a scan may bring records that are earlier than those of the
 * previous scan. So if the stream of a record's thread is already ahead, the record goes into the stream of its
 * coroutine's last record instead. In this way the order within each coroutine is always kept.
 */
#ifndef VERSION1_STATION_TRACE_H
#define VERSION1_STATION_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ctp.h"
#include "base/map.h"
#include "version1/engine.h"
#include "version1/stations.h"
#include "base/vec.h"

#define STATION_TRACE_OWNERS 256

/* A process whose coroutines have stations. A zeroed entry is free. */
struct station_owner {
	struct process *process; /* NULL: the process has ended */
	uint32_t segment;        /* in the trace; 0: the entry is free */
	struct map ids;          /* the probes' numbers that are in use as ids of coroutines */
	struct map sites;        /* addresses of code to numbers of sites */
	struct map lanes;        /* threads to lanes */
	uint32_t nr_sites;
	uint64_t nr_further_ids;
};

/* A stream, and the latest time in it. */
struct station_lane {
	uint32_t stream;
	uint64_t place;
};

struct station_record {
	struct ctp_record record;
	uint64_t key;
	uint32_t order;
	uint32_t station;
	uint32_t owner;
	uint32_t thread;
	uint32_t lane;
};

struct station_trace {
	struct version1_engine engine;
	struct stations *stations;
	struct station_owner owners[STATION_TRACE_OWNERS]; /* the first one is unused */
	VEC(struct station_lane) lanes;                    /* the first one is unused */
	struct station_record *waiting;
	size_t nr_waiting;
	uint64_t nr_impossible; /* events left out; never decreases */
};

/* version1_station_trace_init: allocates memory for the records of a scan; false: out of memory. */
bool version1_station_trace_init(struct station_trace *trace, const struct version1_engine *engine,
	struct stations *stations);

/* version1_station_trace_fini: frees the memory. */
void version1_station_trace_fini(struct station_trace *trace);

/* version1_station_trace_own: registers a process that has stations; false: there are too many such processes. */
bool version1_station_trace_own(struct station_trace *trace, struct process *process);

/* version1_station_trace_disown: the process is about to be forgotten. */
void version1_station_trace_disown(struct station_trace *trace, const struct process *process);

/* version1_station_trace_take: the consumer for version1_stations_scan; `context` is the struct station_trace. */
void version1_station_trace_take(
	void *context, struct station *station, const struct stations_news *news);

/* version1_station_trace_put: passes the waiting records to the sink. Must be called after each scan. */
void version1_station_trace_put(struct station_trace *trace);

#endif
