/* SPDX-License-Identifier: MIT */
/*
 * Fibers of C libraries that have no hooks for a tracer, traced from outside: corotracer/pth.h and
 * corotracer/state_threads.h are made of these functions, and an adapter for another such library can be made of them,
 * too.
 *
 * A fiber is recognised by the function that it begins with, which a function of ours calls. A call that may let other
 * fibers run is a wait, which lasts as long as the call. The waits under way are in a list, so that a call that ends
 * waits can find them. All of this is for libraries whose fibers share one kernel thread.
 *
 * The program links libcorotracer-probe. While the program is not traced, a call costs a load and a branch.
 */
#ifndef COROTRACER_STACKFUL_H
#define COROTRACER_STACKFUL_H

#include <stdlib.h>
#include <time.h>

#include "corotracer/attach_before_main.h"
#include "corotracer/ctp_probe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A call under way that may let other fibers run. The struct lies on the stack of the calling fiber. */
struct ctp_stackful_wait {
	struct ctp_stackful_wait *next, *before;
	/* 0: a thread's own stack, or a fiber older than the tracing: not recorded, and in no list */
	uint64_t coro;
	uint64_t resource;
	enum ctp_point point;
	bool was_handed; /* the lock that it waits for was handed to it */
};

/* There is one in a program, whichever of its sources include this header. */
__attribute__((weak)) struct {
	struct ctp_stackful_wait *oldest, *newest;
} ctp_stackful_waits;

/* What a fiber begins with. */
struct ctp_stackful_start {
	void *(*function)(void *);
	void *argument;
	uint64_t coro;
};

/* ctp_stackful_deadline: returns the deadline of a wait with a time-out of timeout_us microseconds from now. */
static inline uint64_t ctp_stackful_deadline(uint64_t timeout_us)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + timeout_us * 1000u;
}

static inline void ctp_stackful_list(struct ctp_stackful_wait *wait)
{
	wait->before = ctp_stackful_waits.newest;
	wait->next = NULL;
	if (wait->before)
		wait->before->next = wait;
	else
		ctp_stackful_waits.oldest = wait;
	ctp_stackful_waits.newest = wait;
}

static inline void ctp_stackful_unlist(struct ctp_stackful_wait *wait)
{
	if (wait->before)
		wait->before->next = wait->next;
	else
		ctp_stackful_waits.oldest = wait->next;
	if (wait->next)
		wait->next->before = wait->before;
	else
		ctp_stackful_waits.newest = wait->before;
}

/*
 * ctp_stackful_wait_begin, _end: call these around a call that may let other fibers run. `deadline_ns` is of
 * CLOCK_MONOTONIC, 0: none. The wait belongs to the caller, and must not move until the end.
 */
static inline void ctp_stackful_wait_begin(struct ctp_stackful_wait *wait, uint64_t resource,
	uint32_t site, uint64_t deadline_ns, enum ctp_point point)
{
	wait->coro = ctp_current();
	wait->resource = resource;
	wait->point = point;
	wait->was_handed = false;
	if (wait->coro == 0)
		return;
	ctp_stackful_list(wait);
	if (deadline_ns != 0)
		ctp_suspend_until(wait->coro, resource, site, point, deadline_ns);
	else
		ctp_suspend(wait->coro, resource, site, point);
}

static inline void ctp_stackful_wait_end(struct ctp_stackful_wait *wait)
{
	if (wait->coro == 0)
		return;
	ctp_stackful_unlist(wait);
	ctp_resume(wait->coro, wait->point);
}

/* CTP_STACKFUL_CALL: the value of a call that may let other fibers run, recorded as a wait at the macro's place. */
#define CTP_STACKFUL_CALL_AT(resource, deadline_ns, site, point, call)                          \
	__extension__({                                                                         \
		struct ctp_stackful_wait ctp_wait;                                              \
		__typeof__(call) ctp_value;                                                     \
                                                                                                \
		ctp_stackful_wait_begin(&ctp_wait, (resource), (site), (deadline_ns), (point)); \
		ctp_value = (call);                                                             \
		ctp_stackful_wait_end(&ctp_wait);                                               \
		ctp_value;                                                                      \
	})
#define CTP_STACKFUL_CALL(resource, deadline_ns, name, call) \
	CTP_STACKFUL_CALL_AT(resource, deadline_ns, CTP_SITE(name), CTP_POINT_AWAIT, call)
