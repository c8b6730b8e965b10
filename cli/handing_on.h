/* SPDX-License-Identifier: MIT */
/*
 * A trace written for another program, as `export` and the older spelling both do it (command_export.c).
 */
#ifndef CLI_HANDING_ON_H
#define CLI_HANDING_ON_H

#include <stdbool.h>

#include "corotracer/ct.h"

struct handing_on {
	const char *input;
	const char *format; /* csv, dataframe or sqlite, in any case of letters */
	bool is_older;      /* the older spelling's forms */
	const char *output; /* NULL: named after the input, and said aloud */
	const char *table;  /* NULL: the library's default */
	/* For sqlite, which holds findings; NULL: all defaults. */
	const struct ct_thresholds *thresholds;
};

/* hand_on: does it, and returns the exit status. */
int hand_on(const struct handing_on *handing_on);

#endif
