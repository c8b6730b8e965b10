/* SPDX-License-Identifier: MIT */
/*
 * The fault in this build, chosen by -DFAULT_B to -DFAULT_M; without one the build is correct. The faulty branches are
 * always compiled, so that they stay valid: `if (has_fault(DROPPED_WAKE))`.
 */
#ifndef FIBER_FAULT_H
#define FIBER_FAULT_H

#include <stdbool.h>

enum fault {
	NO_FAULT = 0,
#define X(name, letter, text, meaning) name = letter,
#include "faults.def"
#undef X
};

#if defined(FAULT_B)
#define FAULT_PLANTED DROPPED_WAKE
#elif defined(FAULT_C)
#define FAULT_PLANTED MISSED_NOTIFY
#elif defined(FAULT_D)
#define FAULT_PLANTED DEAD_WAITER
#elif defined(FAULT_E)
#define FAULT_PLANTED PRIVATE_LIST
#elif defined(FAULT_F)
#define FAULT_PLANTED DOUBLE_RESUME
#elif defined(FAULT_G)
#define FAULT_PLANTED GHOST_RESUME
#elif defined(FAULT_H)
#define FAULT_PLANTED MUTEX_CYCLE
#elif defined(FAULT_I)
#define FAULT_PLANTED AWAIT_CYCLE
#elif defined(FAULT_J)
#define FAULT_PLANTED PRIVATE_SLOT
#elif defined(FAULT_K)
#define FAULT_PLANTED BLOCKED_WORKER
#elif defined(FAULT_L)
#define FAULT_PLANTED WAKE_STORM
#elif defined(FAULT_M)
#define FAULT_PLANTED LEAK
#else
#define FAULT_PLANTED NO_FAULT
#endif

/* has_fault: does this build have that fault? A constant. */
static inline bool has_fault(enum fault fault)
{
	return fault == FAULT_PLANTED;
}

#endif
