/* SPDX-License-Identifier: MIT */
/*
 * A recording from its first step to its last message, for `run` and the older spelling.
 */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include "corotracer/ct.h"
#include "options.h"
#include "serving.h"

struct recording {
	/* recording_perform fills in `size`, `looks_at_end` and `wake_descriptor`. */
	struct ct_record_options options;
	bool wants_report;                      /* print a report when the program has ended */
	const struct ct_thresholds *thresholds; /* of that report; NULL: all defaults */
	uint64_t memory_bytes;                  /* of that report: as in ct_open_options */
	const char *dump_command;               /* run after each dump; NULL: none */
	struct serving serving;                 /* the server during the recording */
};

/* How a recording went. */
struct recording_result {
	bool has_begun; /* the program was started, or the process is recorded */
	/* the file with the output's name was written by this recording, not before */
	bool is_written;
	/* writing the output failed at some time: events, or its name, are missing */
	bool is_incomplete;
};

/*
 * recording_perform: runs the command to its end, and returns the program's exit status, or the status for why it was
 * not started. With `pid` it records that process until the process ends or the user ends the recording: 0, or the
 * status for why it failed. `ret_result`, which may be NULL, distinguishes these cases.
 */
int recording_perform(const struct recording *recording, struct recording_result *ret_result);

/* ---------------------------------------------------------------- recording_options.c */

/*
 * The options of `run` and `attach`: which events to record, the orders to the probes, and how much of the past a
 * flight recorder keeps.
 */
struct recording_options {
	struct ct_wanted wanted;
	struct ct_orders orders;
	struct ct_flight_options flight;
	/* The lists to which the options point. */
	const char **lists[3];
	const char **conditions;
};

/*
 * recording_options_read: reads the options; false: `complaint` is one sentence. recording_options_fini frees
 * everything, and must be called in either case.
 */
bool recording_options_read(struct recording_options *options, const struct arguments *arguments,
	char complaint[COMPLAINT_BYTES]);
void recording_options_fini(struct recording_options *options);

/* ---------------------------------------------------------------- summary.c */

/* summary_before_close: prints messages about the statistics, whose texts are still valid. */
void summary_before_close(const struct recording *recording, const struct ct_record_stats *stats);

/*
 * summary_after_close: prints the last line, from the trace if it was written and can be read, and the report if it was
 * requested. `error`: why the output is not complete, or NULL. `look`: what the kernel reported about the process, or
 * NULL.
 */
void summary_after_close(const struct recording *recording, const struct recording_result *result,
	const struct ct_record_stats *stats, const struct ct_error *error,
	const struct ct_process_look *look);

#endif
