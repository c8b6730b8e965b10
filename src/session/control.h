/* SPDX-License-Identifier: MIT */
/*
 * Orders to a recording from other programs: a socket that listens under the number of the traced process, and under
 * that of our own.
 *
 * One connection has one order: a line of words (steering_order.h), answered by "ok" and lines "key value" of the
 * state, or by "error NAME SENTENCE". Only processes of our own user and the superuser's are answered.
 */
#ifndef SESSION_CONTROL_H
#define SESSION_CONTROL_H

#include "corotracer/ct.h"
#include "session/steering.h"

struct control;

/*
 * control_open: answers on a thread of its own, until control_close. Where a name is taken, the other one has to do.
 * NULL: both are, or there is no memory, or no thread: the recording goes on without. `steering` outlives it.
 */
struct control *control_open(struct steering *steering, int64_t target_pid);

/* control_close: NULL is allowed. */
void control_close(struct control *control);

#endif
