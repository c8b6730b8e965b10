/* SPDX-License-Identifier: MIT */
/* Which coroutines of a recorded past are which of those that were found in memory. */
#ifndef FRAMES_MATCH_H
#define FRAMES_MATCH_H

#include "frames/found.h"
#include "stream/stream.h"

/* What the past knows of a coroutine. */
struct life {
	uint64_t coro;
	uint64_t created; /* an address in its promise; 0: not known */
	uint64_t frame;   /* of its frame; 0: not known */
	bool is_gone;
	bool is_suspended; /* by the last of its events, which is: */
	uint64_t sequence;
	uint64_t object; /* what it waits for, and where */
	uint32_t site;
};

enum match {
	MATCH_NONE,    /* the probe does not know it */
	MATCH_SILENT,  /* the probe knows it, and the past has no event of it */
	MATCH_HISTORY, /* the past has it */
	MATCH_LEFT_OUT /* of another runtime: it may be in the past under another address */
};

struct matches {
	VEC(struct life) lives;
	struct map by_coro; /* index into `lives` */
	struct map by_frame;
	/* for each that was found: */
	enum match *match;
	uint64_t *coro;     /* its number in both */
	uint32_t *life;     /* of one with a history */
	uint64_t counts[4]; /* by enum match */
	ct_time last;       /* time of the last event of the past */
	uint64_t nr_events;
};

/*
 * match_find: reads the past once, and finds for each coroutine that was found which one it is; what is not in the
 * past gets a number of its own. match_fini: frees what it made, also if it failed.
 */
enum ct_status match_find(struct matches *matches, struct ct_source *past,
	const struct found *found, struct ct_error *reterr);
void match_fini(struct matches *matches);

#endif
