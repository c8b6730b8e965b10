/* SPDX-License-Identifier: MIT */
/* The unfinished trace of a recording, for readers while the recording goes on. */
#ifndef SESSION_SO_FAR_H
#define SESSION_SO_FAR_H

#include "corotracer/ct.h"

/*
 * so_far_open: returns a descriptor of the trace, which the caller closes; -1: there is none that could be read. For a
 * flight recorder, it is a copy of the window, made by the recording's next step. Any thread except the one that steps
 * may call this, until the recording is closed.
 */
int so_far_open(struct ct_record *record);

/* so_far_open_output: returns a descriptor of an output that is being written under this name; -1: there is none. */
int so_far_open_output(const char *output);

#endif
