/* SPDX-License-Identifier: MIT */
/*
 * The adapter for Boost.Fiber: a scheduling algorithm that wraps any other one, and records each switch and each wake.
 *
 *	boost::fibers::use_scheduling_algorithm<
 *		corotracer::traced_algorithm<boost::fibers::algo::round_robin>>();
 *
 * on each thread that runs fibers, instead of round_robin alone. Fibers and the places of their waits are recorded;
 * docs/adapters.md says more. The library is not changed, and the inner algorithm decides.
 *
 * An algorithm with its own properties must derive them from corotracer::traced_fiber.
 */
#ifndef COROTRACER_BOOST_FIBER_H
#define COROTRACER_BOOST_FIBER_H

#include <chrono>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <boost/fiber/all.hpp>

#include "corotracer/attach_before_main.h"
#include "corotracer/boost_fiber_place.h"

namespace corotracer
{

/* The properties of each fiber: its id, and what it will wait for. Made by the algorithm, destroyed with the fiber. */
class traced_fiber : public boost::fibers::fiber_properties
{
      public:
	explicit traced_fiber(boost::fibers::context *context) : fiber_properties(context)
	{
	}
	~traced_fiber() override
	{
		if (is_told())
			ctp_destroy(id_, has_ended ? CTP_LIFE_DONE : CTP_LIFE_UNTOLD);
	}

	/*
	 * Returns the number by which reports name the fiber; 0 while the program is not traced. The first call records
	 * the fiber's creation.
	 */
	std::uint64_t corotracer_id(std::uint32_t started_at = 0) noexcept
	{
		std::uint32_t now = ctp_attachment();

		if (now == 0 || attachment_ == now)
			return now == 0 ? 0 : id_;
		attachment_ = now;
		id_ = ctp_coro_new();
		is_running = is_giving_way = false;
		ctp_create(id_, reinterpret_cast<std::uintptr_t>(this), started_at);
		return id_;
	}

	bool is_told() const noexcept
	{
		return attachment_ != 0 && attachment_ == ctp_attachment();
	}

	std::uint64_t resource = 0; /* of the waits to come, and their place; 0: not stated */
	std::uint32_t site = 0;
	bool is_running = false; /* as recorded so far */
	bool is_giving_way = false;
	bool has_ended = false;

