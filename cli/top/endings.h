/* SPDX-License-Identifier: MIT */
/*
 * Signals that end the screens: they are held back until the terminal is restored, and then the program dies by them.
 * The terminal's thread uses these functions.
 */
#ifndef CLI_TOP_ENDINGS_H
#define CLI_TOP_ENDINGS_H

#include <stdbool.h>

#include "corotracer/ct.h"

/* top_endings_catch: holds the signals back from now on. An ignored signal stays ignored. */
enum ct_status top_endings_catch(struct ct_error *reterr);

/* top_endings_release: restores the signals' actions. Returns the signal that came; 0: none. */
int top_endings_release(void);

/* top_endings_caught: has a signal come? top_endings_descriptor: readable when one has come. */
bool top_endings_caught(void);
int top_endings_descriptor(void);

#endif
