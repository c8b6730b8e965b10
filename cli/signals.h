/* SPDX-License-Identifier: MIT */
/*
 * Signals that the user sends to `corotracer run`: they are meant for the program, and are passed on.
 *
 * The handler only makes one write(2) to a pipe; everything else happens in the loop. A signal that was ignored when
 * corotracer started (nohup) stays ignored, by corotracer and by the program. Not thread-safe.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <stdbool.h>

#include "corotracer/ct.h"

/*
 * signals_catch: from now on signals are queued for signals_pass_on. False: no pipe could be made. If they are caught
 * already they stay so until signals_release has been called as often.
 */
bool signals_catch(void);

/* signals_descriptor: readable if signals_pass_on has a signal to pass on. */
int signals_descriptor(void);

/*
 * signals_pass_on: passes on the signals in the order in which they came, except those that the program has got as a
 * member of the process group (witness.h). `has_flight`: USR1 asks for the recorder's past, and is not passed on.
 */
void signals_pass_on(struct ct_record *record, bool has_flight);

/*
 * signals_take: takes the next signal that came, for a caller that passes it on itself; 0: none came.
 * *ret_was_delivered: the process has got the signal as well.
 */
int signals_take(int64_t pid, bool *ret_was_delivered);

/*
 * signals_wait_for_end: waits for one of the signals that end a program. Returns at once if such a signal came before
 * and ended the recording.
 */
void signals_wait_for_end(void);

/* signals_release: restores the state before signals_catch; ends the witness, too. */
void signals_release(void);

#endif
