/* SPDX-License-Identifier: MIT */
/*
 * From stations to a trace: what a scan tells becomes records, in streams of the sink.
 *
 * A coroutine of a station has the probe's number for it as its id, where that is new to its process and below
 * 2^47 (of as many coroutines as there are stations), else a number from 2^47 on. A process has one segment for
 * all its stations, and a stream for each thread. Between stations only time gives an order, so the records of one
 * scan are sorted by it. But a reader puts streams together by time, and what one scan brings may lie before what
 * the last one brought: a record whose thread's stream is ahead goes into the stream of its coroutine's last
 * record instead. So each coroutine's own order always holds.
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

/* A process whose coroutines have stations. Zeroed, a place is free. */
struct station_owner {
	struct process *process; /* NULL: it has ended */
	uint32_t segment;        /* in the trace; 0: free */
	struct map ids;          /* of probes, that are in use as ids of coroutines */
	struct map sites;        /* addresses of code to numbers of sites */
	struct map lanes;        /* threads to lanes */
	uint32_t nr_sites;
	uint64_t nr_further_ids;
};

/* A stream, and the latest time that it has shown. */
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
	struct station_owner owners[STATION_TRACE_OWNERS]; /* the first is none */
	VEC(struct station_lane) lanes;                    /* the first is none */
	struct station_record *waiting;
	size_t nr_waiting;
	uint64_t nr_impossible; /* events left out; ever growing */
};

/* version1_station_trace_init: memory for the records of a scan; false: there is none. */
bool version1_station_trace_init(struct station_trace *trace, const struct version1_engine *engine,
	struct stations *stations);

/* version1_station_trace_fini: gives the memory back. */
void version1_station_trace_fini(struct station_trace *trace);

/* version1_station_trace_own: the process has stations from here on; false: there are too many such. */
bool version1_station_trace_own(struct station_trace *trace, struct process *process);

/* version1_station_trace_disown: the process is about to be forgotten. */
void version1_station_trace_disown(struct station_trace *trace, const struct process *process);

/* version1_station_trace_take: a consumer of version1_stations_scan; `context` is the struct station_trace. */
void version1_station_trace_take(
	void *context, struct station *station, const struct stations_news *news);

/* version1_station_trace_put: hands the records that wait to the sink. After each scan. */
void version1_station_trace_put(struct station_trace *trace);

#endif
