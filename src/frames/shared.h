/* SPDX-License-Identifier: MIT */
/*
 * What coroutines have in common: of what some of them await, or have while they run, which others have a variable that
 * leads there. One of those may hold what the others wait for, or keep a future that it does not poll.
 */
#ifndef FRAMES_SHARED_H
#define FRAMES_SHARED_H

#include "frames/blocks.h"
#include "frames/found.h"

/* shared_tell: adds a note for each of the four such rows that have the fewest coroutines. */
void shared_tell(struct found *found, const struct blocks *blocks);

#endif
