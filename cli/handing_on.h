/* SPDX-License-Identifier: MIT */
/*
 * A trace written for another program, as `export` and the older spelling both do it.
 */
#ifndef CLI_HANDING_ON_H
#define CLI_HANDING_ON_H

#include <stdbool.h>

struct handing_on {
	const char *input;
	const char *format; /* csv, dataframe or sqlite */
	const char *output; /* NULL: named after the input, and said aloud */
	const char *table;  /* NULL: the library's default */
};

/* hand_on: does it, and returns the exit status. */
int hand_on(const struct handing_on *handing_on);

/*
 * is_same_file: are these two names of one file? An output of the input's name would replace it. False where
 * one of them is not there.
 */
bool is_same_file(const char *a, const char *b);

#endif
