/* SPDX-License-Identifier: MIT */
/*
 * Blocks of bytes that go from one thread to another and back. Private to the queue.
 *
 * One thread fills them, another empties them, in the order in which they were handed over. All memory is taken
 * at the beginning; the block given back last is filled next, so that a queue that is never deep touches few of
 * them, which stay in the cache.
 */
#ifndef STAGES_QUEUE_BLOCKS_H
#define STAGES_QUEUE_BLOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_BYTES (256u << 10)

struct block {
	uint8_t *bytes; /* BLOCK_BYTES of them */
	size_t nr_bytes;
};

struct blocks {
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t came;  /* a block was handed over, or the end */
	pthread_cond_t left;  /* a block was given back */
	struct block *all;
	uint8_t *memory;
	uint32_t nr_all;
	uint32_t *waiting; /* a circle of nr_all numbers */
	uint32_t waiting_first;
	uint32_t nr_waiting;
	uint32_t *empty; /* a stack */
	uint32_t nr_empty;
	uint32_t nr_most;   /* that were away from the stack at a time */
	uint32_t nr_in_use; /* by the thread that empties them */
	uint64_t nr_full;   /* how often there was no empty block */
	bool is_over;
};

/* queue_blocks_init: `nr` empty blocks. False: no memory for them. */
bool queue_blocks_init(struct blocks *blocks, uint32_t nr);
void queue_blocks_fini(struct blocks *blocks);

/*
 * The thread that fills: queue_blocks_take waits for an empty block. queue_blocks_hand_over gives it away.
 * queue_blocks_settle returns once all that was handed over has been given back. queue_blocks_end: nothing follows.
 */
struct block *queue_blocks_take(struct blocks *blocks);
void queue_blocks_hand_over(struct blocks *blocks, struct block *block);
void queue_blocks_settle(struct blocks *blocks);
void queue_blocks_end(struct blocks *blocks);

/* The thread that empties: queue_blocks_next waits for a block; NULL after the end. */
struct block *queue_blocks_next(struct blocks *blocks);
void queue_blocks_give_back(struct blocks *blocks, struct block *block);

#endif
