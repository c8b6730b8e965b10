/* SPDX-License-Identifier: MIT */
/*
 * Harvesting one ring: from the shared tail to the head that the producer published.
 *
 * The reader keeps its own position and believes the shared memory nothing: a head that goes back or further ahead
 * than the ring can hold, a chunk number beyond the segment, records where nothing was ever written, are counted
 * as losses and stepped over. Records are handed on where they lie; nothing is copied, except where the producer
 * overwrites its oldest records: there a piece is copied first, and what was overwritten meanwhile is thrown away
 * and counted.
 */
#ifndef COLLECT_RING_H
#define COLLECT_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/memory.h"
#include "proto/proto.h"

/* Where the chunks are. Shared by the rings of one segment. */
struct ring_space {
	const struct proto_layout *layout;
	const void *base;
	struct ctp_record *scratch;  /* CTP_CHUNK_RECORDS of them, for rings that overwrite */
	const struct memory *memory; /* to ask whether records were written; NULL: they were */
};

/* Records of one thread, in order. The records may lie in shared memory. */
struct ring_run {
	const struct ctp_record *records;
	size_t nr_records;
	uint64_t nr_events; /* of them, those that do not tell of losses */
	uint32_t thread;    /* as thread_started returned it */
};

struct ring_reader;

/* The taker of records. All functions are called from within collect_ring_drain. */
struct ring_consumer {
	void *context;
	void (*take)(void *context, struct ring_reader *reader, const struct ring_run *run);
	/* A thread owns the ring from here: returns what `thread` of later runs is, not 0. */
	uint32_t (*thread_started)(void *context, uint64_t tid, uint64_t time);
	void (*thread_stopped)(void *context, uint32_t thread, uint64_t tid, uint64_t time);
};

/* The reader's side of one ring. Zeroed, with `shared` and `stream` set, it is ready. */
struct ring_reader {
	struct ctp_ring *shared;
	uint32_t stream;
	uint32_t thread; /* whose records come next; 0: not known */
	uint64_t tail;   /* records drained; ring->tail follows it */
	bool is_overwriting;
	bool is_kept;         /* by its producer, for others, too: the room is not given back */
	uint64_t told_before; /* of `dropped`, what LOST records told before this reader came */
	const struct ctp_record *backed; /* a chunk whose memory has been written, all of it */

	/* ever growing; what has been reported of them is the owner's to remember */
	uint64_t nr_corrupt;     /* records stepped over, and lies told */
	uint64_t nr_overwritten; /* records that gave way to newer ones */
	uint64_t nr_told;        /* what LOST records told of as dropped */
	uint64_t nr_told_other;  /* what they told of other reasons */
	uint64_t nr_beside;      /* records that are no events */
	uint64_t nr_moves;       /* records of coroutines: what a stall is judged by */
};

/*
 * collect_ring_adopt: for a ring that was written, and perhaps drained, before this reader came: it goes on where the
 * last one stopped, or at the oldest record that is left.
 */
void collect_ring_adopt(struct ring_reader *reader, const struct ring_space *space);

/*
 * collect_ring_drain: hands on everything that is published at the time of the call, oldest first, and gives
 * the room back. Returns how many records it moved past that had not given way to newer ones before.
 */
uint64_t collect_ring_drain(struct ring_reader *reader, const struct ring_space *space,
	const struct ring_consumer *consumer);

/* collect_ring_give_up: what is published and was not drained cannot be: it is one lie, and stepped over. */
void collect_ring_give_up(struct ring_reader *reader);

/* collect_ring_has_news: has something been published that was not drained? */
bool collect_ring_has_news(const struct ring_reader *reader);

/*
 * collect_ring_overwritten: how many events gave way to newer ones: of the records that did, those that are no events
 * are left out (P-28).
 */
uint64_t collect_ring_overwritten(const struct ring_reader *reader);

#endif
