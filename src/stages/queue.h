/* SPDX-License-Identifier: MIT */
/*
 * A sink that another thread empties into the next sink, so that draining costs a copy, and encoding and writing do not
 * hold up a ring.
 *
 * Everything reaches the next sink in the order in which it came, on the queue's own thread. Memory is bounded: while
 * all of it is full, put waits until some of it was written. The rings fill meanwhile, and their probes do what they
 * were ordered to do with a full ring, and count it.
 *
 * A failure of the next sink is returned by put and by flush, from then on. Records that had been taken by then and did
 * not reach the next sink are counted (queue_state), and the counts of CT_DEFINE_END are corrected. Records and
 * definitions are still passed on: the next sink knows what it can keep, and reports what it refuses.
 *
 * One thread at a time uses the queue; the next sink belongs to the queue's thread, except while a caller of
 * queue_settle uses it.
 */
#ifndef STAGES_QUEUE_H
#define STAGES_QUEUE_H

#include <stdint.h>

#include "base/failure.h"
#include "stream/stream.h"

#define QUEUE_BYTES (64u << 20) /* enough for a second with 2 million events */

struct queue;

/*
 * queue_open: opens a queue in front of `next`, which is closed with the queue; on failure `next` stays the caller's.
 * The queue uses at most `nr_bytes` of memory, rounded to whole blocks of 256 KiB, at least two; blocks are touched as
 * they are needed. Starts the thread, which takes no signals.
 */
enum ct_status queue_open(
	struct ct_sink *next, size_t nr_bytes, struct queue **ret_queue, struct ct_error *reterr);

/*
 * queue_sink: returns the queue as a sink. Its flush does not wait: the next sink is flushed in its turn. Its close
 * waits for everything, and returns what the next sink's close returns, or else a failure that was not returned yet.
 */
struct ct_sink *queue_sink(struct queue *queue);

/*
 * queue_settle: waits until the next sink has everything that came before. From then on, until the next call on the
 * queue, the caller may use the next sink and the sinks after it.
 */
void queue_settle(struct queue *queue);

/* queue_call: makes the queue's thread call `function` once the next sink has everything that came before. */
typedef void queue_function(void *context, uint64_t argument);
void queue_call(struct queue *queue, queue_function *function, void *context, uint64_t argument);

struct queue_state {
	uint64_t nr_lost;    /* events taken that did not reach the next sink */
	uint64_t nr_full;    /* how often there was no room */
	uint64_t most_bytes; /* most memory in use at a time */
	/* the first failure of the next sink, valid until the close; NULL: none */
	const char *trouble;
};

/* queue_state: returns the state as far as the queue's thread has come; any thread may ask. */
void queue_state(struct queue *queue, struct queue_state *ret_state);

#endif
