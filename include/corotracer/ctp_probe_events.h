/* SPDX-License-Identifier: MIT */
/*
 * A scheduler's events, by name. A part of ctp_probe.h: include that.
 */
#ifndef COROTRACER_CTP_PROBE_EVENTS_H
#define COROTRACER_CTP_PROBE_EVENTS_H

#include "corotracer/ctp_probe.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * ctp_current: returns the coroutine that runs on this thread, as far as the thread's events show: from ctp_resume, or
 * a switch to the coroutine, until its next suspend or switch, or its return. Returns 0 if no coroutine runs, or if it
 * is not known which one runs, as after a coroutine inside of this one has suspended; an event written with coroutine 0
 * counts as an event of the thread. The function is for a mutex or channel that does not know its caller. The thread is
 * looked up at each call, so the result is right on whatever thread the coroutine goes on. Costs a few instructions.
 */
CTP_INLINE uint64_t ctp_current(void)
{
	return ctp_load_relaxed(&ctp_gate_page.pass) == 0 ? 0 : ctp_thread_self()->current;
}

/*
 * Notes which coroutine runs on this thread, or that it no longer runs. The functions below, which write the
 * corresponding events, call this function.
 */
CTP_INLINE void ctp_current_enter(uint64_t coro)
{
	if (coro != 0)
		ctp_thread_self()->current = coro;
}

CTP_INLINE void ctp_current_leave(uint64_t coro)
{
	struct ctp_thread *thread;

	if (coro == 0)
		return;
	thread = ctp_thread_self();
	if (thread->current == coro)
		thread->current = 0;
}

/*
 * ctp_current_spawn: notes that a coroutine was made which may begin on this thread without an event, so that the
 * running coroutine is not known.
 * ctp_current_spawned: notes that the new coroutine will write its own events, so that the running coroutine is the one
 * from before the spawn.
 */
CTP_INLINE void ctp_current_spawn(void)
{
	struct ctp_thread *thread = ctp_thread_self();

	thread->before_spawn = thread->current;
	thread->current = 0;
}

CTP_INLINE void ctp_current_spawned(void)
{
	struct ctp_thread *thread = ctp_thread_self();

	thread->current = thread->before_spawn;
	thread->before_spawn = 0;
}

/*
 * The events of a scheduler, by name. `coro` is the coroutine that does what the event says: an id made by
 * ctp_coro_new, or 0 for the thread itself. `site` comes from CTP_SITE or ctp_site_address, or is 0. `resource` and
 * `queue` are handles made by CTP_HANDLE, as in CTP_HANDLE(CTP_RESOURCE_LOCK, address), or by CTP_DESCRIPTOR, or 0.
 * Times are CLOCK_MONOTONIC in nanoseconds. While the program is not traced all ids are 0, and the functions do
 * nothing.
 *
 * The order of events matters: write suspend or switch before another thread can resume the coroutine, wake before
 * another worker can see the target, and release and notify before the next owner can be seen.
 */
/*
 * ctp_create: `coro` exists from here on, and has not run yet. `address` is the address of the program's own record of
 * the coroutine (its fiber, task or promise), or of another object that belongs to the coroutine alone and is freed no
 * sooner than the coroutine is destroyed; 0: not stated. No two living coroutines have the same address: if a second
 * coroutine is created with the address, the first counts as gone, its end as missed. `address` is not a place in the
 * code; the place where the coroutine was started is `site`.
 */
CTP_INLINE void ctp_create(uint64_t coro, uint64_t address, uint32_t site)
{
	ctp_emit(coro, address, CTP_TAIL(site, CTP_KIND_CREATE, 0, 0));
}

/*
 * ctp_frame: states the address `frame` by which wakes name the coroutine if they do not know its id
 * (CTP_RESOURCE_FRAME), such as the address of a coroutine handle. Like `address` of ctp_create, the frame belongs to
 * this coroutine alone. `function_site` is the function that the coroutine runs: ctp_site_address(function,
 * CTP_SITE_FUNCTION), or 0. Call it once, after ctp_create.
 */
CTP_INLINE void ctp_frame(uint64_t coro, const void *frame, uint32_t function_site)
{
	ctp_emit(coro, (uint64_t)(uintptr_t)frame, CTP_TAIL(function_site, CTP_KIND_FRAME, 0, 0));
}

/* ctp_resume: `coro` runs on this thread from here on; `point` is the point at which it was suspended (points.def). */
CTP_INLINE void ctp_resume(uint64_t coro, enum ctp_point point)
{
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_RESUME, point, 0));
	ctp_current_enter(coro);
}

