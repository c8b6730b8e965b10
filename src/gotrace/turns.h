/* SPDX-License-Identifier: MIT */
/*
 * Cursors by the time of the event that they stand at: a heap, the earliest first.
 *
 * The heap is Go's own, comparison by comparison, so that events of one time come in the same order as there.
 */
#ifndef GOTRACE_TURNS_H
#define GOTRACE_TURNS_H

#include <stddef.h>
#include <stdint.h>

struct gotrace_turn {
	int64_t time;
	uint32_t cursor;
};

/* gotrace_turns_raise: the last of `count` goes where it belongs among those before it. */
static inline void gotrace_turns_raise(struct gotrace_turn *turns, size_t count)
{
	size_t i = count - 1;

	while (i && turns[(i - 1) / 2].time > turns[i].time) {
		struct gotrace_turn turn = turns[i];

		turns[i] = turns[(i - 1) / 2];
		turns[(i - 1) / 2] = turn;
		i = (i - 1) / 2;
	}
}

/* gotrace_turns_lower: the first goes where it belongs among those behind it. */
static inline void gotrace_turns_lower(struct gotrace_turn *turns, size_t count)
{
	struct gotrace_turn turn = turns[0];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1, least = i;
		int64_t time = turn.time;

		if (child < count && turns[child].time < time) {
			least = child;
			time = turns[child].time;
		}
		if (child + 1 < count && turns[child + 1].time < time)
			least = child + 1;
		if (least == i)
			break;
		turns[i] = turns[least];
		i = least;
	}
	turns[i] = turn;
}

/* gotrace_turns_remove: the first is gone. Returns how many are left. */
static inline size_t gotrace_turns_remove(struct gotrace_turn *turns, size_t count)
{
	turns[0] = turns[--count];
	if (count)
		gotrace_turns_lower(turns, count);
	return count;
}

#endif
