/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder on the command line: its options, what is said of dumps, and what is run after them.
 */
#ifndef CLI_FLIGHT_H
#define CLI_FLIGHT_H

#include "after_dump.h"
#include "options.h"

/*
 * flight_options_read: from --flight, --on and --max-dumps. The conditions' array is the caller's to free.
 * False: complaint is one sentence.
 */
bool flight_options_read(const struct arguments *arguments, struct ct_flight_options *ret_options,
	char complaint[COMPLAINT_BYTES]);

/* How far the dumps of a recording were told. */
struct flight_course {
	uint32_t nr_said;
	struct after_dump after;
};

/* flight_say: says which dumps are new, runs the command for each, and says of commands how they failed. */
void flight_say(struct ct_record *record, struct flight_course *course);

/* flight_finish: the last sentences, and a little time for the commands that still run. */
void flight_finish(struct ct_record *record, struct flight_course *course);

#endif
