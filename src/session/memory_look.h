/* SPDX-License-Identifier: MIT */
/*
 * What is in the memory of a program whose coroutines stand still. How a program is ended does not show what it waited
 * for, and there is no time for a look then, so a thread of low priority looks beforehand: as soon as the coroutines
 * have stood still for half a second, or, without a probe, a second, and later in at most a twentieth of the time. The
 * last look that saw something counts, if the coroutines stood still until the end, or nearly: a signal lets some
 * runtimes end all of them first.
 *
 * In a program in which others go on, such as a clock, it looks as soon as coroutines have waited for a second and a
 * half of which no look knows, at first after two seconds, then four, eight, and so on, and in at most a hundredth of a
 * processor's time. What it saw of a coroutine counts if the coroutine's events say that it has not moved since memory
 * began to be read, which debug information can delay by seconds. Without a probe it looks by time alone, twice, and
 * says what was the same both times.
 *
 * One thread uses the functions.
 */
#ifndef SESSION_MEMORY_LOOK_H
#define SESSION_MEMORY_LOOK_H

#include "collect/collect.h"
#include "stream/stream.h"

struct memory_look;

/*
 * memory_look_new: looks into what is collected, from the beginning on, and defines sights into the sink, until it is
 * finished; NULL: out of memory. All other functions allow NULL, and do nothing. memory_look_free: waits for a
 * look that is under way.
 */
struct memory_look *memory_look_new(struct collect *collect, struct ct_sink *sink);
void memory_look_free(struct memory_look *memory);

/*
 * memory_look_step: begins a look if one is due, after the collector's own look at the silence; defines what one saw
 * as soon as it has ended.
 */
void memory_look_step(struct memory_look *memory, uint64_t now_ns);

/* memory_look_signal: notes what is true before a signal ends the program, and perhaps its coroutines first. */
void memory_look_signal(struct memory_look *memory, int signal_number, uint64_t now_ns);

/* memory_look_finish: defines the sights that are of the end; does so once, and ends looking. */
void memory_look_finish(struct memory_look *memory, uint64_t now_ns);

#endif
