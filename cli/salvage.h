/* SPDX-License-Identifier: MIT */
/*
 * `corotracer recover` for the file of a program's own flight recorder.
 */
#ifndef CLI_SALVAGE_H
#define CLI_SALVAGE_H

#include "corotracer/ct.h"

/* salvage_flight: makes a trace of it, says what is missing in it, and returns the exit status. */
int salvage_flight(const char *path, const struct ct_part_options *options, const char *output);

#endif
