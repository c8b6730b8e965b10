/* SPDX-License-Identifier: MIT */
/*
 * Signals that end the screens: they are kept until the terminal is as it was, and the program dies of them then. Used
 * by the thread that has the terminal.
 */
#ifndef CLI_TOP_ENDINGS_H
#define CLI_TOP_ENDINGS_H

#include <stdbool.h>

#include "corotracer/ct.h"

/* top_endings_catch: from now on. A signal that was ignored stays so. */
enum ct_status top_endings_catch(struct ct_error *reterr);

/* top_endings_release: they are the system's again. Returns the one that came; 0: none did. */
int top_endings_release(void);

/* top_endings_caught: has one come? top_endings_descriptor: readable when one has. */
bool top_endings_caught(void);
int top_endings_descriptor(void);

#endif
