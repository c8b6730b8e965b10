/* SPDX-License-Identifier: MIT */
/*
 * Harvesting one ring: from the shared tail to the head that the producer published.
 *
 * The reader keeps its own position and trusts nothing in the shared memory: a head that goes back or lies further
 * ahead than the ring can hold, a chunk number beyond the segment, and records in memory that was never written are
 * counted as losses and skipped. Records are passed on in place, without a copy. Only if the producer overwrites its
 * oldest records is a piece copied first; what was overwritten during the copy is thrown away and counted.
 */
#ifndef COLLECT_RING_H
#define COLLECT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/memory.h"
#include "proto/proto.h"

/* Where the chunks are; shared by the rings of one segment. */
struct ring_space {
	const struct proto_layout *layout;
	const void *base;
	struct ctp_record *scratch; /* CTP_CHUNK_RECORDS records, for rings that overwrite */
	/* for asking whether records were ever written; NULL: they were */
	const struct memory *memory;
};

/* Records of one thread, in order. The records may lie in shared memory. */
struct ring_run {
	const struct ctp_record *records;
	size_t nr_records;
	uint64_t nr_events; /* records that do not report losses */
	uint32_t thread;    /* as returned by thread_started */
};

struct ring_reader;

/* The receiver of records. All functions are called from within collect_ring_drain. */
struct ring_consumer {
	void *context;
	void (*take)(void *context, struct ring_reader *reader, const struct ring_run *run);
	/* A thread owns the ring from here on: returns the `thread` of the following runs, not 0. */
	uint32_t (*thread_started)(void *context, uint64_t tid, uint64_t time);
	void (*thread_stopped)(void *context, uint32_t thread, uint64_t tid, uint64_t time);
};

/* The reader's side of one ring. Ready when zeroed and with `shared` and `stream` set. */
struct ring_reader {
	struct ctp_ring *shared;
	uint32_t stream;
	uint32_t thread; /* thread of the next records; 0: not known */
	uint64_t tail;   /* records drained; ring->tail follows this */
	bool is_overwriting;
	/* the producer keeps the ring for other readers, too: no room is given back */
	bool is_kept;
	uint64_t told_before; /* of `dropped`: what LOST records reported before this reader came */
	const struct ctp_record *backed; /* a chunk whose whole memory is known to be written */

	/* counters that only grow; the owner remembers how much it has reported */
	uint64_t nr_corrupt;     /* records skipped, and false statements */
	uint64_t nr_overwritten; /* records overwritten by newer ones */
	uint64_t nr_told;        /* dropped events reported by LOST records */
	uint64_t nr_told_other;  /* losses for other reasons reported by LOST records */
	uint64_t nr_beside;      /* records that are not events */
	uint64_t nr_moves;       /* records of coroutines, by which a stall is recognised */
};

/*
 * collect_ring_adopt: prepares reading a ring that was written, and perhaps drained, before this reader came: reading
 * goes on where the last reader stopped, or at the oldest record that is left.
 */
void collect_ring_adopt(struct ring_reader *reader, const struct ring_space *space);

/*
 * collect_ring_drain: passes on everything that is published at the time of the call, oldest first, and gives the room
 * back. Returns the number of records it moved past, without those that had been overwritten before.
 */
uint64_t collect_ring_drain(struct ring_reader *reader, const struct ring_space *space,
	const struct ring_consumer *consumer);

/* collect_ring_give_up: treats what is published but not drained as one false statement, and skips it. */
void collect_ring_give_up(struct ring_reader *reader);

/* collect_ring_has_news: returns whether something has been published that was not drained. */
bool collect_ring_has_news(const struct ring_reader *reader);

/*
 * collect_ring_overwritten: returns how many events were overwritten by newer records: overwritten records that are not
 * events are left out (P-28).
 */
uint64_t collect_ring_overwritten(const struct ring_reader *reader);

/* collect_ring_missing: returns a number that grows whenever events of the ring are found to be missing. */
static inline uint64_t collect_ring_missing(const struct ring_reader *reader)
{
	return reader->nr_told + reader->nr_told_other + reader->nr_corrupt +
	       reader->nr_overwritten;
}

#endif
