/* SPDX-License-Identifier: MIT */
/*
 * What is in the memory of a program whose coroutines stand still. How a program is ended does not show what it waited
 * for, and there is no time for a look then, so a thread of low priority looks beforehand: as soon as the coroutines
 * have stood still for half a second, or, without a probe, a second, and later in at most a twentieth of the time. The
 * last look that saw something counts, if the coroutines stood still until the end, or nearly: a signal lets some
 * runtimes end all of them first.
 *
 * One thread uses the functions.
 */
#ifndef SESSION_MEMORY_LOOK_H
#define SESSION_MEMORY_LOOK_H

#include "collect/collect.h"
#include "stream/stream.h"

struct memory_look;

/*
 * memory_look_new: NULL: out of memory. All other functions allow NULL, and do nothing. memory_look_free: waits for a
 * look that is under way.
 */
struct memory_look *memory_look_new(void);
void memory_look_free(struct memory_look *memory);

/* memory_look_step: begins a look if one is due, after the collector's own look at the silence. */
void memory_look_step(struct memory_look *memory, const struct collect *collect, uint64_t now_ns);

/* memory_look_finish: defines the sights into the sink, if they are of the end; does so once, and ends looking. */
void memory_look_finish(struct memory_look *memory, struct ct_sink *sink, uint64_t now_ns);

#endif
