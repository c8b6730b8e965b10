/* SPDX-License-Identifier: MIT */
/*
 * Entry points that wait for descriptors, and entry points that say what to wait for. Each entry point calls libc's
 * function exactly once with the caller's arguments and returns its result. Memory that the kernel fills in is read
 * only if the kernel says that it has filled it.
 */
#include "forward.h"

#include <errno.h>
#include <time.h>

/* ------------------------------------------------------------ descriptors to wait for */

/* The bits above the lower sixteen that matter for finding a lost wakeup (def/kinds.def). */
#define ARM_ONE_SHOT 0x4000u
#define ARM_EDGE 0x8000u

static unsigned armed_flags(uint32_t events)
{
	unsigned flags = events & 0x3fffu;

	if (events & (uint32_t)EPOLLONESHOT)
		flags |= ARM_ONE_SHOT;
	if (events & (uint32_t)EPOLLET)
		flags |= ARM_EDGE;
	return flags;
}

/* Written after the call, when its success is certain; a readiness that another thread received may come before. */
LEDGER_EXPORT int epoll_ctl(int set, int operation, int fd, struct epoll_event *event)
{
	uint64_t handle = ledger_handle(fd);
	int result = real_epoll_ctl(set, operation, fd, event);

	if (result != 0 || !ledger_is_watching())
		return result;
	if (operation == EPOLL_CTL_DEL)
		ledger_note(LEDGER_CALLER, CTP_KIND_DESCRIPTOR_ARM, handle, 0, EPOLL_CTL_DEL, 0);
	else
		ledger_note(LEDGER_CALLER, CTP_KIND_DESCRIPTOR_ARM, handle, event->data.u64,
			(unsigned)operation, armed_flags(event->events));
	return result;
}

static uint64_t nanoseconds(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/*
 * Returns when the timer fires next, as the kernel states: right for every clock, and for absolute and relative times.
 */
static uint64_t timer_expiry(const struct itimerspec *remaining)
{
	struct timespec now;

	if (nanoseconds(&remaining->it_value) == 0)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return nanoseconds(&now) + nanoseconds(&remaining->it_value);
}

LEDGER_EXPORT int timerfd_settime(
	int fd, int flags, const struct itimerspec *new_value, struct itimerspec *old_value)
{
	uint64_t handle = ledger_handle(fd);
	int result = real_timerfd_settime(fd, flags, new_value, old_value);
	struct itimerspec remaining;
	int kept = errno;

	if (result == 0 && ledger_is_watching() &&
		syscall(SYS_timerfd_gettime, fd, &remaining) == 0)
		ledger_note(LEDGER_CALLER, CTP_KIND_DESCRIPTOR_TIMER, handle,
			timer_expiry(&remaining), 0, nanoseconds(&remaining.it_interval) != 0);
	errno = kept;
	return result;
}

/* ------------------------------------------------------------ waiting */

/*
 * A call that can block is recorded at both ends, so that a thread without time-out is known to be asleep. A call with
 * time-out zero cannot block, and a program that polls in a loop would flood the trace.
 */
static void wait_begin(const void *caller, enum ctp_call call, int64_t timeout_ms)
{
	if (timeout_ms != 0 && ledger_is_watching())
		ledger_note(caller, CTP_KIND_BLOCK_BEGIN, (uint64_t)timeout_ms, 0, call, 0);
}

static int wait_end(const void *caller, enum ctp_call call, int64_t timeout_ms, int result)
{
	int64_t told = result < 0 ? -(int64_t)errno : result;

	if (timeout_ms != 0 && ledger_is_watching())
		ledger_note(caller, CTP_KIND_BLOCK_END, (uint64_t)told, 0, call, 0);
	return result;
}

/* Converts to milliseconds, rounded up: a time-out of a microsecond is not zero. -1: none. */
static int64_t milliseconds(const struct timespec *time)
{
	if (!time)
		return -1;
	return (int64_t)time->tv_sec * 1000 + (time->tv_nsec + 999999) / 1000000;
}

static int epoll_ended(
	const void *caller, const struct epoll_event *events, int64_t timeout_ms, int result)
{
	int i;

	if (result > 0 && ledger_is_watching()) {
		for (i = 0; i < result; i++)
			ledger_note(caller, CTP_KIND_DESCRIPTOR_READY, 0, events[i].data.u64, 0,
				events[i].events & 0x3fffu);
	}
	return wait_end(caller, CTP_CALL_EPOLL_WAIT, timeout_ms, result);
}

LEDGER_EXPORT int epoll_wait(int set, struct epoll_event *events, int room, int timeout)
{
	wait_begin(LEDGER_CALLER, CTP_CALL_EPOLL_WAIT, timeout);
	return epoll_ended(
		LEDGER_CALLER, events, timeout, real_epoll_wait(set, events, room, timeout));
}

LEDGER_EXPORT int epoll_pwait(
	int set, struct epoll_event *events, int room, int timeout, const sigset_t *mask)
{
	wait_begin(LEDGER_CALLER, CTP_CALL_EPOLL_WAIT, timeout);
	return epoll_ended(
		LEDGER_CALLER, events, timeout, real_epoll_pwait(set, events, room, timeout, mask));
}

LEDGER_EXPORT int epoll_pwait2(int set, struct epoll_event *events, int room,
	const struct timespec *timeout, const sigset_t *mask)
{
	int64_t timeout_ms = milliseconds(timeout);

	wait_begin(LEDGER_CALLER, CTP_CALL_EPOLL_WAIT, timeout_ms);
	return epoll_ended(LEDGER_CALLER, events, timeout_ms,
		real_epoll_pwait2(set, events, room, timeout, mask));
}

static int poll_ended(
	const void *caller, const struct pollfd *fds, nfds_t nr_fds, int64_t timeout_ms, int result)
{
	nfds_t i;

	for (i = 0; result > 0 && i < nr_fds && ledger_is_watching(); i++) {
		if (fds[i].revents != 0)
			ledger_note(caller, CTP_KIND_DESCRIPTOR_READY, ledger_handle(fds[i].fd), 0,
				0, (uint16_t)fds[i].revents);
	}
	return wait_end(caller, CTP_CALL_POLL, timeout_ms, result);
}

LEDGER_EXPORT int poll(struct pollfd *fds, nfds_t nr_fds, int timeout)
{
	wait_begin(LEDGER_CALLER, CTP_CALL_POLL, timeout);
	return poll_ended(LEDGER_CALLER, fds, nr_fds, timeout, real_poll(fds, nr_fds, timeout));
}

LEDGER_EXPORT int __poll_chk(struct pollfd *fds, nfds_t nr_fds, int timeout, size_t room)
{
	wait_begin(LEDGER_CALLER, CTP_CALL_POLL, timeout);
	return poll_ended(
		LEDGER_CALLER, fds, nr_fds, timeout, real___poll_chk(fds, nr_fds, timeout, room));
}

LEDGER_EXPORT int ppoll(
	struct pollfd *fds, nfds_t nr_fds, const struct timespec *timeout, const sigset_t *mask)
{
	int64_t timeout_ms = milliseconds(timeout);

	wait_begin(LEDGER_CALLER, CTP_CALL_POLL, timeout_ms);
	return poll_ended(
		LEDGER_CALLER, fds, nr_fds, timeout_ms, real_ppoll(fds, nr_fds, timeout, mask));
}

LEDGER_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t nr_fds, const struct timespec *timeout,
	const sigset_t *mask, size_t room)
{
	int64_t timeout_ms = milliseconds(timeout);

	wait_begin(LEDGER_CALLER, CTP_CALL_POLL, timeout_ms);
	return poll_ended(LEDGER_CALLER, fds, nr_fds, timeout_ms,
		real___ppoll_chk(fds, nr_fds, timeout, mask, room));
}

