/* SPDX-License-Identifier: MIT */
/* A process without a probe, for commands that show a file: its coroutines as they are found in its memory. */
#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include "private_folder.h"
#include "subject.h"

/*
 * look_is_all: is the operand a process that has no probe? Then a look into its memory is all that can be had. False if
 * that is not known.
 */
bool look_is_all(const struct subject *subject);

/*
 * look_take: looks into the process's memory, and writes what is found as a trace, `folder->file`; says so. Returns 0;
 * signals are caught then (signals.h) until the caller calls look_end, which removes the folder. Else the exit status,
 * after printing why it failed, or that of a signal that came meanwhile.
 */
int look_take(const struct arguments *arguments, const struct subject *subject,
	struct private_folder *folder);
void look_end(const struct subject *subject, struct private_folder *folder);

#endif