      private:
	std::uint64_t id_ = 0;
	std::uint32_t attachment_ = 0;
};

namespace detail::fiber
{

using boost::fibers::context;

/*
 * Returns the fiber of a context; NULL for a thread's own stack, for its dispatcher, and if there is no context yet:
 * newer versions (1.88) pass the dispatcher to the algorithm before the thread has an active context.
 */
inline traced_fiber *fiber_of(context *context)
{
	if (context == nullptr || context->is_context(boost::fibers::type::pinned_context))
		return nullptr;
	if (context->get_properties() == nullptr)
		context->set_properties(new traced_fiber(context));
	return static_cast<traced_fiber *>(context->get_properties());
}

/*
 * Returns the running fiber, and records that it runs: a fiber that was launched with dispatch begins without a call to
 * the algorithm.
 */
inline traced_fiber *running_fiber()
{
	traced_fiber *fiber = fiber_of(context::active());

	if (fiber == nullptr || fiber->is_running || fiber->has_ended ||
		fiber->corotracer_id() == 0)
		return fiber;
	ctp_resume(fiber->corotracer_id(), CTP_POINT_INITIAL);
	fiber->is_running = true;
	return fiber;
}

inline std::uint64_t id_of(traced_fiber *fiber) noexcept
{
	return fiber != nullptr ? fiber->corotracer_id() : 0;
}

/*
 * A waiting fiber is in a list of fibers that wait for the same thing, or for a time; the list's lock is held until the
 * fiber has left. Contexts of newer versions (1.81) do not show their lists: there the caller of the algorithm's
 * pick_next decides. A template, so that the branch that does not fit is not compiled.
 */
template <class Context> bool is_giving_way(const Context *context, const void *caller) noexcept
{
	if constexpr (requires { context->wait_is_linked(); })
		return !context->wait_is_linked() && !context->sleep_is_linked();
	else
		return code_of_yield().has(reinterpret_cast<std::uintptr_t>(caller));
}

inline void tell_wait(context *context, traced_fiber *fiber, std::uint64_t to_id) noexcept
{
	bool is_lock = false;
	std::uint32_t site =
		fiber->site != 0 ? fiber->site : place_outside_library(nullptr, &is_lock);
	std::uint64_t resource = fiber->resource;

	if (resource == 0 && context->sleep_is_linked())
		resource = timer(fiber->corotracer_id());
	else if (resource == 0 && is_lock)
		resource = CTP_HANDLE(CTP_RESOURCE_LOCK, 0);
	ctp_switch_for(fiber->corotracer_id(), to_id, resource, site, CTP_POINT_AWAIT);
}

/*
 * Records that a fiber leaves its thread: it has ended, and the scheduler has let it go; or it gives way; or it waits.
 * A fiber that has just launched the now active fiber gives way. `caller` is the return address of the algorithm.
 */
inline void tell_switch(
	context *from_context, traced_fiber *from, traced_fiber *to, const void *caller) noexcept
{
	std::uint64_t from_id = id_of(from), to_id = id_of(to);

	if (from == nullptr && to == nullptr)
		return;
	if (from == nullptr) {
		ctp_switch(0, to_id, 0, CTP_POINT_AWAIT);
	} else if (!from_context->worker_is_linked()) {
		from->has_ended = true;
		ctp_return(from_id);
		ctp_switch(from_id, to_id, CTP_SITE("end"), CTP_POINT_FINAL);
	} else if (from_context != context::active() || is_giving_way(from_context, caller)) {
		from->is_giving_way = true;
		ctp_switch(from_id, to_id, place_outside_library(), CTP_POINT_YIELD);
	} else {
		tell_wait(from_context, from, to_id);
	}
	if (from != nullptr)
		from->is_running = false;
	if (to != nullptr)
		to->is_running = true;
}

/*
 * Records a wake. A fiber that gave way is made ready by the fiber that runs next, which does not count as its waker.
 */
inline void tell_wake(traced_fiber *fiber, traced_fiber *running, const void *caller)
{
	std::uint64_t waker = fiber->is_giving_way ? 0 : id_of(running);
	std::uint32_t site = fiber->is_giving_way ? 0 : place_outside_library(caller);

	fiber->is_giving_way = false;
	ctp_wake(waker, CTP_HANDLE(CTP_RESOURCE_COROUTINE, fiber->corotracer_id()), site,
		CTP_OUTCOME_QUEUED);
}

/*
 * Records that a context is made ready. If the context's fiber is recorded as running, the fiber has launched the fiber
 * that runs now, which began at once.
 */
inline void tell_awakened(context *context, const void *caller)
{
	traced_fiber *fiber = fiber_of(context);

	if (fiber != nullptr && fiber->is_running)
		tell_switch(context, fiber, fiber_of(context::active()), caller);
	traced_fiber *running = running_fiber();
	if (fiber == nullptr)
		return;
	if (fiber->is_told())
		tell_wake(fiber, running, caller);
	else
		fiber->corotracer_id(place_outside_library(caller));
}

} /* namespace detail::fiber */

/* traced_algorithm: passes everything on to an Algorithm, which is made with the same arguments, and records it. */
template <class Algorithm> class traced_algorithm final : public boost::fibers::algo::algorithm
{
	using context = boost::fibers::context;

      public:
	template <class... Arguments>
	explicit traced_algorithm(Arguments &&...arguments)
	    : inner_(new Algorithm(std::forward<Arguments>(arguments)...))
	{
	}

	/* Recorded before any other thread can see the context. */
	void awakened(context *ready) noexcept override
	{
		if (ctp_is_attached()) {
			tell_unparked();
			detail::fiber::tell_awakened(ready, __builtin_return_address(0));
		}
		inner_->awakened(ready);
	}

	/*
	 * The thread switches to the returned context at once; the context that ran until then is released only after
	 * that.
	 */
	context *pick_next() noexcept override
	{
		context *next = inner_->pick_next();

		if (ctp_is_attached() && next != nullptr && next != context::active())
			tell_picked(next, __builtin_return_address(0));
		return next;
	}

	bool has_ready_fibers() const noexcept override
	{
		return inner_->has_ready_fibers();
	}

	void suspend_until(std::chrono::steady_clock::time_point const &until) noexcept override
	{
		if (ctp_is_attached() && (!is_parked_ || until != parked_until_))
			tell_parked(until);
		inner_->suspend_until(until);
	}

	void notify() noexcept override
	{
		inner_->notify();
	}

      private:
	void tell_picked(context *next, const void *caller)
	{
		traced_fiber *fiber = detail::fiber::fiber_of(next);

		if (fiber != nullptr)
			tell_unparked();
		detail::fiber::tell_switch(
			context::active(), detail::fiber::running_fiber(), fiber, caller);
	}

	/* A worker that looks for work again and again is recorded as idle once, until it has found some. */
	void tell_parked(std::chrono::steady_clock::time_point until) noexcept
	{
		std::chrono::nanoseconds end = until.time_since_epoch();

		tell_unparked();
		is_parked_ = true;
		parked_until_ = until;
		if (until == std::chrono::steady_clock::time_point::max())
			ctp_park(0, CTP_SITE("idle"));
		else
			ctp_park_until(
				0, CTP_SITE("idle"), static_cast<std::uint64_t>(end.count()));
	}

	void tell_unparked() noexcept
	{
		if (is_parked_)
			ctp_unpark(0);
		is_parked_ = false;
	}

	boost::intrusive_ptr<Algorithm> inner_;
	std::chrono::steady_clock::time_point parked_until_;
	bool is_parked_ = false;
};

/*
 * fiber_wait: while an object of this class exists, the running fiber's waits are for this resource, and the object's
 * place is their place: corotracer::fiber_wait wait(corotracer::condition(&filled)). On a thread's own stack it has no
 * effect.
 */
class fiber_wait
{
      public:
	explicit fiber_wait(std::uint64_t resource, const location &where = location::current())
	    : fiber_wait(resource, ctp_is_attached() ? detail::site_of(where, nullptr) : 0)
	{
	}
	fiber_wait(std::uint64_t resource, std::uint32_t site)
	    : fiber_(ctp_is_attached() ? detail::fiber::running_fiber() : nullptr)
	{
		if (fiber_ == nullptr)
			return;
		outer_resource_ = std::exchange(fiber_->resource, resource);
		outer_site_ = std::exchange(fiber_->site, site);
	}
	fiber_wait(const fiber_wait &) = delete;
	fiber_wait &operator=(const fiber_wait &) = delete;
	~fiber_wait()
	{
		if (fiber_ == nullptr)
			return;
		fiber_->resource = outer_resource_;
		fiber_->site = outer_site_;
	}

