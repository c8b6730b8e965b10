/* SPDX-License-Identifier: MIT */
/*
 * A segment that is mapped: its rings, its sites, its counters of losses.
 */
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
struct process;

/* The losses of one ring, as reported so far. */
struct segment_ring {
	struct ring_reader reader;
	uint64_t told_nested;
	uint64_t told_corrupt;
	uint64_t told_overwritten;
	uint64_t gap_size;     /* dropped and not yet told of in the stream */
	uint64_t gap_first_ns; /* when that was first seen, at the earliest */
	uint64_t gap_last_ns;
	bool was_written;     /* so that there is something to read */
	uint64_t lost_before; /* records that were overwritten when it was adopted */
	bool has_first;       /* the next one is known */
	/* when the first record that was read of it was written, in the segment's time */
	uint64_t first_raw;
	uint64_t sampled; /* records drained when its owner's times were read last */
};

/* Zeroed, a slot is free. */
struct segment {
	uint32_t number; /* in the trace; 0: free */
	struct collect *collect;
	struct process *process;
	struct memory memory;
	struct proto_layout layout;
	VEC(struct segment_ring) rings;
	size_t next_ring; /* where the next harvest begins */
	uint64_t told_untraced;
	uint64_t told_refused; /* sites that found no room */
	uint64_t settled_ns;
	uint64_t *sites_known; /* a bit a site: defined */
	uint32_t sites_begin;  /* every site below is defined */
	uint32_t sites_end;    /* sites from here on have not been handed out yet */
	bool is_found; /* it waited, or an engine has left it: rings are taken as they stand */
	uint32_t next_sampled; /* the ring with which the next reading of threads' times begins */
	bool are_sites_read;   /* during the present drain of a ring */
};

/*
 * collect_segment_take: makes a segment whose memory is mapped and checked one of the process, and defines it.
 * `attached` is in the segment's own time.
 */
enum ct_status collect_segment_take(struct collect *collect, struct segment *segment,
	struct process *process, uint64_t attached, struct ct_error *reterr);

/* collect_segment_find_rings: takes up the rings that threads have claimed since the last look. */
void collect_segment_find_rings(struct segment *segment);

/*
 * collect_segment_drain: harvests every ring once, or where that is very much, as many as make SEGMENT_TURN records;
 * the next call goes on behind them. Returns how many records there were.
 */
uint64_t collect_segment_drain(struct segment *segment);

/*
 * collect_segment_drain_all: harvests every ring once. All rings together cannot hold more than
 * the segment's chunks: what is claimed far beyond counts as a lie.
 */
uint64_t collect_segment_drain_all(struct segment *segment);

#define SEGMENT_TURN (2 * (uint64_t)CTP_RING_CHUNKS * CTP_CHUNK_RECORDS)

/* collect_segment_has_news: has something been published that was not drained? Reads the heads, and nothing else. */
bool collect_segment_has_news(struct segment *segment);

/* collect_segment_wakes: will its probe wake an engine that sleeps? */
bool collect_segment_wakes(const struct segment *segment);

/* collect_segment_sleeping: the word that says so to the probe. */
uint32_t *collect_segment_sleeping(const struct segment *segment);

/*
 * collect_segment_settle: defines the losses since the last time. `end_ns`: when the past ended that is read from a
 * file; 0: the program writes, and losses go on until the moment at which they are counted. A step's beginning is no
 * such moment: to empty full rings may take it longer than a second. `is_last`: nothing will be written any more, so
 * that what was dropped and not told of in the stream is counted, too.
 */
void collect_segment_settle(struct segment *segment, uint64_t end_ns, bool is_last);

/* collect_segment_orders: where the probe reads what is wanted of it. */
struct ctp_orders *collect_segment_orders(const struct segment *segment);

/*
 * collect_segment_want: has its events wanted from now on. collect_segment_unwant: no more; what is half written now
 * may still come.
 */
void collect_segment_want(struct segment *segment);
void collect_segment_unwant(struct segment *segment);

/* collect_segment_order: tells the probe what is wanted of it, where it is one that listens. */
void collect_segment_order(struct segment *segment);

/* collect_segment_close: unmaps, and gives the slot back. */
void collect_segment_close(struct segment *segment);

#endif
