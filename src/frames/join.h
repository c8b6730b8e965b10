/* SPDX-License-Identifier: MIT */
/* What was found in memory, told as events and tables (source.c), for join.c. */
#ifndef FRAMES_JOIN_H
#define FRAMES_JOIN_H

#include "base/arena.h"
#include "frames/found.h"
#include "stream/lists.h"
#include "stream/stream.h"

#define FRAMES_PROCESS 1u

struct frames_source {
	struct ct_source source;
	struct ct_tables tables;
	struct lists lists;
	struct arena arena;
	VEC(struct ct_event)
	events; /* coroutine n is the one at index n - 1 of those that were found */
	size_t nr_handed;
};

/*
 * join_open: makes one source of a program's recorded past and of what was found in its memory, and takes over both;
 * after a failure both are closed.
 *
 * A coroutine is the same in both if the probe's number in its frame says so, or the address that the recorder has of
 * its frame, or of its promise. Its history tells it then, with the line at which its frame waits where the history has
 * none. If the recorder has no event of it any more, it is as it was at the earliest time from which on nothing was
 * overwritten. Others are told as found in memory, at the end.
 */
enum ct_status join_open(struct ct_source *past, struct frames_source *now,
	const struct found *found, struct ct_source **ret_source, struct ct_error *reterr);

#endif
