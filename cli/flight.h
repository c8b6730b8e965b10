/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder on the command line: its options, what is said of dumps, and what is run after them.
 */
#ifndef CLI_FLIGHT_H
#define CLI_FLIGHT_H

#include "corotracer/ct.h"
#include "options.h"

/*
 * flight_options_read: from --flight, --on and --max-dumps. The conditions' array is the caller's to free.
 * False: complaint is one sentence.
 */
bool flight_options_read(const struct arguments *arguments, struct ct_flight_options *ret_options,
	char complaint[COMPLAINT_BYTES]);

/* flight_say: says which dumps are new since *nr_said, and runs `command` (NULL: none) for each. */
void flight_say(struct ct_record *record, const char *command, uint32_t *nr_said);

/* flight_finish: the last sentence, and waits for the commands that still run. */
void flight_finish(struct ct_record *record, const char *command, uint32_t *nr_said);

#endif
