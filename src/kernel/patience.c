/* SPDX-License-Identifier: MIT */
/* The calls that wait, and which of their arguments is the time-out (patience.h). */
#include <stddef.h>

#include "base/system_calls.h"
#include "kernel/patience.h"

#define FUTEX_COMMANDS 0x7f
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * When a call waits without a time limit. A timer of the process may end a wait for descriptors, signals or children,
 * so an armed timer counts as a time-out. Only another thread wakes a futex, and that thread is looked at itself.
 */
enum limit {
	FOREVER,      /* always, once the call blocks */
	NULL_POINTER, /* if the time-out's pointer is NULL */
	NEGATIVE,     /* if the time-out is a negative int */
	FUTEX,        /* depends on the operation */
};

static const struct {
	int32_t number;
	enum limit limit;
	unsigned argument;
} calls[] = {
	{SYSTEM_CALL_futex, FUTEX, 3},
	{SYSTEM_CALL_epoll_pwait, NEGATIVE, 3},
	{SYSTEM_CALL_epoll_wait, NEGATIVE, 3},
	{SYSTEM_CALL_epoll_pwait2, NULL_POINTER, 3},
	{SYSTEM_CALL_poll, NEGATIVE, 2},
	{SYSTEM_CALL_ppoll, NULL_POINTER, 2},
	{SYSTEM_CALL_select, NULL_POINTER, 4},
	{SYSTEM_CALL_pselect6, NULL_POINTER, 4},
	{SYSTEM_CALL_pause, FOREVER, 0},
	{SYSTEM_CALL_rt_sigsuspend, FOREVER, 0},
	{SYSTEM_CALL_rt_sigtimedwait, NULL_POINTER, 2},
	{SYSTEM_CALL_wait4, FOREVER, 0},
	{SYSTEM_CALL_waitid, FOREVER, 0},
	{SYSTEM_CALL_read, FOREVER, 0},
	{SYSTEM_CALL_readv, FOREVER, 0},
	{SYSTEM_CALL_recvfrom, FOREVER, 0},
	{SYSTEM_CALL_recvmsg, FOREVER, 0},
	{SYSTEM_CALL_accept, FOREVER, 0},
	{SYSTEM_CALL_accept4, FOREVER, 0},
	{SYSTEM_CALL_write, FOREVER, 0},
	{SYSTEM_CALL_writev, FOREVER, 0},
	{SYSTEM_CALL_sendto, FOREVER, 0},
	{SYSTEM_CALL_sendmsg, FOREVER, 0},
	{SYSTEM_CALL_connect, FOREVER, 0},
};

/*
 * Returns whether the futex operation waits; all others return at once. 0 WAIT, 6 LOCK_PI, 9 WAIT_BITSET, 11
 * WAIT_REQUEUE_PI, 13 LOCK_PI2.
 */
bool patience_futex_waits(uint64_t operation)
{
	const uint64_t waiting = 1u << 0 | 1u << 6 | 1u << 9 | 1u << 11 | 1u << 13;

	operation &= FUTEX_COMMANDS;
	return operation < 64 && (waiting >> operation & 1);
}

static bool is_endless(enum limit limit, unsigned argument, const uint64_t *arguments)
{
	switch (limit) {
	case FOREVER:
		return true;
	case NULL_POINTER:
		return arguments[argument] == 0;
	case NEGATIVE:
		return (int32_t)arguments[argument] < 0;
	case FUTEX:
		return patience_futex_waits(arguments[1]) && arguments[argument] == 0;
	}
	return false;
}

enum patience patience_of(int32_t call, const uint64_t *arguments)
{
	size_t i;

	for (i = 0; i < COUNT(calls); i++)
		if (calls[i].number == call)
			return is_endless(calls[i].limit, calls[i].argument, arguments)
				       ? PATIENCE_ENDLESS
				       : PATIENCE_TIMED;
	return PATIENCE_UNKNOWN;
}
