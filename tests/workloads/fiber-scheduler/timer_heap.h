/* SPDX-License-Identifier: MIT */
/*
 * A binary heap of sleeping fibers, the earliest deadline on top. The caller holds a lock around every call. A fiber
 * knows its place (fiber->heap_place, counted from 1), so that it can be removed.
 */
#ifndef FIBER_TIMER_HEAP_H
#define FIBER_TIMER_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fiber;

struct timer_heap {
	struct fiber **entry; /* entry[0] is not used */
	size_t count;
	size_t room;
};

void timer_heap_init(struct timer_heap *heap);
void timer_heap_fini(struct timer_heap *heap);

/* timer_heap_add: adds a fiber that sleeps until fiber->deadline_ns; false: out of memory. */
bool timer_heap_add(struct timer_heap *heap, struct fiber *fiber);

/* timer_heap_remove: false: it is not in the heap. */
bool timer_heap_remove(struct timer_heap *heap, struct fiber *fiber);

/* timer_heap_first: returns the earliest fiber without removing it; NULL: the heap is empty. */
struct fiber *timer_heap_first(const struct timer_heap *heap);

#endif
