/* SPDX-License-Identifier: MIT */
/*
 * Orders to a recording from other programs, over a socket that listens under the id of the traced process, and another
 * under our own id.
 *
 * One connection carries one order: a line of words (steering_order.h). The answer is "ok" and lines "key value" of the
 * state, or "error NAME SENTENCE". Only processes of our own user and of the superuser get an answer.
 */
#ifndef SESSION_CONTROL_H
#define SESSION_CONTROL_H

#include "corotracer/ct.h"
#include "session/steering.h"

struct control;

/*
 * control_open: answers on a thread of its own, until control_close. If one name is taken, only the other one is used.
 * NULL: both names are taken, or there is no memory, or no thread: the recording goes on without orders. `steering`
 * must outlive the control.
 */
struct control *control_open(struct steering *steering, int64_t target_pid);

/* control_close: ends the thread and frees the control. NULL is allowed. */
void control_close(struct control *control);

#endif