static unsigned select_flags(
	int fd, const fd_set *readable, const fd_set *writable, const fd_set *urgent)
{
	unsigned flags = 0;

	if (readable && FD_ISSET(fd, readable))
		flags |= POLLIN;
	if (writable && FD_ISSET(fd, writable))
		flags |= POLLOUT;
	if (urgent && FD_ISSET(fd, urgent))
		flags |= POLLPRI;
	return flags;
}

static void select_note(const void *caller, int nr_fds, const fd_set *readable,
	const fd_set *writable, const fd_set *urgent)
{
	unsigned flags;
	int fd;

	for (fd = 0; fd < nr_fds; fd++) {
		flags = select_flags(fd, readable, writable, urgent);
		if (flags)
			ledger_note(
				caller, CTP_KIND_DESCRIPTOR_READY, ledger_handle(fd), 0, 0, flags);
	}
}

LEDGER_EXPORT int select(
	int nr_fds, fd_set *readable, fd_set *writable, fd_set *urgent, struct timeval *timeout)
{
	int64_t timeout_ms = -1;
	int result;

	if (timeout && ledger_is_watching())
		timeout_ms = (int64_t)timeout->tv_sec * 1000 + (timeout->tv_usec + 999) / 1000;
	wait_begin(LEDGER_CALLER, CTP_CALL_SELECT, timeout_ms);
	result = real_select(nr_fds, readable, writable, urgent, timeout);
	if (result > 0 && ledger_is_watching())
		select_note(LEDGER_CALLER, nr_fds, readable, writable, urgent);
	return wait_end(LEDGER_CALLER, CTP_CALL_SELECT, timeout_ms, result);
}

LEDGER_EXPORT int pselect(int nr_fds, fd_set *readable, fd_set *writable, fd_set *urgent,
	const struct timespec *timeout, const sigset_t *mask)
{
	int64_t timeout_ms = milliseconds(timeout);
	int result;

	wait_begin(LEDGER_CALLER, CTP_CALL_SELECT, timeout_ms);
	result = real_pselect(nr_fds, readable, writable, urgent, timeout, mask);
	if (result > 0 && ledger_is_watching())
		select_note(LEDGER_CALLER, nr_fds, readable, writable, urgent);
	return wait_end(LEDGER_CALLER, CTP_CALL_SELECT, timeout_ms, result);
}
