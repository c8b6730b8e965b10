/* SPDX-License-Identifier: MIT */
/* System calls, by the numbers in THREAD_STATE events. The numbers are this machine's. */
#ifndef EVENT_SYSTEM_CALLS_H
#define EVENT_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

/* event_is_epoll_call: returns whether the call waits for the events of an epoll instance. */
static inline bool event_is_epoll_call(uint64_t number)
{
#ifdef SYS_epoll_wait
	if (number == SYS_epoll_wait)
		return true;
#endif
#ifdef SYS_epoll_pwait2
	if (number == SYS_epoll_pwait2)
		return true;
#endif
	return number == SYS_epoll_pwait;
}

#endif