/*
 * ctp_suspend: `coro` gives up its thread and waits for `resource`, which ends the wait: a lock, a descriptor, a child.
 * `site` is the place of the wait. `point` is CTP_POINT_AWAIT, except at the coroutine's beginning, at its end, and in
 * yields.
 */
CTP_INLINE void ctp_suspend(uint64_t coro, uint64_t resource, uint32_t site, enum ctp_point point)
{
	ctp_emit(coro, resource, CTP_TAIL(site, CTP_KIND_SUSPEND, point, 0));
	ctp_current_leave(coro);
}

/*
 * ctp_suspend_until: does what ctp_suspend does, for a wait that ends at `deadline_ns` of CLOCK_MONOTONIC at the
 * latest.
 */
CTP_INLINE void ctp_suspend_until(
	uint64_t coro, uint64_t resource, uint32_t site, enum ctp_point point, uint64_t deadline_ns)
{
	ctp_emit_with(coro, resource, CTP_TAIL(site, CTP_KIND_SUSPEND, point, 0),
		CTP_DETAIL_DEADLINE, deadline_ns);
	ctp_current_leave(coro);
}

/*
 * ctp_switch: this thread leaves `from`, at `site`, and enters `to`: a suspend and a resume in one record, with one
 * reading of the clock. Either coroutine may be 0, for the thread's own stack. The record does not say what `from`
 * waits for: use ctp_switch for yields, and when `from` has come to its end (after ctp_return).
 */
CTP_INLINE void ctp_switch(uint64_t from, uint64_t to, uint32_t site, enum ctp_point point)
{
	ctp_emit(from, to, CTP_TAIL(site, CTP_KIND_SWITCH, point, 0));
	ctp_current_leave(from);
	ctp_current_enter(to);
}

/*
 * ctp_switch_for: does what ctp_switch does, when `from` waits for `resource`. Writes two records with one reading of
 * the clock.
 */
CTP_INLINE void ctp_switch_for(
	uint64_t from, uint64_t to, uint64_t resource, uint32_t site, enum ctp_point point)
{
	ctp_emit_with(
		from, to, CTP_TAIL(site, CTP_KIND_SWITCH, point, 0), CTP_DETAIL_RESOURCE, resource);
	ctp_current_leave(from);
	ctp_current_enter(to);
}

/* ctp_cancel: the last suspension of `coro` that was recorded did not take place. */
CTP_INLINE void ctp_cancel(uint64_t coro)
{
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_CANCEL, 0, 0));
	ctp_current_enter(coro);
}

/*
 * ctp_wake: `target` is a handle of kind COROUTINE or FRAME, or a CTP_REMOTE if the coroutine belongs to another
 * process; `waker` is the running coroutine or 0. `site` is the place of the call that ends the wait (the unlock, the
 * send), not that of a function through which all wakes go. `outcome` is the result of the wake (outcomes.def); if the
 * target is put into a queue, call ctp_enqueue next. The first run of a new coroutine needs no wake.
 */
CTP_INLINE void ctp_wake(uint64_t waker, uint64_t target, uint32_t site, enum ctp_outcome outcome)
{
	ctp_emit(waker, target, CTP_TAIL(site, CTP_KIND_WAKE, outcome, 0));
}

/* ctp_return: `coro` has run to its end; the coroutine exists until ctp_destroy. */
CTP_INLINE void ctp_return(uint64_t coro)
{
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_RETURN, 0, 0));
	ctp_current_leave(coro);
}

/*
 * ctp_return_failed: does what ctp_return does, if an exception, a panic or another error ended the coroutine; `site`
 * is where the error arose, 0: not known.
 */
CTP_INLINE void ctp_return_failed(uint64_t coro, uint32_t site)
{
	ctp_emit(coro, 0, CTP_TAIL(site, CTP_KIND_RETURN, 0, CTP_RETURN_FAILED));
	ctp_current_leave(coro);
}

/*
 * ctp_return_cancelled: does what ctp_return does, if `coro` was cancelled, and ended in the run in which it learnt so;
 * `site` is where it waited until then, 0: not known.
 */
CTP_INLINE void ctp_return_cancelled(uint64_t coro, uint32_t site)
{
	ctp_emit(coro, 0, CTP_TAIL(site, CTP_KIND_RETURN, 0, CTP_RETURN_CANCELLED));
	ctp_current_leave(coro);
}

