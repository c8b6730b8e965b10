/* SPDX-License-Identifier: MIT */
/*
 * A heap of cursors, ordered by the time of the event that each cursor is at; the earliest comes first.
 *
 * The heap makes the same comparisons as Go's own, so that events of equal time come in the same order as in Go's
 * tools.
 */
#ifndef GOTRACE_TURNS_H
#define GOTRACE_TURNS_H

#include <stddef.h>
#include <stdint.h>

struct gotrace_turn {
	int64_t time;
	uint32_t cursor;
};

/* gotrace_turns_raise: moves the last of `count` turns up to its place in the heap. */
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

/* gotrace_turns_lower: moves the first turn down to its place in the heap. */
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

/* gotrace_turns_remove: removes the first turn. Returns the number of turns left. */
static inline size_t gotrace_turns_remove(struct gotrace_turn *turns, size_t count)
{
	turns[0] = turns[--count];
	if (count)
		gotrace_turns_lower(turns, count);
	return count;
}

#endif
