/* SPDX-License-Identifier: MIT */
/*
 * The adapter for GNU Pth (pth.h): threads, where and for what each waits, and which thread ends the wait.
 *
 *	#include "corotracer/pth.h" // instead of <pth.h>, in every source that starts threads or waits
 *
 * The library's calls are macros from here on; (pth_read)(...) is the call itself. docs/adapters.md says what is
 * recorded, and what cannot be. The program links libcorotracer-probe.
 */
#ifndef COROTRACER_PTH_H
#define COROTRACER_PTH_H

#include <pth.h>

#include "corotracer/stackful.h"

#define CTP_PTH_CONDITION(condition) CTP_HANDLE(CTP_RESOURCE_CONDITION, (uintptr_t)(condition))
#define CTP_PTH_LOCK(lock) CTP_HANDLE(CTP_RESOURCE_LOCK, (uintptr_t)(lock))
#define CTP_PTH_TIMER CTP_HANDLE(CTP_RESOURCE_TIMER, ctp_current())

static inline uint64_t ctp_pth_deadline(uint64_t timeout_us)
{
	return ctp_is_attached() ? ctp_stackful_deadline(timeout_us) : 0;
}

static inline pth_t ctp_pth_spawn(
	pth_attr_t attributes, void *(*function)(void *), void *argument, uint32_t site)
{
	struct ctp_stackful_start *start = ctp_stackful_new(function, argument, site);
	pth_t thread = start ? pth_spawn(attributes, ctp_stackful_run, start)
			     : pth_spawn(attributes, function, argument);

	ctp_stackful_started(start, thread);
	return thread;
}

/* The holder may take the lock again: the first taking and the last giving back are recorded. */
static inline int ctp_pth_acquire(pth_mutex_t *lock, int is_tried, pth_event_t event, uint32_t site)
{
	int is_ours = pth_mutex_acquire(lock, TRUE, NULL);

	if (!is_ours && !is_tried)
		is_ours = CTP_STACKFUL_CALL_AT(CTP_PTH_LOCK(lock), 0, site, CTP_POINT_AWAIT,
			pth_mutex_acquire(lock, FALSE, event));
	if (is_ours && lock->mx_count == 1)
		ctp_acquire(ctp_current(), CTP_PTH_LOCK(lock), site);
	return is_ours;
}

static inline int ctp_pth_release(pth_mutex_t *lock, uint32_t site)
{
	if (lock->mx_count == 1)
		ctp_release(ctp_current(), CTP_PTH_LOCK(lock), site);
	return pth_mutex_release(lock);
}

/* The library releases the lock for the duration of the wait. */
static inline int ctp_pth_await(
	pth_cond_t *condition, pth_mutex_t *lock, pth_event_t event, uint32_t site)
{
	int status;

	ctp_release(ctp_current(), CTP_PTH_LOCK(lock), site);
	status = CTP_STACKFUL_CALL_AT(CTP_PTH_CONDITION(condition), 0, site, CTP_POINT_AWAIT,
		pth_cond_await(condition, lock, event));
	ctp_acquire(ctp_current(), CTP_PTH_LOCK(lock), site);
	return status;
}

static inline int ctp_pth_notify(pth_cond_t *condition, int is_for_all, uint32_t site)
{
	ctp_stackful_notify(CTP_PTH_CONDITION(condition), is_for_all, site);
	return pth_cond_notify(condition, is_for_all);
}

