/* SPDX-License-Identifier: MIT */
/*
 * A witness: a process of our process group that does nothing but get what the group is sent. So a signal to the group,
 * which the program has already, can be told from one to us alone: `kill -INT -GROUP` and `kill -INT PID` look the same
 * to whom they hit. Not thread-safe.
 */
#ifndef CLI_WITNESS_H
#define CLI_WITNESS_H

#include <stdbool.h>

/* witness_start: where it cannot be had, nothing is known of signals to the group. There may be threads. */
void witness_start(void);

/*
 * witness_saw: the group was sent this signal since the last question about it. Call for each signal that we got.
 * Signals of one number merge while they are pending, as they do everywhere: a signal to the group and one to us alone,
 * both before the question, are one signal to the group.
 */
bool witness_saw(int number);

/* witness_stop: it ends. Nothing where there is none. */
void witness_stop(void);

#endif
