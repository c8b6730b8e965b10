/* SPDX-License-Identifier: MIT */
/*
 * Looks things up in the facts of a process (live.h).
 */
#include <stdlib.h>

#include "kernel/live.h"

/* Flags of epoll_ctl that say how an event is reported, not which. */
#define EVENTS_MODE (UINT32_C(15) << 28)

void live_free(struct live *live)
{
	if (!live)
		return;
	vec_fini(&live->threads);
	vec_fini(&live->descriptors);
	vec_fini(&live->watches);
	free(live);
}

const struct live_thread *live_thread_of(const struct live *live, uint64_t tid)
{
	size_t i;

	for (i = 0; i < live->threads.count; i++)
		if (live->threads.at[i].tid == tid)
			return &live->threads.at[i];
	return NULL;
}

const struct live_descriptor *live_descriptor_of(const struct live *live, int32_t number)
{
	size_t low = 0, high = live->descriptors.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (live->descriptors.at[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < live->descriptors.count && live->descriptors.at[low].number == number
		       ? &live->descriptors.at[low]
		       : NULL;
}

void live_compare(const struct live *before, struct live *after)
{
	size_t i;

	for (i = 0; i < after->descriptors.count; i++) {
		struct live_descriptor *now = &after->descriptors.at[i];
		const struct live_descriptor *then = live_descriptor_of(before, now->number);

		now->has_lasted = then && then->inode == now->inode &&
				  then->arrival != LIVE_ARRIVAL_NONE &&
				  now->arrival != LIVE_ARRIVAL_NONE;
	}
}

const struct live_watch *live_next_watch(
	const struct live *live, int32_t descriptor, const struct live_watch *after)
{
	size_t i = after ? (size_t)(after - live->watches.at) + 1 : 0;

	for (; i < live->watches.count; i++)
		if (live->watches.at[i].descriptor == descriptor)
			return &live->watches.at[i];
	return NULL;
}

bool live_is_of(const struct live_watch *watch, const struct live_descriptor *descriptor)
{
	return !watch->inode || !descriptor->inode || watch->inode == descriptor->inode;
}

bool live_is_armed(const struct live_watch *watch)
{
	return (watch->events & ~EVENTS_MODE) != 0;
}
