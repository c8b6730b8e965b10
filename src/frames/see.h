/* SPDX-License-Identifier: MIT */
/* What was found in memory, as sentences for a trace that has the events already (frames_see in frames.h). */
#ifndef FRAMES_SEE_H
#define FRAMES_SEE_H

#include "frames/found.h"

/* see_found: hands on all sentences; see frames_see. */
void see_found(const struct found *found, bool is_recorded,
	bool (*hand_on)(void *context, uint64_t coro, const char *text), void *context);

#endif
