/* SPDX-License-Identifier: MIT */
/*
 * The program's own log of the truth, for other programs to read: one line for each fact, a word and then pairs
 * `name=value`. Names of fibers contain no blanks.
 *
 *	scenario name=NAME fault=LETTER workers=N       first of all; LETTER is - in a correct build
 *	fiber coroutine=ID name=NAME                    it was spawned
 *	cause what=FAULT coroutine=ID by=ID thread=TID  here it went wrong, for this fiber, by that one
 *	stuck coroutine=ID name=NAME state=STATE        at the end it had not ended
 *	destroyed coroutine=ID name=NAME                at the end it had been destroyed while it waited
 *	end stuck=N destroyed=N                         last of all
 *
 * ID is the tracer's number; 0 if the program is not traced, or for a thread. Any thread may write.
 */
#ifndef FIBER_TRUTH_H
#define FIBER_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"

/* truth_open: without a path no log is written. False: errno says why. */
bool truth_open(const char *path);

void truth_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* truth_cause: the planted fault has affected `coroutine`, by an action of `by`. */
void truth_cause(enum fault fault, uint64_t coroutine, uint64_t by);

const char *fault_name(enum fault fault);
const char *fault_meaning(enum fault fault);

#endif
