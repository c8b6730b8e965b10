/* SPDX-License-Identifier: MIT */
/*
 * A sink that another thread empties into the next one, so that draining costs a copy, and encoding and writing
 * hold no ring up.
 *
 * Everything reaches the next sink in the order in which it came, on the queue's own thread. Memory is bounded: where
 * all of it is full, put waits until some of it was written. The rings fill meanwhile, and their probes do what
 * they were ordered to do with a full ring, and count it.
 *
 * A failure of the next sink is told by put, and by flush, from then on. Records that had been taken by then and
 * did not reach the next sink are counted (queue_state); the counts of CT_DEFINE_END are set right. Records and
 * definitions are still passed on: the next sink knows what it can keep, and tells of what it refuses.
 *
 * One thread uses the queue at a time; the next sink belongs to the queue's thread, but for a caller of queue_settle.
 */
#ifndef STAGES_QUEUE_H
#define STAGES_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "stream/stream.h"

#define QUEUE_BYTES (64u << 20) /* what holds out a second of 2 million events */

struct queue;

/*
 * queue_open: before `next`, which is closed with it; on failure `next` stays the caller's. `nr_bytes` of memory at
 * most, rounded to whole blocks of 256 KiB, two at least; they are touched as they are needed. Starts the
 * thread, which takes no signals.
 */
enum ct_status queue_open(
	struct ct_sink *next, size_t nr_bytes, struct queue **ret_queue, struct ct_error *reterr);

/*
 * queue_sink: the queue as a sink. Its flush does not wait: the next sink is flushed when its turn comes. Its close
 * waits for everything, and returns what the next sink's close returns, or else a failure that was not told yet.
 */
struct ct_sink *queue_sink(struct queue *queue);

/*
 * queue_settle: waits until the next sink has everything that came before. From then on until the next call on
 * the queue the caller may use the sinks behind it.
 */
void queue_settle(struct queue *queue);

/* queue_call: has the queue's thread call `function` once the next sink has everything that came before. */
typedef void queue_function(void *context, uint64_t argument);
void queue_call(struct queue *queue, queue_function *function, void *context, uint64_t argument);

struct queue_state {
	uint64_t nr_lost;    /* events taken that did not reach the next sink */
	uint64_t nr_full;    /* how often there was no room */
	uint64_t most_bytes; /* of memory in use at a time */
	const char *trouble; /* why the next sink failed first, until the close; NULL: it did not */
};

/* queue_state: as far as the queue's thread has come; any thread may ask. */
void queue_state(struct queue *queue, struct queue_state *ret_state);

#endif
