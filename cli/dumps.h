/* SPDX-License-Identifier: MIT */
/*
 * The dumps of a flight recorder: messages about them, and the commands that run after them. A command runs beside the
 * recording, in a session of its own and without input, because keys and input belong to the program. A failed command
 * is reported. At the end, corotracer waits a short time for commands that still run, and never for one that does not
 * end.
 */
#ifndef CLI_DUMPS_H
#define CLI_DUMPS_H

#include <stddef.h>
#include <sys/types.h>

#include "corotracer/ct.h"

struct dump_command {
	pid_t pid;
	char *dump; /* the dump's file */
};

struct dumps {
	/* Run after each dump; NULL: none. */
	const char *command;
	uint32_t nr_said;
	struct dump_command *running;
	size_t nr_running;
};

/* dumps_say: reports new dumps, runs the command for each, and reports commands that failed. */
void dumps_say(struct dumps *dumps, struct ct_record *record);

/*
 * dumps_finish: prints the last messages. Commands that still run have two seconds, or until a signal comes; the others
 * are named. Releases everything.
 */
void dumps_finish(struct dumps *dumps, struct ct_record *record);

#endif
