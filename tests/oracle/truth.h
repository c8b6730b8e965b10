/* SPDX-License-Identifier: MIT */
/*
 * The oracle: what is true of each coroutine of a simulated program, rule by rule. The oracle knows the program's own
 * state and history, and never sees its trace; it shares no code with the rules or the model.
 *
 * Whether a waiting coroutine is stuck is decided by the future. The program goes on after the observation, and the
 * world outside then gives everything that it could ever give: each open descriptor becomes ready, all timers expire,
 * and untraced threads do what they were about to do. A coroutine that runs then was not stuck, whatever a trace may
 * suggest.
 */
#ifndef ORACLE_TRUTH_H
#define ORACLE_TRUTH_H

#include "corotracer/report.h"
#include "world.h"

/* truth_note: must be called at the end of the observation, before the world goes on. */
void truth_note(struct world *world);

/* truth_of: is the rule true of the coroutine? Must be called after the world has gone on. */
bool truth_of(const struct world *world, enum ct_rule rule, uint32_t coro);

/* truth_is_proven: is the stronger claim that the rule makes in its gravest grade true of the coroutine? */
bool truth_is_proven(const struct world *world, enum ct_rule rule, uint32_t coro);

#endif
