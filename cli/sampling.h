/* SPDX-License-Identifier: MIT */
/* Windows now and then instead of one recording, for `run` and `attach` with --every. */
#ifndef CLI_SAMPLING_H
#define CLI_SAMPLING_H

#include "corotracer/ct.h"
#include "options.h"

/* sampling_is_wanted: returns whether --every was given; without it, options that go with it only are a complaint. */
bool sampling_is_wanted(const struct arguments *arguments, const char **ret_complaint);

/*
 * sampling_perform: starts the command, or finds the process or address, and samples it until it ends or the user ends
 * the sampling. Returns the program's exit status, or for `attach` 0, or the status for why it failed.
 */
int sampling_perform(const struct arguments *arguments);

#endif
