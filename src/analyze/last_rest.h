/* SPDX-License-Identifier: MIT */
/*
 * The last rest of a process: a time in which none of its coroutines did anything, until a signal or the program's
 * own failure made it end. At the end of such a trace all waits are over, cancelled or destroyed by the program's
 * shutdown; at the end of the rest they still existed. Therefore the source is judged a second time as if the trace
 * had ended with the rest.
 */
#ifndef ANALYZE_LAST_REST_H
#define ANALYZE_LAST_REST_H

#include <stdbool.h>

#include "model/model.h"
#include "stream/stream.h"

struct analysis;

/* The rest of one process. */
struct last_rest {
	ct_time from;  /* no coroutine did anything since */
	ct_time until; /* CT_NO_TIME: the process is judged only at its end */
	bool is_by_signal;
	/* no call shows the signal: it came between the rest's end and the process's */
	bool is_before_signal;
	/* no rest: the signal came during normal work, and all coroutines ended then */
	bool is_busy;
	/* while the source is read: what the signal interrupted was told */
	bool is_place_told;
	int64_t lived_on_ns; /* how long the process lived after the last step of any coroutine */
};

/* A source that ends, for each process, with its rest: later events of the process are left out. */
struct last_rests {
	struct ct_source source; /* first: a pointer to it is a pointer to the last_rests */
	struct ct_source *all;   /* the caller's */
	struct ct_tables tables; /* with the rest's end as the end of each process */
	struct last_rest *of;    /* by process */
};

/*
 * analyze_last_rest_find: returns whether any process of the finished model has such a rest. If so, *rests is a
 * source of the events before the ends of the rests. The caller need not close it; it borrows `source`, and memory of
 * the analysis' report.
 */
bool analyze_last_rest_find(
	struct analysis *analysis, struct ct_source *source, struct last_rests *rests);

/*
 * analyze_last_rest_merge: merges the findings and remarks of the report `before` (of the rest) into the report of
 * the whole trace, and takes the waits, the advice and the why chain from `before`. Leaves out of the whole what only
 * ran late because a signal ended everything at once. Both reports are in one arena.
 */
void analyze_last_rest_merge(struct analysis *analysis, const struct last_rests *rests,
	struct ct_report *report, const struct ct_report *before);

/* analyze_last_rest_remark: adds a remark for each process that was judged at the end of its rest. */
void analyze_last_rest_remark(struct analysis *analysis, const struct last_rests *rests);

#endif
