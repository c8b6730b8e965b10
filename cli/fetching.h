/* SPDX-License-Identifier: MIT */
/*
 * The other kind of program that `attach` takes: one that hands out its trace itself, at an address.
 */
#ifndef CLI_FETCHING_H
#define CLI_FETCHING_H

#include "options.h"
#include "recording.h"

/* fetching_is_address: does the operand begin as http:// or https:// do? */
bool fetching_is_address(const char *operand);

/* fetching_perform: has the trace sent, tells how that ended, and what is in it; returns the exit status. */
int fetching_perform(const struct arguments *arguments, struct recording *recording);

#endif