#define CTP_STACKFUL_YIELD(name, call) \
	CTP_STACKFUL_CALL_AT(0, 0, CTP_SITE(name), CTP_POINT_YIELD, call)

/*
 * ctp_stackful_first: returns the oldest wait for the resource, among those after `after` (NULL: among all). NULL:
 * none.
 */
static inline struct ctp_stackful_wait *ctp_stackful_first(
	uint64_t resource, const struct ctp_stackful_wait *after)
{
	struct ctp_stackful_wait *wait = after ? after->next : ctp_stackful_waits.oldest;

	while (wait && wait->resource != resource)
		wait = wait->next;
	return wait;
}

static inline void ctp_stackful_wake(const struct ctp_stackful_wait *wait, uint32_t site)
{
	ctp_wake(ctp_current(), CTP_HANDLE(CTP_RESOURCE_COROUTINE, wait->coro), site,
		CTP_OUTCOME_QUEUED);
}

/* ctp_stackful_notify: call it before the call that ends the longest wait for the resource, or all waits. */
static inline void ctp_stackful_notify(uint64_t resource, bool is_for_all, uint32_t site)
{
	struct ctp_stackful_wait *wait;
	unsigned nr_woken = 0;

	if (!ctp_is_attached())
		return;
	for (wait = ctp_stackful_first(resource, NULL); wait && (is_for_all || nr_woken == 0);
		wait = ctp_stackful_first(resource, wait))
		nr_woken++;
	ctp_notify(ctp_current(), resource, nr_woken, site);
	for (wait = ctp_stackful_first(resource, NULL); wait && nr_woken-- > 0;
		wait = ctp_stackful_first(resource, wait))
		ctp_stackful_wake(wait, site);
}

/*
 * ctp_stackful_give: call it before the call that gives a lock back, and hands it to the fiber that has waited longest.
 */
static inline void ctp_stackful_give(uint64_t lock, uint32_t site)
{
	struct ctp_stackful_wait *wait;

	if (!ctp_is_attached())
		return;
	wait = ctp_stackful_first(lock, NULL);
	if (!wait) {
		ctp_release(ctp_current(), lock, site);
		return;
	}
	wait->was_handed = true;
	ctp_hand_over(ctp_current(), lock, wait->coro, site);
	ctp_stackful_wake(wait, site);
}

/*
 * ctp_stackful_new: prepares a fiber that is about to be started with the function ctp_stackful_run and the result as
 * its argument, which that function frees. Returns NULL while the program is not traced, and if there is no memory:
 * start the fiber without it then. ctp_stackful_started: says that the library has started the fiber, and knows it by
 * `handle`; joins wait for CTP_HANDLE(CTP_RESOURCE_FRAME, handle). NULL: the library has not, and the fiber is
 * forgotten.
 */
static inline struct ctp_stackful_start *ctp_stackful_new(
	void *(*function)(void *), void *argument, uint32_t site)
{
	struct ctp_stackful_start *start =
		ctp_is_attached() ? (struct ctp_stackful_start *)malloc(sizeof(*start)) : NULL;

	if (!start)
		return NULL;
	start->function = function;
	start->argument = argument;
	start->coro = ctp_coro_new();
	ctp_create(start->coro, (uintptr_t)start, site);
	return start;
}

static inline void ctp_stackful_started(struct ctp_stackful_start *start, const void *handle)
{
	if (!start)
		return;
	if (handle) {
		ctp_frame(start->coro, handle,
			ctp_site_address(
				(const void *)(uintptr_t)start->function, CTP_SITE_FUNCTION));
		return;
	}
	ctp_destroy(start->coro, CTP_LIFE_UNSEEN);
	free(start);
}

/* ctp_stackful_end: the running fiber has come to its end; call it before the library's exit function. */
static inline void ctp_stackful_end(void)
{
	uint64_t coro = ctp_current();

	if (coro == 0)
		return;
	ctp_return(coro);
	ctp_destroy(coro, CTP_LIFE_DONE);
}

static inline void *ctp_stackful_run(void *argument)
{
	struct ctp_stackful_start start = *(struct ctp_stackful_start *)argument;
	void *value;

	free(argument);
	ctp_resume(start.coro, CTP_POINT_INITIAL);
	value = start.function(start.argument);
	ctp_stackful_end();
	return value;
}

#ifdef __cplusplus
}
#endif

#endif
