/* SPDX-License-Identifier: MIT */
/* How long a system call may wait, by its own arguments. */
#ifndef KERNEL_PATIENCE_H
#define KERNEL_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

enum patience {
	PATIENCE_UNKNOWN, /* another call, which may wait or not */
	PATIENCE_ENDLESS, /* no time-out is set */
	PATIENCE_TIMED,   /* one is, or the call does not wait */
};

/*
 * patience_of: judges a call by its number in traces, and its six arguments. patience_futex_waits: does this operation
 * of futex(2) wait? All others return at once.
 */
enum patience patience_of(int32_t call, const uint64_t *arguments);
bool patience_futex_waits(uint64_t operation);

#endif
