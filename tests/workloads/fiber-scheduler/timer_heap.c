/* SPDX-License-Identifier: MIT */
/* A binary heap of sleeping fibers. */
#include "timer_heap.h"

#include <stdlib.h>

#include "scheduler.h"

void timer_heap_init(struct timer_heap *heap)
{
	*heap = (struct timer_heap){0};
}

void timer_heap_fini(struct timer_heap *heap)
{
	free(heap->entry);
}

static void put(struct timer_heap *heap, size_t place, struct fiber *fiber)
{
	heap->entry[place] = fiber;
	fiber->heap_place = place;
}

static void sift_up(struct timer_heap *heap, size_t place, struct fiber *fiber)
{
	while (place > 1 && heap->entry[place / 2]->deadline_ns > fiber->deadline_ns) {
		put(heap, place, heap->entry[place / 2]);
		place /= 2;
	}
	put(heap, place, fiber);
}

static void sift_down(struct timer_heap *heap, size_t place, struct fiber *fiber)
{
	size_t child;

	for (; (child = 2 * place) <= heap->count; place = child) {
		if (child < heap->count &&
			heap->entry[child + 1]->deadline_ns < heap->entry[child]->deadline_ns)
			child++;
		if (heap->entry[child]->deadline_ns >= fiber->deadline_ns)
			break;
		put(heap, place, heap->entry[child]);
	}
	put(heap, place, fiber);
}

static bool grow(struct timer_heap *heap)
{
	size_t room = heap->room ? 2 * heap->room : 64;
	struct fiber **entry = realloc(heap->entry, room * sizeof(struct fiber *));

	if (!entry)
		return false;
	heap->entry = entry;
	heap->room = room;
	return true;
}

bool timer_heap_add(struct timer_heap *heap, struct fiber *fiber)
{
	if (heap->count + 1 >= heap->room && !grow(heap))
		return false;
	sift_up(heap, ++heap->count, fiber);
	return true;
}

bool timer_heap_remove(struct timer_heap *heap, struct fiber *fiber)
{
	size_t place = fiber->heap_place;
	struct fiber *last;

	if (place == 0)
		return false;
	fiber->heap_place = 0;
	last = heap->entry[heap->count--];
	if (last == fiber)
		return true;
	/* The last fiber fills the gap, and may have to move either way. */
	if (place > 1 && heap->entry[place / 2]->deadline_ns > last->deadline_ns)
		sift_up(heap, place, last);
	else
		sift_down(heap, place, last);
	return true;
}

struct fiber *timer_heap_first(const struct timer_heap *heap)
{
	return heap->count ? heap->entry[1] : NULL;
}
