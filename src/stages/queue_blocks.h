/* SPDX-License-Identifier: MIT */
/*
 * Blocks of bytes that go from one thread to another and back. Private to the queue.
 *
 * One thread fills blocks, another one empties them, in the order in which they were handed over. All memory is
 * reserved at the beginning. The block given back last is filled next, so that a queue that is never deep touches only
 * a few blocks, which stay in the cache.
 */
#ifndef STAGES_QUEUE_BLOCKS_H
#define STAGES_QUEUE_BLOCKS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_BYTES (256u << 10)

struct block {
	uint8_t *bytes; /* BLOCK_BYTES bytes */
	size_t nr_bytes;
};

struct blocks {
	pthread_mutex_t lock; /* protects everything that follows */
	pthread_cond_t came;  /* a block was handed over, or the end came */
	pthread_cond_t left;  /* a block was given back */
	struct block *all;
	uint8_t *memory;
	uint32_t nr_all;
	uint32_t *waiting; /* a circle of nr_all numbers */
	uint32_t waiting_first;
	uint32_t nr_waiting;
	uint32_t *empty; /* a stack of block numbers */
	uint32_t nr_empty;
	uint32_t nr_most;   /* most blocks off the stack at a time */
	uint32_t nr_in_use; /* in use by the thread that empties them */
	uint64_t nr_full;   /* how often there was no empty block */
	bool is_over;
};

/* queue_blocks_init: makes `nr` empty blocks. Returns false if there is no memory for them. */
bool queue_blocks_init(struct blocks *blocks, uint32_t nr);
void queue_blocks_fini(struct blocks *blocks);

/*
 * For the thread that fills: queue_blocks_take waits for an empty block. queue_blocks_hand_over passes it on.
 * queue_blocks_settle returns once all blocks that were handed over have been given back. queue_blocks_end says that no
 * blocks follow.
 */
struct block *queue_blocks_take(struct blocks *blocks);
void queue_blocks_hand_over(struct blocks *blocks, struct block *block);
void queue_blocks_settle(struct blocks *blocks);
void queue_blocks_end(struct blocks *blocks);

/* For the thread that empties: queue_blocks_next waits for a full block; NULL after the end. */
struct block *queue_blocks_next(struct blocks *blocks);
void queue_blocks_give_back(struct blocks *blocks, struct block *block);

#endif
