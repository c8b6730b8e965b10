/* SPDX-License-Identifier: MIT */
/*
 * The trace of a recording as it is so far: for those who read it while it goes on.
 */
#ifndef SESSION_SO_FAR_H
#define SESSION_SO_FAR_H

#include "corotracer/ct.h"

/*
 * so_far_open: a descriptor of it, the caller's to close; -1: there is none that could be read. A flight recorder gives
 * a copy of its window, made by the recording's next step. Any thread but the one that steps, until the recording is
 * closed.
 */
int so_far_open(struct ct_record *record);

/* so_far_open_output: of an output that is being written under this name; NULL: there is none. */
int so_far_open_output(const char *output);

#endif
