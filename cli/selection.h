/* SPDX-License-Identifier: MIT */
/*
 * Events picked out of a trace, and printed a line each, as `dump` and `follow` both do it.
 */
#ifndef CLI_SELECTION_H
#define CLI_SELECTION_H

#include <stdio.h>

#include "corotracer/ct.h"

/* Which events are asked for. */
struct selection {
	uint64_t first;
	uint64_t last;
	uint64_t coroutine; /* 0: any */
	uint64_t frame;     /* of the coroutine, while it lives; wakes may name only that */
};

/* selection_read_range: "120-140" or "120", numbers of events. False: it is neither. */
bool selection_read_range(const char *text, struct selection *selection);

/* selection_note: call it for each event, whether it is wanted or not, and then selection_has. */
void selection_note(struct selection *selection, const struct ct_event *event);
bool selection_has(const struct selection *selection, const struct ct_event *event);

/* print_event: the event handed out last, with its number and its place in the source. */
void print_event(FILE *stream, const struct ct_trace *trace, const struct ct_event *event);

#endif
