/* SPDX-License-Identifier: MIT */
/* A mapped segment: its rings, its sites, its counters of losses. */
#ifndef COLLECT_SEGMENT_H
#define COLLECT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/ctp.h"
#include "corotracer/error.h"
#include "collect/memory.h"
#include "proto/proto.h"
#include "collect/ring.h"
#include "base/vec.h"

struct collect;
struct collect_site;
struct process;

/* The losses of one ring, as reported so far. */
struct segment_ring {
	struct ring_reader reader;
	uint64_t told_nested;
	uint64_t told_corrupt;
	uint64_t told_overwritten;
	uint64_t gap_size;     /* dropped, but not reported in the stream yet */
	uint64_t gap_first_ns; /* earliest time at which the gap can have begun */
	uint64_t gap_last_ns;
	uint64_t nr_dropped;  /* when the gap was looked at last */
	bool was_written;     /* memory was written, so there is something to read */
	uint64_t lost_before; /* records that were overwritten before the ring was adopted */
	bool has_first;       /* first_raw is known */
	/* time of the first record read from the ring, in the segment's clock */
	uint64_t first_raw;
	uint64_t sampled; /* records drained when the owner's times were last sampled */
};

/* Zeroed: a free slot. */
struct segment {
	uint32_t number; /* its number in the trace; 0: free */
	struct collect *collect;
	struct process *process;
	struct memory memory;
	struct proto_layout layout;
	VEC(struct segment_ring) rings;
	size_t next_ring; /* ring at which the next harvest begins */
	uint64_t told_untraced;
	uint64_t told_refused; /* sites for which there was no room */
	uint64_t settled_ns;
	uint64_t *sites_known; /* one bit per site: defined */
	uint32_t sites_begin;  /* every site below is defined */
	uint32_t sites_end;    /* sites from here on have not been given out yet */
	bool is_found; /* waited for an engine, or another engine left it: rings are adopted */
	uint32_t next_sampled; /* ring at which the next sampling of threads' times begins */
	bool are_sites_read;   /* during the present drain of a ring */
};

/*
 * collect_segment_take: makes a segment, whose memory is mapped and checked, a segment of the process, and defines it.
 * `attached` is in the segment's own clock.
 */
enum ct_status collect_segment_take(struct collect *collect, struct segment *segment,
	struct process *process, uint64_t attached, struct ct_error *reterr);

/* collect_segment_remember: remembers a site that is an address, so that it gets a name. */
void collect_segment_remember(
	struct collect *collect, struct process *process, const struct collect_site *site);

/* collect_segment_find_rings: finds the rings that threads have claimed since the last look. */
void collect_segment_find_rings(struct segment *segment);

/*
 * collect_segment_drain: harvests every ring once, or only as many rings as yield SEGMENT_TURN records; the next call
 * goes on after those. Returns the number of records.
 */
uint64_t collect_segment_drain(struct segment *segment);

/*
 * collect_segment_drain_all: harvests every ring once. All rings together cannot hold more than the segment's chunks:
 * claims far beyond that count as false.
 */
uint64_t collect_segment_drain_all(struct segment *segment);

#define SEGMENT_TURN (2 * (uint64_t)CTP_RING_CHUNKS * CTP_CHUNK_RECORDS)

/* collect_segment_has_news: returns whether something has been published that was not drained. Reads only the heads. */
bool collect_segment_has_news(struct segment *segment);

/* collect_segment_wakes: returns whether the segment's probe wakes a sleeping engine. */
bool collect_segment_wakes(const struct segment *segment);

/* collect_segment_sleeping: returns the word that tells the probe that the engine sleeps. */
uint32_t *collect_segment_sleeping(const struct segment *segment);

/*
 * collect_segment_settle: defines the losses since the last call. `end_ns`: the end of the past that is read from a
 * file; 0: the program still writes, and losses go on until the moment at which they are counted. The beginning of a
 * step is not that moment, because draining full rings may take longer than a second. `is_last`: nothing will be
 * written any more, so that events that were dropped and not reported in the stream are counted, too.
 */
void collect_segment_settle(struct segment *segment, uint64_t end_ns, bool is_last);

/* collect_segment_orders: returns the orders that the probe reads. */
struct ctp_orders *collect_segment_orders(const struct segment *segment);

/*
 * collect_segment_want: makes the segment's events wanted from now on. collect_segment_unwant: makes them unwanted; an
 * event that is half written may still come.
 */
void collect_segment_want(struct segment *segment);
void collect_segment_unwant(struct segment *segment);

/* collect_segment_order: gives the probe the collector's orders. */
void collect_segment_order(struct segment *segment);

/* collect_segment_close: unmaps the segment, and frees the slot. */
void collect_segment_close(struct segment *segment);

#endif
