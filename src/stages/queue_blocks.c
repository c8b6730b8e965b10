/* SPDX-License-Identifier: MIT */
/*
 * Blocks between two threads: a stack of empty blocks and a circle of full ones, under one lock that is taken once per
 * block.
 */
#include <stdlib.h>

#include "stages/queue_blocks.h"

static void make_blocks(struct blocks *blocks)
{
	uint32_t i;

	for (i = 0; i < blocks->nr_all; i++) {
		blocks->all[i].bytes = blocks->memory + (size_t)i * BLOCK_BYTES;
		blocks->empty[i] = blocks->nr_all - 1 - i;
	}
	blocks->nr_empty = blocks->nr_all;
}

bool queue_blocks_init(struct blocks *blocks, uint32_t nr)
{
	*blocks = (struct blocks){.nr_all = nr};
	blocks->all = calloc(nr, sizeof(*blocks->all));
	blocks->waiting = calloc(nr, sizeof(*blocks->waiting));
	blocks->empty = calloc(nr, sizeof(*blocks->empty));
	blocks->memory = malloc((size_t)nr * BLOCK_BYTES);
	pthread_mutex_init(&blocks->lock, NULL);
	pthread_cond_init(&blocks->came, NULL);
	pthread_cond_init(&blocks->left, NULL);
	if (!blocks->all || !blocks->waiting || !blocks->empty || !blocks->memory) {
		queue_blocks_fini(blocks);
		return false;
	}
	make_blocks(blocks);
	return true;
}

void queue_blocks_fini(struct blocks *blocks)
{
	pthread_cond_destroy(&blocks->left);
	pthread_cond_destroy(&blocks->came);
	pthread_mutex_destroy(&blocks->lock);
	free(blocks->memory);
	free(blocks->empty);
	free(blocks->waiting);
	free(blocks->all);
}

struct block *queue_blocks_take(struct blocks *blocks)
{
	struct block *block;

	pthread_mutex_lock(&blocks->lock);
	blocks->nr_full += blocks->nr_empty == 0;
	while (blocks->nr_empty == 0)
		pthread_cond_wait(&blocks->left, &blocks->lock);
	block = &blocks->all[blocks->empty[--blocks->nr_empty]];
	if (blocks->nr_all - blocks->nr_empty > blocks->nr_most)
		blocks->nr_most = blocks->nr_all - blocks->nr_empty;
	pthread_mutex_unlock(&blocks->lock);
	block->nr_bytes = 0;
	return block;
}

void queue_blocks_hand_over(struct blocks *blocks, struct block *block)
{
	uint32_t number = (uint32_t)(block - blocks->all);

	pthread_mutex_lock(&blocks->lock);
	blocks->waiting[(blocks->waiting_first + blocks->nr_waiting) % blocks->nr_all] = number;
	blocks->nr_waiting++;
	pthread_cond_signal(&blocks->came);
	pthread_mutex_unlock(&blocks->lock);
}

void queue_blocks_settle(struct blocks *blocks)
{
	pthread_mutex_lock(&blocks->lock);
	while (blocks->nr_waiting + blocks->nr_in_use > 0)
		pthread_cond_wait(&blocks->left, &blocks->lock);
	pthread_mutex_unlock(&blocks->lock);
}

void queue_blocks_end(struct blocks *blocks)
{
	pthread_mutex_lock(&blocks->lock);
	blocks->is_over = true;
	pthread_cond_signal(&blocks->came);
	pthread_mutex_unlock(&blocks->lock);
}

struct block *queue_blocks_next(struct blocks *blocks)
{
	struct block *block = NULL;

	pthread_mutex_lock(&blocks->lock);
	while (blocks->nr_waiting == 0 && !blocks->is_over)
		pthread_cond_wait(&blocks->came, &blocks->lock);
	if (blocks->nr_waiting > 0) {
		block = &blocks->all[blocks->waiting[blocks->waiting_first]];
		blocks->waiting_first = (blocks->waiting_first + 1) % blocks->nr_all;
		blocks->nr_waiting--;
		blocks->nr_in_use++;
	}
	pthread_mutex_unlock(&blocks->lock);
	return block;
}

void queue_blocks_give_back(struct blocks *blocks, struct block *block)
{
	pthread_mutex_lock(&blocks->lock);
	blocks->empty[blocks->nr_empty++] = (uint32_t)(block - blocks->all);
	blocks->nr_in_use--;
	pthread_cond_signal(&blocks->left);
	pthread_mutex_unlock(&blocks->lock);
}
