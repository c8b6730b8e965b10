/* SPDX-License-Identifier: MIT */
/*
 * The options of `run` and `attach`: which events to record, orders to the probes, and how much of the past a flight
 * recorder keeps.
 */
#ifndef CLI_RECORDING_OPTIONS_H
#define CLI_RECORDING_OPTIONS_H

#include "corotracer/ct.h"
#include "options.h"

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

#endif
