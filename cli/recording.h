/* SPDX-License-Identifier: MIT */
/*
 * A recording from its first step to its last sentence, as `run` and the older spelling both do it.
 */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include "corotracer/ct.h"
#include "options.h"
#include "serving.h"

struct recording {
	/* `size`, `looks_at_end` and `wake_descriptor` are filled in. */
	struct ct_record_options options;
	bool wants_report;                      /* printed when the program has ended */
	const struct ct_thresholds *thresholds; /* of that report; NULL: all defaults */
	uint64_t memory_bytes;                  /* likewise: of ct_open_options */
	const char *dump_command;               /* run after each dump; NULL: none */
	struct serving serving;                 /* while it goes on */
};

/* What became of a recording. */
struct recording_result {
	bool has_begun;     /* the program was started, or the process is recorded */
	bool is_written;    /* the output's name is that of this recording, and of none before */
	bool is_incomplete; /* the output failed at some time: events, or its name, are missing */
};

/*
 * recording_perform: runs the command to its end, and returns the program's exit status, or why it was not started.
 * With `pid` it records that process until it ends or the user has enough: 0, or why it could not. `ret_result`, which
 * may be NULL, tells these apart.
 */
int recording_perform(const struct recording *recording, struct recording_result *ret_result);

/* ---------------------------------------------------------------- recording_options.c */

/*
 * The options of `run` and `attach`: which events to record, orders to the probes, and how much of the past a flight
 * recorder keeps.
 */
struct recording_options {
	struct ct_wanted wanted;
	struct ct_orders orders;
	struct ct_flight_options flight;
	/* Lists that they point into. */
	const char **lists[3];
	const char **conditions;
};

/*
 * recording_options_read: false: complaint is one sentence. recording_options_fini gives everything back in either
 * case.
 */
bool recording_options_read(struct recording_options *options, const struct arguments *arguments,
	char complaint[COMPLAINT_BYTES]);
void recording_options_fini(struct recording_options *options);

/* ---------------------------------------------------------------- summary.c */

/* summary_before_close: what the statistics say, while their texts are valid. */
void summary_before_close(const struct recording *recording, const struct ct_record_stats *stats);

/*
 * summary_after_close: the last line, made from the trace where it was written and can be read, and the report where it
 * was asked for. `error`: why the output is not complete, or NULL. `look`: what the kernel told of the process, or
 * NULL.
 */
void summary_after_close(const struct recording *recording, const struct recording_result *result,
	const struct ct_record_stats *stats, const struct ct_error *error,
	const struct ct_process_look *look);

#endif
