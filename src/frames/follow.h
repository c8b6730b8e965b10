/* SPDX-License-Identifier: MIT */
/*
 * The question who could still be woken: memory is followed from what can run (stacks, variables, coroutines that run
 * or are ready), and never through a coroutine that waits, until something leads to what wakes it. Where nothing does,
 * the coroutine can only be woken by others of which the same is true. A word that looks like an address counts as one.
 */
#ifndef FRAMES_FOLLOW_H
#define FRAMES_FOLLOW_H

#include "frames/found.h"

/* follow_judge: sets is_unreached of the coroutines. False: out of memory. */
bool follow_judge(struct found *found, const struct image *image);

#endif
