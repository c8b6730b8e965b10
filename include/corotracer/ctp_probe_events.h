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
 * ctp_current: the coroutine that runs on this thread, as far as the thread's events tell: from ctp_resume, or a switch
 * to it, to its next suspend or switch, or its return. 0: none does, or it is not known which, as after another one
 * inside of it has suspended; an event written with 0 counts as a thread's. For a mutex or channel that does not know
 * who calls it. The thread is looked up anew at each call, so it is right on whatever thread the coroutine goes on. A
 * few instructions.
 */
CTP_INLINE uint64_t ctp_current(void)
{
	return ctp_load_relaxed(&ctp_gate_page.pass) == 0 ? 0 : ctp_thread_self()->current;
}

/*
 * Notes which coroutine runs here, or that it no longer does. For the functions below, which write the events
 * that say so.
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
 * ctp_current_spawn: a coroutine was made that may begin here without an event: which one runs is not known.
 * ctp_current_spawned: the new coroutine will write its own.
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
 * The events of a scheduler, by name. `coro` is the coroutine that does it, made by ctp_coro_new, or 0
 * for the thread itself; `site` comes from CTP_SITE or ctp_site_address, or is 0; `resource` and
 * `queue` are handles made by CTP_HANDLE, as in CTP_HANDLE(CTP_RESOURCE_LOCK, address), or CTP_DESCRIPTOR, or 0.
 * Times are CLOCK_MONOTONIC in nanoseconds. While nothing traces all ids are 0, and the functions do nothing.
 *
 * Order matters: write suspend or switch before anyone else can resume the coroutine, wake before the
 * target can be seen by another worker, release and notify before the next owner can be seen.
 */
/*
 * ctp_create: `coro` is there from here on, and has not run yet. `address` is where the record lies that the program
 * keeps of it (its fiber, task or promise), or anything else of its own that is given back no sooner than it is
 * destroyed; 0: not told. No two coroutines that are there have the same one: where a second one is created with it,
 * the first one is taken to be gone, and its end to have been missed. `address` is no place in the code; the place
 * where it was started is `site`.
 */
CTP_INLINE void ctp_create(uint64_t coro, uint64_t address, uint32_t site)
{
	ctp_emit(coro, address, CTP_TAIL(site, CTP_KIND_CREATE, 0, 0));
}

/*
 * ctp_frame: `frame` is the address by which wakes name it, where they know no id (CTP_RESOURCE_FRAME), such as the
 * address of a coroutine handle; as `address` of ctp_create, it is this coroutine's alone. `function_site` is the
 * function that it runs: ctp_site_address(function, CTP_SITE_FUNCTION), or 0. Written after ctp_create, once.
 */
CTP_INLINE void ctp_frame(uint64_t coro, const void *frame, uint32_t function_site)
{
	ctp_emit(coro, (uint64_t)(uintptr_t)frame, CTP_TAIL(function_site, CTP_KIND_FRAME, 0, 0));
}

/* ctp_resume: `coro` runs on this thread from here on; `point` is that at which it was suspended (points.def). */
CTP_INLINE void ctp_resume(uint64_t coro, enum ctp_point point)
{
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_RESUME, point, 0));
	ctp_current_enter(coro);
}

/*
 * ctp_suspend: `coro` gives up its thread, and waits for `resource`, which ends the wait: a lock, a descriptor, a
 * child. `site` is where it waits; `point` is CTP_POINT_AWAIT but for the beginning, the end, and yields.
 */
CTP_INLINE void ctp_suspend(uint64_t coro, uint64_t resource, uint32_t site, enum ctp_point point)
{
	ctp_emit(coro, resource, CTP_TAIL(site, CTP_KIND_SUSPEND, point, 0));
	ctp_current_leave(coro);
}

/* ctp_suspend_until: ctp_suspend; the wait ends at `deadline_ns` of CLOCK_MONOTONIC, whatever happens. */
CTP_INLINE void ctp_suspend_until(
	uint64_t coro, uint64_t resource, uint32_t site, enum ctp_point point, uint64_t deadline_ns)
{
	ctp_emit_with(coro, resource, CTP_TAIL(site, CTP_KIND_SUSPEND, point, 0),
		CTP_DETAIL_DEADLINE, deadline_ns);
	ctp_current_leave(coro);
}

