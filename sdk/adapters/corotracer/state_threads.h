/* SPDX-License-Identifier: MIT */
/*
 * The adapter for State Threads (st.h): threads, where and for what each waits, and which thread ends the wait.
 *
 *	#include "corotracer/state_threads.h" // instead of <st.h>, in every source that starts threads or waits
 *
 * The library's calls are macros from here on; (st_read)(...) is the call itself. docs/adapters.md says what is
 * recorded, and what cannot be. The program links libcorotracer-probe.
 */
#ifndef COROTRACER_STATE_THREADS_H
#define COROTRACER_STATE_THREADS_H

#include <st.h>

#include "corotracer/stackful.h"

#define CTP_ST_DESCRIPTOR(netfd) CTP_DESCRIPTOR(st_netfd_fileno(netfd), 0)
#define CTP_ST_CONDITION(condition) CTP_HANDLE(CTP_RESOURCE_CONDITION, (uintptr_t)(condition))
#define CTP_ST_THREAD(thread) CTP_HANDLE(CTP_RESOURCE_FRAME, (uintptr_t)(thread))
#define CTP_ST_LOCK(lock) CTP_HANDLE(CTP_RESOURCE_LOCK, (uintptr_t)(lock))

static inline uint64_t ctp_st_deadline(st_utime_t timeout)
{
	return timeout == ST_UTIME_NO_TIMEOUT || !ctp_is_attached()
		       ? 0
		       : ctp_stackful_deadline(timeout);
}

static inline st_thread_t ctp_st_create(
	void *(*function)(void *), void *argument, int joinable, int stack_size, uint32_t site)
{
	struct ctp_stackful_start *start = ctp_stackful_new(function, argument, site);
	st_thread_t thread = start ? st_thread_create(ctp_stackful_run, start, joinable, stack_size)
				   : st_thread_create(function, argument, joinable, stack_size);

	ctp_stackful_started(start, thread);
	return thread;
}

/* Taking a free lock is not a wait. */
static inline int ctp_st_lock(st_mutex_t lock, uint32_t site)
{
	struct ctp_stackful_wait wait;
	int status = st_mutex_trylock(lock);

	if (status != 0) {
		ctp_stackful_wait_begin(&wait, CTP_ST_LOCK(lock), site, 0, CTP_POINT_AWAIT);
		status = st_mutex_lock(lock);
		ctp_stackful_wait_end(&wait);
		if (wait.was_handed)
			return status;
	}
	if (status == 0)
		ctp_acquire(ctp_current(), CTP_ST_LOCK(lock), site);
	return status;
}

static inline int ctp_st_unlock(st_mutex_t lock, uint32_t site)
{
	ctp_stackful_give(CTP_ST_LOCK(lock), site);
	return st_mutex_unlock(lock);
}

static inline int ctp_st_notify(st_cond_t condition, bool is_for_all, uint32_t site)
{
	ctp_stackful_notify(CTP_ST_CONDITION(condition), is_for_all, site);
	return is_for_all ? st_cond_broadcast(condition) : st_cond_signal(condition);
}

static inline int ctp_st_trylock(st_mutex_t lock, uint32_t site)
{
	int status = st_mutex_trylock(lock);

	if (status == 0)
		ctp_acquire(ctp_current(), CTP_ST_LOCK(lock), site);
	return status;
}

/* A wait with a time-out is the same call of the library. */
static inline int ctp_st_await(st_cond_t condition, st_utime_t timeout, uint32_t site)
{
	return CTP_STACKFUL_CALL_AT(CTP_ST_CONDITION(condition), ctp_st_deadline(timeout), site,
		CTP_POINT_AWAIT, st_cond_timedwait(condition, timeout));
}

static inline void ctp_st_interrupt(st_thread_t thread, uint32_t site)
{
	ctp_wake(ctp_current(), CTP_ST_THREAD(thread), site, CTP_OUTCOME_QUEUED);
	st_thread_interrupt(thread);
}

static inline int ctp_st_poll(
	struct pollfd *descriptors, int count, st_utime_t timeout, uint32_t site)
{
	uint64_t resource = count == 1 ? CTP_DESCRIPTOR(descriptors[0].fd, 0) : 0;

	return CTP_STACKFUL_CALL_AT(resource, ctp_st_deadline(timeout), site, CTP_POINT_AWAIT,
		st_poll(descriptors, count, timeout));
}

static inline int ctp_st_usleep(st_utime_t time, uint32_t site)
{
	if (time == ST_UTIME_NO_WAIT)
		return CTP_STACKFUL_CALL_AT(0, 0, site, CTP_POINT_YIELD, st_usleep(time));
	return CTP_STACKFUL_CALL_AT(CTP_HANDLE(CTP_RESOURCE_TIMER, ctp_current()),
		ctp_st_deadline(time), site, CTP_POINT_AWAIT, st_usleep(time));
}

