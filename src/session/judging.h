/* SPDX-License-Identifier: MIT */
/*
 * A trace judged on a thread of its own, and judged again while it grows: what a screen shows of a recording.
 *
 * The thread works at most a quarter of the time. While a recording goes on it stands behind the traced program (nice);
 * then the end of the trace is read, at most JUDGING_BYTES, so that the time of a judgement is bounded, too.
 *
 * A judgement lives until a newer one has come and its last reader has given it back. Everything here may be called by
 * any thread.
 */
#ifndef SESSION_JUDGING_H
#define SESSION_JUDGING_H

#include "corotracer/ct.h"

#define JUDGING_BYTES \
	(UINT64_C(32) << 20) /* twice the bytes of a generation, so that one begins there */

struct judging;

struct judging_options {
	const char *path; /* a trace; where only PATH.partial is there, it is recorded at present */
	/* Instead of the path: opens the trace so far, for each judgement anew. -1: there is none now. */
	int (*open)(void *context);
	void *context;
	const struct ct_thresholds *thresholds; /* outlive it; NULL: all defaults */
	uint64_t memory_bytes;                  /* of ct_open_options */
};

/* One judgement; all in it is borrowed with it. */
struct judged {
	uint64_t generation; /* 1, 2, ... */
	struct ct_trace *trace;
	struct ct_view *view;
	const struct ct_report *report; /* the view's */
	uint64_t begun_ns;              /* CLOCK_MONOTONIC: later events are not in it */
	uint64_t took_ns;
	bool is_growing; /* the recording went on */
};

/* judging_open: starts the thread. judging_close: breaks nothing off, and waits for it. NULL is allowed. */
enum ct_status judging_open(const struct judging_options *options, struct judging **ret_judging,
	struct ct_error *reterr);
void judging_close(struct judging *judging);

/*
 * judging_let_go: `open` is not called any more, and what it has opened is not needed. judging_turn_to: the path is
 * judged from now on.
 */
void judging_let_go(struct judging *judging);
enum ct_status judging_turn_to(struct judging *judging, const char *path, struct ct_error *reterr);

/*
 * judging_borrow: the newest judgement, to be given back by judging_return; NULL: there is none yet. Several readers
 * may have the same one: they ask its view, read its report and its tables, and do not move in its trace.
 */
const struct judged *judging_borrow(struct judging *judging);
void judging_return(struct judging *judging, const struct judged *judged);

/* judging_trouble: why the trace could not be judged when it was last tried. False: it could, or was not tried yet. */
bool judging_trouble(struct judging *judging, struct ct_error *ret_error);

#endif
