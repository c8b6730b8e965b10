/* SPDX-License-Identifier: MIT */
/*
 * The commands that run after dumps, beside the recording, in a session of their own, with no input: the keys and the
 * input are the program's. A command that fails is told; the end waits for them a little, and never for one that does
 * not end.
 */
#ifndef CLI_AFTER_DUMP_H
#define CLI_AFTER_DUMP_H

#include <stddef.h>
#include <sys/types.h>

#include "corotracer/ct.h"

struct after_dump_command {
	pid_t pid;
	char *dump; /* its file */
};

struct after_dump {
	const char *command; /* NULL: none is wanted */
	struct after_dump_command *running;
	size_t nr_running;
};

/* after_dump_start: runs the command for a dump. Failures are told. */
void after_dump_start(struct after_dump *after, const struct ct_dump *dump);

/* after_dump_look: says of those that have ended in the meantime how, where they failed. */
void after_dump_look(struct after_dump *after);

/* after_dump_finish: gives those that run two seconds, or until a signal comes; names the rest, and releases all. */
void after_dump_finish(struct after_dump *after);

#endif