static inline int ctp_st_sleep(int seconds, uint32_t site)
{
	return ctp_st_usleep(
		seconds < 0 ? ST_UTIME_NO_TIMEOUT : (st_utime_t)seconds * 1000000u, site);
}

#define st_thread_create(function, argument, joinable, stack_size) \
	ctp_st_create(                                             \
		(function), (argument), (joinable), (stack_size), CTP_SITE("st_thread_create"))
#define st_thread_exit(value) (ctp_stackful_end(), (st_thread_exit)(value))
#define st_thread_join(thread, value)                                             \
	__extension__({                                                           \
		st_thread_t ctp_joined = (thread);                                \
                                                                                  \
		CTP_STACKFUL_CALL(CTP_ST_THREAD(ctp_joined), 0, "st_thread_join", \
			(st_thread_join)(ctp_joined, (value)));                   \
	})
#define st_thread_interrupt(thread) ctp_st_interrupt((thread), CTP_SITE("st_thread_interrupt"))
#define st_usleep(time) ctp_st_usleep((time), CTP_SITE("st_usleep"))
#define st_sleep(seconds) ctp_st_sleep((seconds), CTP_SITE("st_sleep"))

#define st_mutex_lock(lock) ctp_st_lock((lock), CTP_SITE("st_mutex_lock"))
#define st_mutex_trylock(lock) ctp_st_trylock((lock), CTP_SITE("st_mutex_trylock"))
#define st_mutex_unlock(lock) ctp_st_unlock((lock), CTP_SITE("st_mutex_unlock"))
#define st_cond_wait(condition) \
	ctp_st_await((condition), ST_UTIME_NO_TIMEOUT, CTP_SITE("st_cond_wait"))
#define st_cond_timedwait(condition, timeout) \
	ctp_st_await((condition), (timeout), CTP_SITE("st_cond_timedwait"))
#define st_cond_signal(condition) ctp_st_notify((condition), false, CTP_SITE("st_cond_signal"))
#define st_cond_broadcast(condition) ctp_st_notify((condition), true, CTP_SITE("st_cond_broadcast"))

#define CTP_ST_TRANSFER(function, netfd, timeout, ...)                                        \
	__extension__({                                                                       \
		st_netfd_t ctp_netfd = (netfd);                                               \
		st_utime_t ctp_timeout = (timeout);                                           \
                                                                                              \
		CTP_STACKFUL_CALL(CTP_ST_DESCRIPTOR(ctp_netfd), ctp_st_deadline(ctp_timeout), \
			#function, (function)(ctp_netfd, __VA_ARGS__, ctp_timeout));          \
	})
#define st_netfd_poll(netfd, how, timeout) CTP_ST_TRANSFER(st_netfd_poll, netfd, timeout, how)
#define st_accept(netfd, address, length, timeout) \
	CTP_ST_TRANSFER(st_accept, netfd, timeout, address, length)
#define st_connect(netfd, address, length, timeout) \
	CTP_ST_TRANSFER(st_connect, netfd, timeout, address, length)
#define st_read(netfd, buffer, size, timeout) CTP_ST_TRANSFER(st_read, netfd, timeout, buffer, size)
#define st_read_fully(netfd, buffer, size, timeout) \
	CTP_ST_TRANSFER(st_read_fully, netfd, timeout, buffer, size)
#define st_readv(netfd, parts, count, timeout) \
	CTP_ST_TRANSFER(st_readv, netfd, timeout, parts, count)
#define st_write(netfd, buffer, size, timeout) \
	CTP_ST_TRANSFER(st_write, netfd, timeout, buffer, size)
#define st_writev(netfd, parts, count, timeout) \
	CTP_ST_TRANSFER(st_writev, netfd, timeout, parts, count)
#define st_recvfrom(netfd, buffer, size, from, length, timeout) \
	CTP_ST_TRANSFER(st_recvfrom, netfd, timeout, buffer, size, from, length)
#define st_sendto(netfd, message, size, to, length, timeout) \
	CTP_ST_TRANSFER(st_sendto, netfd, timeout, message, size, to, length)
#define st_recvmsg(netfd, message, flags, timeout) \
	CTP_ST_TRANSFER(st_recvmsg, netfd, timeout, message, flags)
#define st_sendmsg(netfd, message, flags, timeout) \
	CTP_ST_TRANSFER(st_sendmsg, netfd, timeout, message, flags)
#define st_poll(descriptors, count, timeout) \
	ctp_st_poll((descriptors), (count), (timeout), CTP_SITE("st_poll"))

#endif
