/* SPDX-License-Identifier: MIT */
/*
 * A recording from its first step to its last sentence, as `run` and the older spelling both do it.
 */
#ifndef CLI_RECORDING_H
#define CLI_RECORDING_H

#include "corotracer/ct.h"

struct recording {
	/* `size`, `looks_at_end` and `wake_descriptor` are filled in. */
	struct ct_record_options options;
	bool wants_report;                      /* printed when the program has ended */
	const struct ct_thresholds *thresholds; /* of that report; NULL: all defaults */
	const char *dump_command;               /* run after each dump; NULL: none */
};

/*
 * recording_perform: runs the command to its end, and returns the program's exit status, or why it was not started.
 * With `pid` it records that process until it ends or the user has enough: 0, or why it could not. `ret_has_begun`,
 * which may be NULL, tells the two apart.
 */
int recording_perform(const struct recording *recording, bool *ret_has_begun);

#endif