/*
 * ctp_destroy: `coro` is gone, and another coroutine may lie at its addresses. `life` says what the coroutine did
 * before (lives.def).
 */
CTP_INLINE void ctp_destroy(uint64_t coro, enum ctp_life life)
{
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_DESTROY, life, 0));
	ctp_current_leave(coro);
}

/* ctp_destroy_at: does what ctp_destroy does, if another party destroyed the coroutine, at `site`. */
CTP_INLINE void ctp_destroy_at(uint64_t coro, enum ctp_life life, uint32_t site)
{
	ctp_emit(coro, 0, CTP_TAIL(site, CTP_KIND_DESTROY, life, 0));
	ctp_current_leave(coro);
}

/*
 * ctp_await: `parent` is about to wait until `child` has come to its end. ctp_await_done: the child has come to its
 * end. Between the two calls `parent` suspends, if necessary, for CTP_HANDLE(CTP_RESOURCE_COROUTINE, child).
 */
CTP_INLINE void ctp_await(uint64_t parent, uint64_t child, uint32_t site)
{
	ctp_emit(parent, child, CTP_TAIL(site, CTP_KIND_AWAIT, 0, 0));
}

CTP_INLINE void ctp_await_done(uint64_t parent, uint64_t child)
{
	ctp_emit(parent, child, CTP_TAIL(0, CTP_KIND_AWAIT_DONE, 0, 0));
}

/*
 * ctp_acquire: `coro` holds the resource from here on. A coroutine that got the resource by ctp_hand_over does not
 * write this event. One coroutine at a time can hold a CTP_RESOURCE_LOCK; a resource that several may hold at the same
 * time, such as a lock that readers share, is a CTP_RESOURCE_SEMAPHORE. One event is one permit; of a channel, one item
 * or one place for an item, also if it was taken without a wait.
 */
CTP_INLINE void ctp_acquire(uint64_t coro, uint64_t resource, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_RESOURCES, coro, resource, CTP_TAIL(site, CTP_KIND_ACQUIRE, 0, 0));
}

/* ctp_release: `coro` gives the resource back, and the resource is free; of a semaphore, one permit: n events for n. */
CTP_INLINE void ctp_release(uint64_t coro, uint64_t resource, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_RESOURCES, coro, resource, CTP_TAIL(site, CTP_KIND_RELEASE, 0, 0));
}

/*
 * ctp_block: this thread, with all that runs on it, is about to wait for the lock, for at most timeout_ms milliseconds;
 * -1: without limit. ctp_block_done: the thread no longer waits. The holder of the lock writes ctp_acquire; a thread
 * that holds the lock outside of any coroutine writes ctp_acquire with coroutine 0.
 */
CTP_INLINE void ctp_block(uint64_t lock, int64_t timeout_ms, uint32_t site)
{
	ctp_emit(
		lock, (uint64_t)timeout_ms, CTP_TAIL(site, CTP_KIND_BLOCK_BEGIN, CTP_CALL_LOCK, 0));
}

CTP_INLINE void ctp_block_done(uint32_t site)
{
	ctp_emit(0, 0, CTP_TAIL(site, CTP_KIND_BLOCK_END, CTP_CALL_LOCK, 0));
}

/* ctp_hand_over: `coro` gives the resource to the coroutine `receiver`; the resource is never free in between. */
CTP_INLINE void ctp_hand_over(uint64_t coro, uint64_t resource, uint64_t receiver, uint32_t site)
{
	ctp_emit_with_of(CTP_CATEGORY_RESOURCES, coro, resource,
		CTP_TAIL(site, CTP_KIND_HAND_OVER, 0, 0), CTP_DETAIL_RECEIVER, receiver);
}

/*
 * ctp_notify: `coro` notifies the resource's waiters and wakes nr_woken of them. A notification that finds no waiter
 * (0) is worth recording.
 */
CTP_INLINE void ctp_notify(uint64_t coro, uint64_t resource, unsigned nr_woken, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_RESOURCES, coro, resource,
		CTP_TAIL(site, CTP_KIND_NOTIFY, nr_woken < 255 ? nr_woken : 255, 0));
}

/*
 * ctp_enqueue, ctp_dequeue: `coro`, which is ready, enters the queue, or is taken from the queue to be run. A coroutine
 * that lies in a queue but has not run yet counts as ready in 'corotracer why' and in findings. In tables of times such
 * a coroutine is "not begun" until its first run, whether it was woken or lies in a queue, and the scheduler latency
 * leaves that first run out. For a coroutine that was suspended before its first run (CTP_POINT_INITIAL), times and
 * latency count from the wake on.
 */
