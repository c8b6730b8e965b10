/* SPDX-License-Identifier: MIT */
/*
 * The last rest of a process: a while in which none of its coroutines did anything, until it was set going to its
 * end, by a signal or by its own failure. At the end of such a trace all waits are over, cancelled or destroyed by
 * the program's shutdown; at the end of the rest they were there. So the source is judged once more as if the trace
 * had ended then.
 */
#ifndef ANALYZE_LAST_REST_H
#define ANALYZE_LAST_REST_H

#include <stdbool.h>

#include "model/model.h"
#include "stream/stream.h"

struct analysis;

/* The rest of one process. */
struct last_rest {
	ct_time from;  /* nothing was done since */
	ct_time until; /* CT_NO_TIME: the process is judged at its end alone */
	bool is_by_signal;
	bool is_busy; /* no rest: a signal came amid all that went on, and all coroutines ended at once */
	int64_t lived_on_ns; /* the process, behind the last step of any coroutine */
};

/* A source as it was at the end of these rests: what the processes wrote from then on is left out. */
struct last_rests {
	struct ct_source source; /* first: a pointer to it is one to the whole */
	struct ct_source *all;   /* the caller's */
	struct ct_tables tables; /* processes end with their rests */
	struct last_rest *of;    /* by process */
};

/*
 * analyze_last_rest_find: has any process of the finished model such a rest? Then *rests is a source of what was before
 * their ends, with nothing to close; it borrows `source`, and memory of the analysis' report.
 */
bool analyze_last_rest_find(
	struct analysis *analysis, struct ct_source *source, struct last_rests *rests);

/* analyze_last_rest_merge: what the report of before says of who waited, into that of the whole; in one arena. */
void analyze_last_rest_merge(
	struct analysis *analysis, struct ct_report *report, const struct ct_report *before);

/* analyze_last_rest_remark: that it was judged so, for each of the processes. */
void analyze_last_rest_remark(struct analysis *analysis, const struct last_rests *rests);

#endif
