/* SPDX-License-Identifier: MIT */
/*
 * The oracle: what is true of each coroutine of a simulated program, rule by rule. The truth knows the program's own
 * state and what happened to it, and never saw its trace; it shares no line with the rules, nor with the model.
 *
 * About those that wait the future is asked. The program goes on when the observation is over, and the world outside
 * then gives all that it could ever give: each open descriptor becomes ready, all timers run out, threads that nobody
 * traced do what they were about to do. A coroutine that runs then was not stuck, whatever a trace could make of it.
 */
#ifndef ORACLE_TRUTH_H
#define ORACLE_TRUTH_H

#include "corotracer/report.h"
#include "world.h"

/* truth_note: at the end of the observation, before the world goes on. */
void truth_note(struct world *world);

/* Is the rule true of the coroutine? Once the world has gone on. */
bool truth_of(const struct world *world, enum ct_rule rule, uint32_t coro);

/* truth_is_proven: where the rule says more in its gravest grade: may that be said of it? */
bool truth_is_proven(const struct world *world, enum ct_rule rule, uint32_t coro);

#endif
