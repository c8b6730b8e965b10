/* SPDX-License-Identifier: MIT */
/* What was found in memory, as sentences for a trace that has the events already (frames_see in frames.h). */
#ifndef FRAMES_SEE_H
#define FRAMES_SEE_H

#include "frames/found.h"
#include "frames/frames.h"

/* see_found: hands on all sentences; see frames_see. `before`: the first look, if there were two. */
void see_found(
	const struct found *found, const struct found *before, const struct frames_seeing *how);

#endif
