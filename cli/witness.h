/* SPDX-License-Identifier: MIT */
/*
 * A witness is a process in our process group that only waits for the signals that the group gets. With it, a signal to
 * the group, which the program already has, can be distinguished from a signal to us alone: for its receiver, `kill
 * -INT -GROUP` and `kill -INT PID` look the same. Not thread-safe.
 */
#ifndef CLI_WITNESS_H
#define CLI_WITNESS_H

#include <stdbool.h>

/*
 * witness_start: starts the witness; if that fails, signals to the group are not recognised. Other threads may be
 * running.
 */
void witness_start(void);

/*
 * witness_saw: did the group get this signal since the last question about it? Must be called for each signal that we
 * get. Pending signals of the same number merge, as usual: if one signal to the group and one to us alone come before
 * the question, the answer is that the group got a signal.
 */
bool witness_saw(int number);

/* witness_stop: ends the witness, if there is one. */
void witness_stop(void);

#endif
