/* SPDX-License-Identifier: MIT */
/*
 * A recording from its first step to its last sentence, as `run` and the older spelling both do it.
 */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include "corotracer/ct.h"

struct recording {
	const char *output;
	enum ct_format format;
	char *const *command;
	int64_t pid;    /* of a process that runs already, instead of the command; 0: none */
	bool all_kinds; /* of events, as JSON lines */
	bool no_ledger;
	bool admits_all;                        /* probes of all users */
	int pack_level;                         /* of zstd; 0: the trace is not packed */
	bool wants_report;                      /* printed when the program has ended */
	const struct ct_thresholds *thresholds; /* of that report; NULL: all defaults */
	const struct ct_flight_options *flight; /* NULL: everything is recorded */
	const char *dump_command;               /* run after each dump; NULL: none */
	const struct ct_wanted *wanted;         /* NULL: everything */
	const struct ct_orders *orders;         /* NULL: the library's defaults */

	/* For JSON lines. */
	enum ct_row_numbers row_numbers;
	bool tells_all;
	bool shows_rows; /* as they come, under the output's own name */

	/* For probes that speak version 1; 0 and NULL: the library's defaults. */
	bool no_version1;
	uint32_t max_stations;
	const char *shm_path;
	const char *socket_path;
};

/*
 * recording_perform: runs the command to its end, and returns the program's exit status, or why it was not started.
 * With `pid` it records that process until it ends or the user has enough: 0, or why it could not.
 */
int recording_perform(const struct recording *recording);

#endif
