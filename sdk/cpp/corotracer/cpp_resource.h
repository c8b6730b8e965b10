/* SPDX-License-Identifier: MIT */
/*
 * The events of a program's own locks, channels, conditions and queues: a part of coroTracer.h.
 *
 *	corotracer::acquire(promise.corotracer_id(), corotracer::lock(this));
 *
 * A coroutine is named by its corotracer_id(), 0 for a thread that runs none; a resource by a handle, made by
 * corotracer::lock and similar functions. The order matters: write release, hand_over and notify before another worker
 * can see the next owner or the woken coroutine; write acquire after the resource is held.
 */
#ifndef COROTRACER_CPP_RESOURCE_H
#define COROTRACER_CPP_RESOURCE_H

#include <cstddef>
#include <cstdint>

#include "corotracer/cpp_site.h"
#include "corotracer/ctp_probe.h"

namespace corotracer
{

/*
 * acquire: the holder has the resource from here on. A coroutine that got the resource by hand_over does not write this
 * event.
 */
COROTRACER_INLINE void acquire(std::uint64_t holder, std::uint64_t resource,
	const location &where = location::current()) noexcept
{
	if (ctp_is_attached())
		ctp_acquire(holder, resource, detail::site_of(where, nullptr));
}

/* release: the holder gives the resource back, and the resource is free. */
COROTRACER_INLINE void release(std::uint64_t holder, std::uint64_t resource,
	const location &where = location::current()) noexcept
{
	if (ctp_is_attached())
		ctp_release(holder, resource, detail::site_of(where, nullptr));
}

/* hand_over: the holder gives the resource to the receiver; the resource is never free in between. */
COROTRACER_INLINE void hand_over(std::uint64_t holder, std::uint64_t resource,
	std::uint64_t receiver, const location &where = location::current()) noexcept
{
	if (ctp_is_attached())
		ctp_hand_over(holder, resource, receiver, detail::site_of(where, nullptr));
}

/*
 * notify: the notifier notified the resource's waiters, and woke nr_woken of them. A notification that found no waiter
 * (0) is worth recording.
 */
COROTRACER_INLINE void notify(std::uint64_t notifier, std::uint64_t resource, std::size_t nr_woken,
	const location &where = location::current()) noexcept
{
	unsigned count = nr_woken < 255 ? static_cast<unsigned>(nr_woken) : 255;

	if (ctp_is_attached())
		ctp_notify(notifier, resource, count, detail::site_of(where, nullptr));
}

/*
 * await_child: the parent is about to wait until the child has come to its end. await_child_done: the child has come to
 * its end. The suspension between the two, if there is one, waits for corotracer::child(handle).
 */
COROTRACER_INLINE void await_child(std::uint64_t parent, std::uint64_t child,
	const location &where = location::current()) noexcept
{
	if (ctp_is_attached())
		ctp_await(parent, child, detail::site_of(where, nullptr));
}

COROTRACER_INLINE void await_child_done(std::uint64_t parent, std::uint64_t child) noexcept
{
	ctp_await_done(parent, child);
}

/* enqueue, dequeue: a ready coroutine enters a queue, or is taken from it, to be run or put elsewhere. */
COROTRACER_INLINE void enqueue(std::uint64_t coroutine, std::uint64_t queue) noexcept
{
	ctp_enqueue(coroutine, queue);
}

COROTRACER_INLINE void dequeue(std::uint64_t coroutine, std::uint64_t queue) noexcept
{
	ctp_dequeue(coroutine, queue);
}

} /* namespace corotracer */

#endif