/*
 * ctp_switch: this thread leaves `from`, at `site`, and enters `to`: a suspend and a resume in one record, with one
 * reading of the clock. Either may be 0, for the thread's own stack. The record says nothing of what `from` waits for:
 * right for yields, and where `from` has come to its end (after ctp_return).
 */
CTP_INLINE void ctp_switch(uint64_t from, uint64_t to, uint32_t site, enum ctp_point point)
{
	ctp_emit(from, to, CTP_TAIL(site, CTP_KIND_SWITCH, point, 0));
	ctp_current_leave(from);
	ctp_current_enter(to);
}

/* ctp_switch_for: ctp_switch, where `from` waits for `resource`. Two records, one reading. */
CTP_INLINE void ctp_switch_for(
	uint64_t from, uint64_t to, uint64_t resource, uint32_t site, enum ctp_point point)
{
	ctp_emit_with(
		from, to, CTP_TAIL(site, CTP_KIND_SWITCH, point, 0), CTP_DETAIL_RESOURCE, resource);
	ctp_current_leave(from);
	ctp_current_enter(to);
}

/* ctp_cancel: the suspension written last did not take place. */
CTP_INLINE void ctp_cancel(uint64_t coro)
{
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_CANCEL, 0, 0));
	ctp_current_enter(coro);
}

/*
 * ctp_wake: `target` is a handle of kind COROUTINE or FRAME, or CTP_REMOTE where it is another process's coroutine;
 * `waker` the running coroutine or 0. `outcome` is what became of it (outcomes.def); where the target is put into a
 * queue, ctp_enqueue follows. The first run of a new coroutine needs no wake.
 */
CTP_INLINE void ctp_wake(uint64_t waker, uint64_t target, uint32_t site, enum ctp_outcome outcome)
{
	ctp_emit(waker, target, CTP_TAIL(site, CTP_KIND_WAKE, outcome, 0));
}

/* ctp_return: `coro` has run to its end; it is there until ctp_destroy. */
CTP_INLINE void ctp_return(uint64_t coro)
{
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_RETURN, 0, 0));
	ctp_current_leave(coro);
}

/*
 * ctp_destroy: `coro` is gone, and another one may lie at its addresses; `life` says what it did until then
 * (lives.def).
 */
CTP_INLINE void ctp_destroy(uint64_t coro, enum ctp_life life)
{
	ctp_emit(coro, 0, CTP_TAIL(0, CTP_KIND_DESTROY, life, 0));
	ctp_current_leave(coro);
}

/* ctp_destroy_at: ctp_destroy, where another party decided so, at `site`. */
CTP_INLINE void ctp_destroy_at(uint64_t coro, enum ctp_life life, uint32_t site)
{
	ctp_emit(coro, 0, CTP_TAIL(site, CTP_KIND_DESTROY, life, 0));
	ctp_current_leave(coro);
}

/*
 * ctp_await: `parent` is about to wait until `child` has come to its end. ctp_await_done: it has.
 * Between the two `parent` suspends, if it has to, for CTP_HANDLE(CTP_RESOURCE_COROUTINE, child).
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
 * ctp_acquire: `coro` holds the resource from here on; a coroutine that was handed it does not write this. A
 * CTP_RESOURCE_LOCK is held by one at a time; a resource that several may hold at once, such as a lock that readers
 * share, is a CTP_RESOURCE_SEMAPHORE.
 */
CTP_INLINE void ctp_acquire(uint64_t coro, uint64_t resource, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_RESOURCES, coro, resource, CTP_TAIL(site, CTP_KIND_ACQUIRE, 0, 0));
}

/* ctp_release: `coro` gives the resource back, and it is free. */
CTP_INLINE void ctp_release(uint64_t coro, uint64_t resource, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_RESOURCES, coro, resource, CTP_TAIL(site, CTP_KIND_RELEASE, 0, 0));
}

/*
 * ctp_block: this thread is about to wait for the lock with all that runs on it, for so many milliseconds at most; -1:
 * as long as it takes. ctp_block_done: the thread waits no more. The holder of the lock says so by ctp_acquire; a
 * thread that holds it does so with coroutine 0, outside of any.
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

/* ctp_hand_over: `coro` gives the resource to the coroutine `receiver`; it is never free between. */
CTP_INLINE void ctp_hand_over(uint64_t coro, uint64_t resource, uint64_t receiver, uint32_t site)
{
	ctp_emit_with_of(CTP_CATEGORY_RESOURCES, coro, resource,
		CTP_TAIL(site, CTP_KIND_HAND_OVER, 0, 0), CTP_DETAIL_RECEIVER, receiver);
}