      private:
	traced_fiber *fiber_;
	std::uint64_t outer_resource_ = 0;
	std::uint32_t outer_site_ = 0;
};

/*
 * traced_mutex<Mutex>: a mutex of the library whose waits and holders are recorded. A thread's own stack holds it as
 * coroutine 0.
 */
template <class Mutex> class traced_mutex : public Mutex
{
      public:
	__attribute__((noinline)) void lock()
	{
		std::uint32_t site = site_of(__builtin_return_address(0));

		{
			fiber_wait wait(corotracer::lock(this), site);
			Mutex::lock();
		}
		if (site != 0)
			ctp_acquire(holder(), corotracer::lock(this), site);
	}
	__attribute__((noinline)) bool try_lock()
	{
		bool is_ours = Mutex::try_lock();

		if (is_ours && ctp_is_attached())
			ctp_acquire(holder(), corotracer::lock(this),
				site_of(__builtin_return_address(0)));
		return is_ours;
	}
	__attribute__((noinline)) void unlock()
	{
		if (ctp_is_attached())
			ctp_release(holder(), corotracer::lock(this),
				site_of(__builtin_return_address(0)));
		Mutex::unlock();
	}

      private:
	static std::uint32_t site_of(const void *caller) noexcept
	{
		return ctp_is_attached() ? ctp_site_address(caller, CTP_SITE_ADDRESS) : 0;
	}
	static std::uint64_t holder()
	{
		return detail::fiber::id_of(detail::fiber::running_fiber());
	}
};

} /* namespace corotracer */

#endif
