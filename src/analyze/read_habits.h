/* SPDX-License-Identifier: MIT */
/*
 * Habits of reading: a coroutine whose waits end after polls have reported one descriptor, from which it then reads,
 * goes on because of that descriptor, whatever its waits say. If reports go on and it does not, it waits for something
 * else now, and the descriptor has no reader.
 */
#ifndef ANALYZE_READ_HABITS_H
#define ANALYZE_READ_HABITS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_read_habits_watcher: the watcher that counts this; the judgement registers it. */
extern const struct model_watcher analyze_read_habits_watcher;

/*
 * analyze_read_habits_descriptor: returns the descriptor from which the coroutine read after each report so far: at
 * least ten times, and ten times as often as its waits ended otherwise. 0: there is none, or a wait names its object.
 * analyze_read_habits_slowest: the longest time from such a report until it ran, in nanoseconds.
 */
uint32_t analyze_read_habits_descriptor(
	const struct analysis *analysis, const struct model_coro *coro);
int64_t analyze_read_habits_slowest(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_read_habits_written: when did the process last write to the other end of this descriptor? CT_NO_TIME: never,
 * or the other end is not in the process, or closed.
 */
ct_time analyze_read_habits_written(const struct analysis *analysis, uint32_t descriptor);

/* analyze_read_habits_are_alone: has none of its waits ended in another way, and did it read nowhere else? */
bool analyze_read_habits_are_alone(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_read_habits_tell: adds evidence of the habit, and of what the other end has written since, if it is known. */
void analyze_read_habits_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro);

#endif