/* ctp_notify: `coro` tells the resource's waiters, and finds nr_woken; 0 is worth telling. */
CTP_INLINE void ctp_notify(uint64_t coro, uint64_t resource, unsigned nr_woken, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_RESOURCES, coro, resource,
		CTP_TAIL(site, CTP_KIND_NOTIFY, nr_woken < 255 ? nr_woken : 255, 0));
}

/*
 * ctp_enqueue, ctp_dequeue: `coro`, which is ready, enters the queue, or is taken from it to be run. A coroutine that
 * has not run yet is ready then for 'corotracer why' and for findings; in times it has "not begun" until its first run,
 * whether it was woken or lies in a queue, and the scheduler's latency leaves that run out. For one that was suspended
 * before its first run (CTP_POINT_INITIAL) both count from the wake on.
 */
CTP_INLINE void ctp_enqueue(uint64_t coro, uint64_t queue)
{
	ctp_emit(coro, queue, CTP_TAIL(0, CTP_KIND_ENQUEUE, 0, 0));
}

/* ctp_enqueue_private: ctp_enqueue, where only the calling thread can take it out again. */
CTP_INLINE void ctp_enqueue_private(uint64_t coro, uint64_t queue)
{
	ctp_emit(coro, queue, CTP_TAIL(0, CTP_KIND_ENQUEUE, 0, CTP_ENQUEUE_PRIVATE));
}

CTP_INLINE void ctp_dequeue(uint64_t coro, uint64_t queue)
{
	ctp_emit(coro, queue, CTP_TAIL(0, CTP_KIND_DEQUEUE, 0, 0));
}

/*
 * Descriptors, for programs that run without the descriptor ledger, which tells the same by itself.
 * `descriptor` is made by CTP_DESCRIPTOR, with a generation that counts the uses of the number.
 */
/*
 * ctp_descriptor_open: the descriptor is there; written after the call that opened it. ctp_descriptor_close: the
 * descriptor is about to go; written before the call that closes it.
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

/* ctp_descriptor_arm: epoll_ctl with this operation, events and user data; 1 add, 2 delete, 3 modify. */
CTP_INLINE void ctp_descriptor_arm(
	uint64_t descriptor, unsigned operation, uint16_t events, uint64_t user_data, uint32_t site)
{
	ctp_emit_of(CTP_CATEGORY_DESCRIPTORS, user_data, descriptor,
		CTP_TAIL(site, CTP_KIND_DESCRIPTOR_ARM, operation, events));
}

/* ctp_descriptor_ready: epoll_wait told of these events, with this user data. */
CTP_INLINE void ctp_descriptor_ready(uint64_t descriptor, uint16_t events, uint64_t user_data)
{
	ctp_emit_of(CTP_CATEGORY_DESCRIPTORS, user_data, descriptor,
		CTP_TAIL(0, CTP_KIND_DESCRIPTOR_READY, 0, events));
}

/* ctp_park, ctp_unpark: this worker found no work and goes to sleep; it is awake again. */
CTP_INLINE void ctp_park(uint64_t resource, uint32_t site)
{
	ctp_emit(0, resource, CTP_TAIL(site, CTP_KIND_PARK, 0, 0));
	ctp_thread_self()->current = 0;
}

/* ctp_park_until: ctp_park; the sleep ends at `deadline_ns`, whatever happens. */
CTP_INLINE void ctp_park_until(uint64_t resource, uint32_t site, uint64_t deadline_ns)
{
	ctp_emit_with(
		0, resource, CTP_TAIL(site, CTP_KIND_PARK, 0, 0), CTP_DETAIL_DEADLINE, deadline_ns);
	ctp_thread_self()->current = 0;
}

/*
 * ctp_park_untimed: ctp_park; no timer of the scheduler is set, so that only a wake sets it going again. For schedulers
 * that sleep in a call with a time-out all the same, after which they look again and find nothing: without this the
 * time-out counts as somebody who may come.
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
