/* SPDX-License-Identifier: MIT */
/*
 * How far a time-stamp of this machine's counter may lie before its event (docs/design/order.md).
 */
#ifndef COLLECT_REACH_H
#define COLLECT_REACH_H

#include <stdint.h>

/*
 * collect_reach_of: what is believed where hand-offs came out reversed by at most so much: generous, and never too
 * little.
 */
uint64_t collect_reach_of(uint64_t furthest_ns);

/*
 * collect_reach_measure: hands stamped words from one thread to another for a millisecond, and looks how far the
 * taker's stamps lie before the giver's. Where no thread can be started, or both never ran at once, what is known of
 * other machines.
 */
uint64_t collect_reach_measure(void);

#endif
