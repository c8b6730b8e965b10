/* SPDX-License-Identifier: MIT */
/*
 * How far a time-stamp of this machine's counter may lie before its event (docs/design/order.md).
 */
#ifndef COLLECT_REACH_H
#define COLLECT_REACH_H

#include <stdint.h>

/*
 * collect_reach_of: returns the reach to assume if hand-offs came out reversed by at most this much: generous, never
 * too small.
 */
uint64_t collect_reach_of(uint64_t furthest_ns);

/*
 * collect_reach_measure: passes stamped words from one thread to another for a millisecond, and measures how far the
 * receiver's stamps lie before the giver's. If no thread can be started, or the two never ran at the same time, returns
 * what is known from other machines.
 */
uint64_t collect_reach_measure(void);

#endif
