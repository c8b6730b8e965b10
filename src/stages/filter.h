/* SPDX-License-Identifier: MIT */
/*
 * Recording only what matters: a sink in front of another one, which leaves out unwanted events, and counts them.
 *
 * The following can be left out: categories of events; coroutines, with their whole lives (all but one in N by id,
 * those at a place, of a name, or that work for a task); annotations by name; and times, by a window that opens and
 * closes.
 *
 * Events that were left out do not count as lost, but their absence is never silence either: they are reported to the
 * inner sink as losses with reasons of their own (def/losses.def: PAUSED, CATEGORY, SAMPLE, LEFT_OUT), and in a note
 * that says what was asked for. The counts of END are those of the events that were passed on.
 *
 * A coroutine that is left out from the middle of its life gets a mark (LEFT_OUT) there. A wake or switch between a
 * kept coroutine and one that is left out stays, without the one that is left out. A window that opens for the first
 * time begins with the records that lead to the state of that moment; one that opens again does not, and the gap is a
 * loss.
 *
 * Patterns are those of fnmatch(3). A place matches by its function, its file's name, "file:line", or its name; a name
 * by its text.
 */
#ifndef STAGES_FILTER_H
#define STAGES_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "corotracer/ct.h"
#include "stream/stream.h"

/* The recording's own counts, for a recording that ends before the program. */
struct filter_totals {
	uint64_t now_ns; /* CLOCK_MONOTONIC */
	uint64_t nr_events;
	uint64_t nr_lost;
};

/*
 * filter_sink_open: opens a sink that passes the wanted events on to `inner` (all zero: every event), and closes
 * `inner` with itself. Patterns are copied. With `start_after_ns` or `wait_for_start`, filter_begin opens the window;
 * the program's own marks START and STOP open and close it. One thread at a time uses the sink.
 */
enum ct_status filter_sink_open(const struct ct_wanted *wanted, struct ct_sink *inner,
	struct ct_sink **ret_sink, struct ct_error *reterr);

/* filter_begin: opens the window, if it was never open. */
enum ct_status filter_begin(struct ct_sink *sink, struct ct_error *reterr);

/* filter_has_begun: returns whether the window has ever been open. Any thread may ask. */
bool filter_has_begun(const struct ct_sink *sink);

/*
 * filter_finish: ends the recording now, while the processes run on: completes the output, and closes the inner sink.
 * Later calls are ignored. The caller must have put and defined everything before. Returns the output's status.
 */
enum ct_status filter_finish(
	struct ct_sink *sink, const struct filter_totals *totals, struct ct_error *reterr);

/* filter_is_open: returns whether events are kept at present. Call it on the thread that uses the filter. */
bool filter_is_open(const struct ct_sink *sink);

/*
 * filter_categories_off: returns the categories that are left out at present, one bit each. Call it on the thread that
 * uses the filter.
 */
uint32_t filter_categories_off(const struct ct_sink *sink);

/* What can be changed while records come. */
enum filter_subject {
	FILTER_START,      /* the window opens, as by the program's own mark */
	FILTER_STOP,       /* the window closes, as by the program's own mark */
	FILTER_CATEGORIES, /* `number`: bits of categories left out from now on; SCHEDULING stays */
	/* `number`: one in this many of the coroutines created from now on is kept */
	FILTER_SAMPLE,
	FILTER_SITES, /* `patterns` replace the present ones */
	FILTER_NAMES,
	FILTER_TASKS,
};

struct filter_change {
	enum filter_subject subject;
	uint32_t number;
	const char *const *patterns; /* NULL-terminated; NULL: none */
	uint64_t now_ns;             /* CLOCK_MONOTONIC */
};

/*
 * filter_change: changes what is wanted, from the next record on; the trace gets a note about the change. A coroutine
 * that was left out stays left out until its end, because what it did meanwhile is not known: only coroutines created
 * later are kept again. A new sample is taken of the coroutines that the sample of filter_sink_open keeps.
 * CT_ERR_USAGE: the recording is over.
 */
enum ct_status filter_change(
	struct ct_sink *sink, const struct filter_change *change, struct ct_error *reterr);

/*
 * filter_nr_left_out: returns the number of events that were taken but not passed on, less the number of events passed
 * on in addition. filter_nr_told: returns the number of events that are reported as left out. Events of a category on
 * which no finding rests are not reported, nor are events after the end. For each other category that is off, one more
 * event is reported in each process, because the category's events may never have been written.
 */
uint64_t filter_nr_left_out(const struct ct_sink *sink);
uint64_t filter_nr_told(const struct ct_sink *sink);

#endif
