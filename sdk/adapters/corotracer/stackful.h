/* SPDX-License-Identifier: MIT */
/*
 * Fibers of C libraries that have no word for a tracer, told from outside: what corotracer/pth.h and
 * corotracer/state_threads.h are made of, and what an adapter for another such library can be made of.
 *
 * A fiber is known from the function that it begins with: that is called by one of ours. A call that may let others run
 * is a wait, which lasts as long as the call. The waits under way stand in a list, so that a call that ends waits can
 * say whose. All of it is for libraries whose fibers share one thread of the kernel's.
 *
 * The program links libcorotracer-probe. While nothing traces, a call costs a load and a branch.
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

/* A call under way that may let others run: it lies on the stack of the fiber that has called. */
struct ctp_stackful_wait {
	struct ctp_stackful_wait *next, *before;
	uint64_t
		coro; /* 0: a thread's own stack, or older than the tracing; not told, and in no list */
	uint64_t resource;
	enum ctp_point point;
	bool was_handed; /* the lock that it waits for was given to it */
};

/* One in a program, whichever of its sources include this. */
__attribute__((weak)) struct {
	struct ctp_stackful_wait *oldest, *newest;
} ctp_stackful_waits;

/* What a fiber begins with. */
struct ctp_stackful_start {
	void *(*function)(void *);
	void *argument;
	uint64_t coro;
};

/* ctp_stackful_deadline: what a time-out of so many microseconds, counted from now, means to a wait. */
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
 * ctp_stackful_wait_begin, _end: around a call that may let others run. `deadline_ns` of CLOCK_MONOTONIC, 0: none. The
 * wait belongs to the caller, and stays where it is until the end.
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

/* CTP_STACKFUL_CALL: the value of a call that may let others run, told as a wait at the place where this stands. */
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

/* ctp_stackful_first: the oldest wait for the resource, among those behind `after` (NULL: among all). NULL: none. */
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

/* ctp_stackful_notify: before the call that ends the wait of who has waited longest, or of all. */
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

/* ctp_stackful_give: before the call that gives a lock back, and hands it to who has waited longest for it. */
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
 * ctp_stackful_new: a fiber that is about to be started with ctp_stackful_run and this as its argument, which takes it;
 * NULL while nothing traces, and without memory: the fiber is then started as ever. ctp_stackful_started: the library
 * has done so, and knows it by `handle`; joins wait for CTP_HANDLE(CTP_RESOURCE_FRAME, handle). NULL: the library has
 * not, and the fiber is forgotten.
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

/* ctp_stackful_end: the fiber that runs has come to its end; before the library's exit. */
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
