/* SPDX-License-Identifier: MIT */
/*
 * Judges a trace on a thread of its own, and judges it again while it grows: for screens that show a recording.
 *
 * The thread works at most a quarter of the time. While a recording goes on, the thread has a lower priority than the
 * traced program (nice), and reads only the end of the trace, at most JUDGING_BYTES, so that the time of a judgement is
 * bounded, too.
 *
 * The whole of a large trace takes seconds. If its end alone shows what is wrong, this is a judgement, too, until the
 * whole is judged.
 *
 * A judgement lives until there is a newer one and its last reader has returned it. Any thread may call any function
 * here.
 */
#ifndef SESSION_JUDGING_H
#define SESSION_JUDGING_H

#include "corotracer/ct.h"

#define JUDGING_BYTES \
	(UINT64_C(32) << 20) /* twice the bytes of a generation, so that one begins there */

struct judging;

struct judging_options {
	const char *path; /* a trace; if only PATH.partial exists, it is being recorded */
	/* Instead of the path: opens the trace so far; called for each judgement. -1: there is no trace now. */
	int (*open)(void *context);
	void *context;
	const struct ct_thresholds *thresholds; /* must outlive the judging; NULL: all defaults */
	uint64_t memory_bytes;                  /* as in ct_open_options */
};

/* One judgement; everything in it is borrowed with it. */
struct judged {
	uint64_t generation; /* 1, 2, ... */
	struct ct_trace *trace;
	struct ct_view *view;
	const struct ct_report *report; /* belongs to the view */
	uint64_t begun_ns;              /* CLOCK_MONOTONIC: later events are not included */
	uint64_t took_ns;
	bool is_growing; /* the recording went on at that time */
	/* Only the end of a large trace is judged, while the whole is being judged. */
	bool is_first_look;
};

/*
 * judging_open: starts the thread. judging_close: waits for the judgement under way, and ends the thread. NULL is
 * allowed.
 */
enum ct_status judging_open(const struct judging_options *options, struct judging **ret_judging,
	struct ct_error *reterr);
void judging_close(struct judging *judging);

/*
 * judging_tell: from now on the judging's thread calls the function after each judgement. At most once; the context
 * must outlive the judging.
 */
void judging_tell(struct judging *judging, void (*judged)(void *context), void *context);

/*
 * judging_let_go: `open` is not called any more, and what it opened is not needed. judging_turn_to: judges the path
 * from now on.
 */
void judging_let_go(struct judging *judging);
enum ct_status judging_turn_to(struct judging *judging, const char *path, struct ct_error *reterr);

/*
 * judging_borrow: returns the newest judgement, to be returned by judging_return; NULL: there is none yet. Several
 * readers may have the same judgement: they may ask its view, and read its report and its tables, but must not read
 * events from its trace.
 */
const struct judged *judging_borrow(struct judging *judging);
void judging_return(struct judging *judging, const struct judged *judged);

/*
 * judging_trouble: returns why the trace could not be judged the last time. Returns false if it was judged, or was not
 * tried yet.
 */
bool judging_trouble(struct judging *judging, struct ct_error *ret_error);

#endif
