/* SPDX-License-Identifier: MIT */
/*
 * Signals that the user sends to `corotracer run`: they are the program's, and are passed on.
 *
 * The handler does one write(2) to a pipe; everything else happens in the loop. A signal that was
 * ignored when we were started (nohup) stays ignored, by us and by the program. Not thread-safe.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

#include "corotracer/ct.h"

/* signals_catch: from now on signals are kept for signals_pass_on. False: no pipe could be made. */
bool signals_catch(void);

/* signals_descriptor: readable where signals_pass_on has something to hand on. */
int signals_descriptor(void);

/*
 * signals_pass_on: hands on what has come, in the order in which it came, but for what the program has got with the
 * group that it is in (witness.h). `has_flight`: USR1 asks for the past, and is not the program's.
 */
void signals_pass_on(struct ct_record *record, bool has_flight);

/*
 * signals_wait_for_end: until the user has had enough: one of the signals that end a program. At once where one came
 * before, and ended the recording.
 */
void signals_wait_for_end(void);

/* signals_release: as before signals_catch; ends the witness, too. */
void signals_release(void);

#endif
