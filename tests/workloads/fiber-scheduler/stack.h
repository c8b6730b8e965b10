/* SPDX-License-Identifier: MIT */
/*
 * Stacks: mapped memory with a guard page below, so that a fiber that needs more stack faults instead of writing into
 * another fiber's stack. A few unused stacks are kept for the next fibers.
 */
#ifndef FIBER_STACK_H
#define FIBER_STACK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define STACK_CACHE_MAX 64u

struct stack {
	void *low; /* lowest usable address; the guard page ends there */
	size_t bytes;
};

struct stack_cache {
	pthread_mutex_t guard;
	struct stack kept[STACK_CACHE_MAX];
	unsigned nr_kept;
	size_t bytes; /* of each stack */
};

/* stack_cache_init: `bytes` is the size of each stack, rounded up to pages. */
void stack_cache_init(struct stack_cache *cache, size_t bytes);

/* stack_cache_fini: unmaps the unused stacks. All stacks in use must have been closed. */
void stack_cache_fini(struct stack_cache *cache);

/* stack_open: gets a stack for one fiber; false: out of memory. Any thread. */
bool stack_open(struct stack_cache *cache, struct stack *ret_stack);

/* stack_close: returns a stack that is no longer in use. Any thread. */
void stack_close(struct stack_cache *cache, struct stack *stack);

#endif
