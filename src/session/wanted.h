/* SPDX-License-Identifier: MIT */
/* The wanted part of a recording: the filter before the output, and the times at which recording begins and ends. */
#ifndef SESSION_WANTED_H
#define SESSION_WANTED_H

#include "collect/collect.h"
#include "corotracer/ct.h"
#include "stages/queue.h"
#include "stream/stream.h"

struct wanted {
	struct ct_sink *filter;
	struct queue *queue; /* the queue before the filter; set by the caller */
	uint64_t begin_ns;   /* CLOCK_MONOTONIC; 0: recording has begun, or waits for the program */
	uint64_t end_ns;     /* 0: recording ends with the program, or the end is not known yet */
	uint64_t duration_ns;
	bool was_cut_off;
};

/*
 * wanted_open: puts a filter before `output`, which the filter owns from then on. On failure `output` stays the
 * caller's.
 */
enum ct_status wanted_open(struct wanted *wanted, const struct ct_wanted *options,
	struct ct_sink *output, struct ct_error *reterr);

/*
 * wanted_look: begins the recording if it is time. *ret_is_over: it is time to end the recording; the caller then puts
 * its last definitions into its sink, and calls wanted_finish.
 */
enum ct_status wanted_look(struct wanted *wanted, bool *ret_is_over, struct ct_error *reterr);

/* wanted_wait_ms: returns the longest wait until the next look: `wait_ms`, or less. */
int wanted_wait_ms(const struct wanted *wanted, int wait_ms);

/* wanted_finish: completes the output; the target runs on untraced. Closing the filter reports a failure. */
void wanted_finish(struct wanted *wanted, struct collect *collect);

#endif
