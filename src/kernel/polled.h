/* SPDX-License-Identifier: MIT */
/*
 * The descriptors that a thread waits for in poll, select or their like. The kernel does not tell them: they stand in
 * the thread's memory, where its call's arguments say.
 */
#ifndef KERNEL_POLLED_H
#define KERNEL_POLLED_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/procfs.h"

#define POLLED_MAX 256u

struct polled {
	unsigned count;
	struct polled_descriptor {
		int32_t number;
		uint16_t events; /* as poll has them */
	} at[POLLED_MAX];
};

/*
 * polled_read: of a thread that sleeps in this call, as procfs_call_at has it. `folder` is of procfs_open. False, and
 * nothing set: the call is none of these (epoll is not: its interest lists are told elsewhere), there are more than
 * POLLED_MAX, or the memory cannot be read. The memory is as it is now: a program that changes it while one of its
 * threads waits is told as it changed it; whether the thread was woken meanwhile the caller has to find out.
 */
bool polled_read(int folder, int32_t call, const uint64_t arguments[PROCFS_ARGUMENTS],
	struct polled *ret_polled);

#endif
