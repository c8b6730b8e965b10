/* SPDX-License-Identifier: MIT */
/*
 * The descriptors for which a thread waits in poll, select or a similar call. The kernel does not show them: they are
 * in the thread's memory, at the address in the call's arguments.
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
		uint16_t events; /* as for poll */
	} at[POLLED_MAX];
};

/* polled_is_call: is this call one of those whose descriptors polled_read reads? */
bool polled_is_call(int32_t call);

/*
 * polled_read: reads the descriptors of a thread that sleeps in this call, given by procfs_call_at. `folder` comes from
 * procfs_open. False, and nothing set: the call is not one of these (nor epoll, whose interest lists are read
 * elsewhere), there are more than POLLED_MAX descriptors, or the memory cannot be read. The memory is read as it is
 * now: if the program changes it while a thread waits, the changed values are returned; and the caller must find out
 * whether the thread was woken in the meantime.
 */
bool polled_read(int folder, int32_t call, const uint64_t arguments[PROCFS_ARGUMENTS],
	struct polled *ret_polled);

#endif
