/* SPDX-License-Identifier: MIT */
/* The places at which a coroutine function suspends, from its code and the lines of its debug information. */
#ifndef FRAMES_POINTS_H
#define FRAMES_POINTS_H

#include "frames/code.h"

/*
 * points_read: finds the function's places in its code: each stores its index into the frame. If the shape has no
 * index, there is a single place, to which 0 leads. False: out of memory.
 */
bool points_read(struct code *code, struct code_function *function);

#endif