static inline int ctp_pth_nap(pth_time_t time, uint32_t site)
{
	uint64_t time_us = (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;

	return CTP_STACKFUL_CALL_AT(
		CTP_PTH_TIMER, ctp_pth_deadline(time_us), site, CTP_POINT_AWAIT, pth_nap(time));
}

static inline int ctp_pth_usleep(unsigned int time_us, uint32_t site)
{
	return CTP_STACKFUL_CALL_AT(CTP_PTH_TIMER, ctp_pth_deadline(time_us), site, CTP_POINT_AWAIT,
		pth_usleep(time_us));
}

static inline unsigned int ctp_pth_sleep(unsigned int seconds, uint32_t site)
{
	return CTP_STACKFUL_CALL_AT(CTP_PTH_TIMER, ctp_pth_deadline((uint64_t)seconds * 1000000u),
		site, CTP_POINT_AWAIT, pth_sleep(seconds));
}

#define pth_spawn(attributes, function, argument) \
	ctp_pth_spawn((attributes), (function), (argument), CTP_SITE("pth_spawn"))
#define pth_exit(value) (ctp_stackful_end(), (pth_exit)(value))
#define pth_join(thread, value)                                                             \
	__extension__({                                                                     \
		pth_t ctp_joined = (thread);                                                \
                                                                                            \
		CTP_STACKFUL_CALL(CTP_HANDLE(CTP_RESOURCE_FRAME, (uintptr_t)ctp_joined), 0, \
			"pth_join", (pth_join)(ctp_joined, (value)));                       \
	})
#define pth_yield(to) CTP_STACKFUL_YIELD("pth_yield", (pth_yield)(to))
#define pth_usleep(time_us) ctp_pth_usleep((time_us), CTP_SITE("pth_usleep"))
#define pth_sleep(seconds) ctp_pth_sleep((seconds), CTP_SITE("pth_sleep"))
#define pth_nap(time) ctp_pth_nap((time), CTP_SITE("pth_nap"))
#define pth_wait(event) CTP_STACKFUL_CALL(0, 0, "pth_wait", (pth_wait)(event))

#define pth_mutex_acquire(lock, is_tried, event) \
	ctp_pth_acquire((lock), (is_tried), (event), CTP_SITE("pth_mutex_acquire"))
#define pth_mutex_release(lock) ctp_pth_release((lock), CTP_SITE("pth_mutex_release"))
#define pth_cond_await(condition, lock, event) \
	ctp_pth_await((condition), (lock), (event), CTP_SITE("pth_cond_await"))
#define pth_cond_notify(condition, is_for_all) \
	ctp_pth_notify((condition), (is_for_all), CTP_SITE("pth_cond_notify"))

#define CTP_PTH_TRANSFER(function, descriptor, ...)                                \
	__extension__({                                                            \
		int ctp_descriptor = (descriptor);                                 \
                                                                                   \
		CTP_STACKFUL_CALL(CTP_DESCRIPTOR(ctp_descriptor, 0), 0, #function, \
			(function)(ctp_descriptor, __VA_ARGS__));                  \
	})
#define pth_accept(descriptor, ...) CTP_PTH_TRANSFER(pth_accept, descriptor, __VA_ARGS__)
#define pth_connect(descriptor, ...) CTP_PTH_TRANSFER(pth_connect, descriptor, __VA_ARGS__)
#define pth_read(descriptor, ...) CTP_PTH_TRANSFER(pth_read, descriptor, __VA_ARGS__)
#define pth_readv(descriptor, ...) CTP_PTH_TRANSFER(pth_readv, descriptor, __VA_ARGS__)
#define pth_write(descriptor, ...) CTP_PTH_TRANSFER(pth_write, descriptor, __VA_ARGS__)
#define pth_writev(descriptor, ...) CTP_PTH_TRANSFER(pth_writev, descriptor, __VA_ARGS__)
#define pth_recv(descriptor, ...) CTP_PTH_TRANSFER(pth_recv, descriptor, __VA_ARGS__)
#define pth_recvfrom(descriptor, ...) CTP_PTH_TRANSFER(pth_recvfrom, descriptor, __VA_ARGS__)
#define pth_send(descriptor, ...) CTP_PTH_TRANSFER(pth_send, descriptor, __VA_ARGS__)
#define pth_sendto(descriptor, ...) CTP_PTH_TRANSFER(pth_sendto, descriptor, __VA_ARGS__)

#endif
