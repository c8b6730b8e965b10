/* SPDX-License-Identifier: MIT */
/*
 * The dumps of a flight recorder: words about them, and the commands that run after them, beside the recording, in a
 * session of their own, with no input: the keys and the input are the program's. A command that fails is told; the end
 * waits for them a little, and never for one that does not end.
 */
#ifndef CLI_DUMPS_H
#define CLI_DUMPS_H

#include <stddef.h>
#include <sys/types.h>

#include "corotracer/ct.h"

struct dump_command {
	pid_t pid;
	char *dump; /* its file */
};

struct dumps {
	/* Run after each; NULL: none. */
	const char *command;
	uint32_t nr_said;
	struct dump_command *running;
	size_t nr_running;
};

/* dumps_say: says which dumps are new, runs the command for each, and says of commands how they failed. */
void dumps_say(struct dumps *dumps, struct ct_record *record);

/*
 * dumps_finish: the last sentences. The commands that still run have two seconds, or until a signal comes; the rest is
 * named, and all is released.
 */
void dumps_finish(struct dumps *dumps, struct ct_record *record);

#endif
