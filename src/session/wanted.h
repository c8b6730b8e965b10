/* SPDX-License-Identifier: MIT */
/*
 * The wanted part of a recording: the filter before its output, and the times at which recording begins and ends.
 */
#ifndef SESSION_WANTED_H
#define SESSION_WANTED_H

#include "collect/collect.h"
#include "corotracer/ct.h"
#include "stages/queue.h"
#include "stream/stream.h"

struct wanted {
	struct ct_sink *filter;
	struct queue *queue; /* before the filter; the caller sets it */
	uint64_t begin_ns;   /* CLOCK_MONOTONIC; 0: recording has begun, or waits for the program */
	uint64_t end_ns;     /* 0: with the program, or not known yet */
	uint64_t duration_ns;
	bool was_cut_off;
};

/* wanted_open: puts a filter before `output`, and takes over that. On failure `output` stays the caller's. */
enum ct_status wanted_open(struct wanted *wanted, const struct ct_wanted *options,
	struct ct_sink *output, struct ct_error *reterr);

/*
 * wanted_look: begins the recording where it is time to. *ret_is_over: it is time to end it; the caller defines
 * what is still to be said into its sink, and calls wanted_finish.
 */
enum ct_status wanted_look(struct wanted *wanted, bool *ret_is_over, struct ct_error *reterr);

/* wanted_wait_ms: at most so long until the next look: `wait_ms`, or less. */
int wanted_wait_ms(const struct wanted *wanted, int wait_ms);

/*
 * wanted_finish: completes the output; the target runs on untraced. A failure is told when the filter is closed.
 */
void wanted_finish(struct wanted *wanted, struct collect *collect);

#endif
