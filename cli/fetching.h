/* SPDX-License-Identifier: MIT */
/*
 * A program that `attach` can trace without a probe: the program sends its trace itself, from an HTTP address.
 */
#ifndef CLI_FETCHING_H
#define CLI_FETCHING_H

#include "options.h"
#include "recording.h"

/* fetching_is_address: does the operand begin with http:// or https://? */
bool fetching_is_address(const char *operand);

/*
 * fetching_perform: fetches the trace, reports how the transfer ended and what the trace contains; returns the exit
 * status.
 */
int fetching_perform(const struct arguments *arguments, struct recording *recording);

#endif