CTP_INLINE void ctp_enqueue(uint64_t coro, uint64_t queue)
{
	ctp_emit(coro, queue, CTP_TAIL(0, CTP_KIND_ENQUEUE, 0, 0));
}

/* ctp_enqueue_private: does what ctp_enqueue does, if only the calling thread can take the coroutine out again. */
CTP_INLINE void ctp_enqueue_private(uint64_t coro, uint64_t queue)
{
	ctp_emit(coro, queue, CTP_TAIL(0, CTP_KIND_ENQUEUE, 0, CTP_ENQUEUE_PRIVATE));
}

CTP_INLINE void ctp_dequeue(uint64_t coro, uint64_t queue)
{
	ctp_emit(coro, queue, CTP_TAIL(0, CTP_KIND_DEQUEUE, 0, 0));
}

/*
 * Descriptors, for programs that run without the descriptor ledger; the ledger records the same events by itself.
 * `descriptor` is made by CTP_DESCRIPTOR, with a generation that counts the uses of the number.
 */
/*
 * ctp_descriptor_open: the descriptor exists; write this after the call that opened the descriptor.
 * ctp_descriptor_close: the descriptor is about to be closed; write this before the call that closes the descriptor.
 */
CTP_INLINE void ctp_descriptor_open(uint64_t descriptor, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_DESCRIPTORS, 0, descriptor,
		CTP_TAIL(site, CTP_KIND_DESCRIPTOR_OPEN, 0, 0));
}

CTP_INLINE void ctp_descriptor_close(uint64_t descriptor, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_DESCRIPTORS, 0, descriptor,
		CTP_TAIL(site, CTP_KIND_DESCRIPTOR_CLOSE, 0, 0));
}

/*
 * ctp_descriptor_arm: records an epoll_ctl with this operation (1 add, 2 delete, 3 modify), events and user data. In
 * `events`, 0x4000 stands for EPOLLONESHOT, and 0x8000 for EPOLLET.
 */
CTP_INLINE void ctp_descriptor_arm(
	uint64_t descriptor, unsigned operation, uint16_t events, uint64_t user_data, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_DESCRIPTORS, user_data, descriptor,
		CTP_TAIL(site, CTP_KIND_DESCRIPTOR_ARM, operation, events));
}

/* ctp_descriptor_ready: epoll_wait reported these events, with this user data. */
CTP_INLINE void ctp_descriptor_ready(uint64_t descriptor, uint16_t events, uint64_t user_data)
{
	ctp_emit_of(CTP_CATEGORY_DESCRIPTORS, user_data, descriptor,
		CTP_TAIL(0, CTP_KIND_DESCRIPTOR_READY, 0, events));
}

/* ctp_park, ctp_unpark: this worker found no work and goes to sleep; this worker is awake again. */
CTP_INLINE void ctp_park(uint64_t resource, uint32_t site)
{
	ctp_emit(0, resource, CTP_TAIL(site, CTP_KIND_PARK, 0, 0));
	ctp_thread_self()->current = 0;
}

/* ctp_park_until: does what ctp_park does, for a sleep that ends at `deadline_ns` at the latest. */
CTP_INLINE void ctp_park_until(uint64_t resource, uint32_t site, uint64_t deadline_ns)
{
	ctp_emit_with(
		0, resource, CTP_TAIL(site, CTP_KIND_PARK, 0, 0), CTP_DETAIL_DEADLINE, deadline_ns);
	ctp_thread_self()->current = 0;
}

/*
 * ctp_park_untimed: does what ctp_park does, if no timer of the scheduler is set, so that only a wake ends the sleep.
 * For schedulers that nevertheless sleep in a call with a time-out, then look for work and find none: without this
 * event the time-out counts as something that may still wake the worker.
 */
CTP_INLINE void ctp_park_untimed(uint64_t resource, uint32_t site)
{
	ctp_emit(0, resource, CTP_TAIL(site, CTP_KIND_PARK, 0, CTP_PARK_UNTIMED));
	ctp_thread_self()->current = 0;
}

CTP_INLINE void ctp_unpark(uint64_t resource)
{
	ctp_emit(0, resource, CTP_TAIL(0, CTP_KIND_UNPARK, 0, 0));
}

#ifdef __cplusplus
}
#endif

#endif
