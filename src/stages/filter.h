/* SPDX-License-Identifier: MIT */
/*
 * Recording only what matters: a sink before the sink, which leaves out what is not wanted, and counts it.
 *
 * The following can be left out: categories of events; coroutines, whole lives of them (one in so many by id, those
 * at a place, of a name, or that work for a task); annotations by name; and times, by a window that opens and
 * closes.
 *
 * What was left out is no loss, and is never silence either: it goes into the inner sink as losses with
 * reasons of their own (def/losses.def: PAUSED, CATEGORY, SAMPLE, LEFT_OUT), and as a note that says what was
 * asked for. The end's counts are those of what was passed on.
 *
 * A coroutine that is left out from the middle of its life gets a mark (LEFT_OUT) there. Wakes and switches
 * that concern one that is kept stay, without the one that is left out. A window that opens for the first
 * time begins with the records that lead to the state of that moment; one that opens again does not, and
 * the gap is a loss.
 *
 * Patterns are those of fnmatch(3). A place matches by its function, its file's name, "file:line", or its
 * name; a name by its text.
 */
#ifndef STAGES_FILTER_H
#define STAGES_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "corotracer/ct.h"
#include "stream/stream.h"

/* The recording's own counts, where it ends before the program. */
struct filter_totals {
	uint64_t now_ns; /* CLOCK_MONOTONIC */
	uint64_t nr_events;
	uint64_t nr_lost;
};

/*
 * filter_sink_open: a sink that passes on to `inner` what is wanted (all zero: everything), and closes it with itself.
 * Patterns are copied. With `start_after_ns` or `wait_for_start` the window opens by filter_begin; the program's own
 * marks START and STOP open and close it. One thread uses it at a time.
 */
enum ct_status filter_sink_open(const struct ct_wanted *wanted, struct ct_sink *inner,
	struct ct_sink **ret_sink, struct ct_error *reterr);

/* filter_begin: opens the window, if it never was open. */
enum ct_status filter_begin(struct ct_sink *sink, struct ct_error *reterr);

/* filter_has_begun: has the window been open at some time? Any thread may ask. */
bool filter_has_begun(const struct ct_sink *sink);

/*
 * filter_finish: the recording ends now, and the processes run on: completes the output, and closes the inner
 * sink. Later calls are ignored. The caller has put and defined all that it has. The status is the output's.
 */
enum ct_status filter_finish(
	struct ct_sink *sink, const struct filter_totals *totals, struct ct_error *reterr);

/* filter_is_open: are events kept at present? On the thread that uses the filter. */
bool filter_is_open(const struct ct_sink *sink);

/* filter_categories_off: categories that are left out at present, a bit each. On the thread that uses the filter. */
uint32_t filter_categories_off(const struct ct_sink *sink);

/* What can be changed while records come. */
enum filter_subject {
	FILTER_START,      /* the window opens, */
	FILTER_STOP,       /* and closes, as by the program's own marks */
	FILTER_CATEGORIES, /* `number`: bits of those that are left out from now on; SCHEDULING stays */
	FILTER_SAMPLE, /* `number`: of the coroutines created from now on, one in so many is kept */
	FILTER_SITES,  /* `patterns`, instead of those so far */
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
 * filter_change: changes what is wanted, from the next record on; the trace gets a note that says so. A coroutine that
 * was left out stays so until its end, since what it did meanwhile is not known: only those that are created later
 * are kept again. A sample is taken among those that filter_sink_open's leaves. CT_ERR_USAGE: the recording is over.
 */
enum ct_status filter_change(
	struct ct_sink *sink, const struct filter_change *change, struct ct_error *reterr);

/*
 * filter_nr_left_out: events of those taken that were not passed on, less what was passed on besides. filter_nr_told:
 * how many are told as left out. Events of a category on which no finding rests are not, nor those after the end; one
 * more is for each other category that is off, in each process: its events may never have been written.
 */
uint64_t filter_nr_left_out(const struct ct_sink *sink);
uint64_t filter_nr_told(const struct ct_sink *sink);

#endif
