/* SPDX-License-Identifier: MIT */
/*
 * The C++20 probe: records what a program's coroutines do.
 *
 *	#include "coroTracer.h"
 *
 *	int main() { corotracer::InitTracer(); ... }
 *	struct promise_type : corotracer::PromiseMixin { ... }; // the base class, or
 *	using promise_type = corotracer::traced<Promise>;       // the wrapper, which sees more
 *	corotracer::wake(handle);                               // one line per wake site
 *
 * Header only: no library is linked. While not attached, each operation costs one relaxed load and a branch. While
 * attached, it costs a reading of the counter and a few stores (ctp_probe.h), and the program behaves as before:
 * nothing here throws, allocates, blocks, prints, or changes errno; results, value categories, noexcept and symmetric
 * transfer pass through unchanged.
 *
 * The central rule is: a suspension is written before the awaiter's await_suspend is called. From that call on another
 * thread may run or destroy the coroutine, so nothing in its frame (the promise, the awaiter, the wrapper around it) is
 * touched again. The exception is an await_suspend that returns false or throws: this thread then still runs the
 * coroutine, and a cancel is written.
 */
#ifndef COROTRACER_CPP_H
#define COROTRACER_CPP_H

#if !defined(__cpp_impl_coroutine)
#error "coroTracer.h needs C++20: -std=c++20. C++11 to C++17 includes corotracer/ctp_probe.h, and links the C probe"
#endif

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/* What is shared with C casts as C does, and programs are compiled with warnings about that. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif

#include "corotracer/ctp_flight.h"
#include "corotracer/ctp_probe.h"
#include "corotracer/ctp_probe_cold.h"
#include "corotracer/cpp_annotate.h"
#include "corotracer/cpp_promise.h"
#include "corotracer/cpp_resource.h"
#include "corotracer/cpp_site.h"
#include "corotracer/cpp_wait.h"

namespace corotracer
{

/*
 * InitTracer: attaches to the engine that started this program (`corotracer run`). Call it once, early in main, before
 * starting threads. Returns true if events are recorded from now on; false if no engine asked, or the machine refused:
 * the program then runs untraced. Never blocks or prints; keeps errno.
 */
inline bool InitTracer() noexcept
{
	return ctp_attach();
}

/*
 * flight: options of the flight recorder inside the program, for runs without an engine. The latest events are kept in
 * the file `path`, in at most `bytes`; ctp_flight.h has the details.
 */
struct flight {
	const char *path;      /* %p stands for the process id */
	std::size_t bytes = 0; /* 0: 16 MiB */
};

/* InitTracer: attaches; if no engine started this program, the flight recorder runs. */
inline bool InitTracer(const flight &recorder) noexcept
{
	return ctp_record_flight(recorder.path, recorder.bytes);
}

template <class Promise> class traced;

/*
 * PromiseMixin: the base class of a promise type. The class records creation, each co_await that suspends (with line
 * and awaiter), the resumption after it, and destruction. Hidden from the class are co_yield, initial and final
 * suspend, and co_awaits of a promise with an await_transform of its own: see traced.
 */
class PromiseMixin
{
      public:
	__attribute__((always_inline)) PromiseMixin() noexcept
	    : corotracer_state_(__builtin_return_address(0))
	{
	}
	PromiseMixin(const PromiseMixin &) noexcept = default;
	PromiseMixin &operator=(const PromiseMixin &) noexcept = default;
	__attribute__((always_inline)) ~PromiseMixin()
	{
	}

	/* corotracer_id: returns the number by which reports name this coroutine; 0 while it has none. */
	std::uint64_t corotracer_id() const noexcept
	{
		return corotracer_state_.id();
	}

	/* await_transform: called by the compiler. */
	template <class Awaitable>
	COROTRACER_BODY decltype(auto)
	await_transform(Awaitable &&awaitable, location where = location::current()) noexcept(
		detail::is_wrap_noexcept<detail::operand_itself<Awaitable>>())
	{
		return detail::wrap<CTP_POINT_AWAIT>(corotracer_state_, where,
			detail::operand_itself<Awaitable>{static_cast<Awaitable &&>(awaitable)});
	}

      private:
	template <class Promise> friend class traced;
	friend void mark_daemon(PromiseMixin &promise) noexcept;
	friend void mark_expect_idle(PromiseMixin &promise) noexcept;

	detail::coroutine_state corotracer_state_;
};

/*
 * traced<Promise>: a promise type made of the user's promise type, which stays unchanged. This type sees what the base
 * class cannot:
 *
 *	using promise_type = corotracer::traced<Promise>;
 *
 * Promise is its first base and lies at the same place in the frame. So coroutine_handle<Promise>::from_promise(*this)
 * inside Promise stays correct, and awaiters written for coroutine_handle<Promise> get such a handle. Promise may, but
 * need not, derive from PromiseMixin.
 */
template <class Promise>
class traced : public Promise,
	       public std::conditional_t<std::is_base_of_v<PromiseMixin, Promise>, detail::no_mixin,
		       PromiseMixin>
{
      public:
	using corotracer_promise = Promise;
	using Promise::Promise;

	traced() = default;

	/*
	 * clang may put the frame of a coroutine whose whole life it sees into the caller's frame. clang 14 then
	 * mistakes the end of an awaiter in it for the end of the frame; so the assembly hides from clang which object
	 * the handle belongs to.
	 */
	COROTRACER_BODY decltype(auto) get_return_object()
	{
		Promise *unknown = this;

#ifdef __clang__
		__asm__("" : "+r"(unknown));
#endif
		return unknown->get_return_object();
	}

	COROTRACER_BODY decltype(auto) initial_suspend() noexcept(
		detail::is_wrap_noexcept<detail::initial_suspension<Promise>>())
	{
		check_layout();
		if (ctp_is_attached())
			ctp_current_spawned();
		return detail::wrap<CTP_POINT_INITIAL>(state(), location::current(),
			detail::initial_suspension<Promise>{promise()});
	}

	COROTRACER_BODY decltype(auto) final_suspend() noexcept
	{
		state().finish();
		return detail::wrap<CTP_POINT_FINAL>(
			state(), location::current(), detail::final_suspension<Promise>{promise()});
	}

	/* An exception has left the body: an end, too, and told as a failure before the promise deals with it. */
	COROTRACER_BODY void unhandled_exception(location where = location::current()) noexcept(
		noexcept(std::declval<Promise &>().unhandled_exception())) requires
		requires(Promise &failed)
	{
		failed.unhandled_exception();
	}
	{
		state().fail(where);
		promise().unhandled_exception();
	}

	template <detail::yielded_to<Promise> Value = typename detail::yielded_by<Promise>::type>
	COROTRACER_BODY decltype(auto)
	yield_value(Value &&value, location where = location::current()) noexcept(
		detail::is_wrap_noexcept<detail::yielded_value<Promise, Value>>())
	{
		return detail::wrap<CTP_POINT_YIELD>(state(), where,
			detail::yielded_value<Promise, Value>{
				promise(), static_cast<Value &&>(value)});
	}

	template <detail::awaited_in<Promise> Operand>
	COROTRACER_BODY decltype(auto)
	await_transform(Operand &&operand, location where = location::current()) noexcept(
		detail::is_wrap_noexcept<maker<Operand>>())
	{
		if constexpr (has_own_transform<Operand>())
			return detail::wrap<CTP_POINT_AWAIT>(state(), where,
				maker<Operand>{promise(), static_cast<Operand &&>(operand), where});
		else
			return detail::wrap<CTP_POINT_AWAIT>(
				state(), where, maker<Operand>{static_cast<Operand &&>(operand)});
	}

      private:
	/* An await_transform that Promise inherits from PromiseMixin does not count as its own. */
	template <class Operand> static consteval bool has_own_transform() noexcept
	{
		if constexpr (!detail::has_await_transform<Promise>)
			return false;
		else
			return !detail::is_wait<decltype(std::declval<Promise &>().await_transform(
				std::declval<Operand>()))>;
	}
	template <class Operand>
	using maker = std::conditional_t<has_own_transform<Operand>(),
		detail::transformed_operand<Promise, Operand>, detail::operand_itself<Operand>>;

	static constexpr void check_layout() noexcept
	{
		constexpr std::size_t header = 2 * sizeof(void *);

		static_assert(alignof(traced) == alignof(Promise) || alignof(traced) <= header,
			"corotracer: traced<Promise> must lie where Promise would lie in the "
			"frame");
	}

	COROTRACER_INLINE Promise &promise() noexcept
	{
		return *this;
	}
	COROTRACER_INLINE detail::coroutine_state &state() noexcept
	{
		return static_cast<PromiseMixin &>(*this).corotracer_state_;
	}
};

/* The outcomes of a wake; corotracer/def/outcomes.def explains each. */
enum class outcome : std::uint8_t {
	queued = CTP_OUTCOME_QUEUED,
	already_queued = CTP_OUTCOME_ALREADY_QUEUED,
	target_running = CTP_OUTCOME_TARGET_RUNNING,
	dropped = CTP_OUTCOME_DROPPED,
	no_target = CTP_OUTCOME_NO_TARGET,
	resumed = CTP_OUTCOME_RESUMED,
	no_waker = CTP_OUTCOME_NO_WAKER,
	passed_on = CTP_OUTCOME_PASSED_ON,
};

/*
 * wake: the coroutine whose frame is at that address is made ready. Call this before any other worker can see the
 * handle, because from then on the coroutine may run, and its frame be gone. Nothing in the frame is touched. Any
 * coroutine_handle may be passed, also a type-erased one, or its address.
 */
COROTRACER_INLINE void wake(void *address, outcome what = outcome::queued,
	const location &where = location::current()) noexcept
{
	if (!ctp_is_attached())
		return;
	ctp_wake(
		0, frame(address), detail::site_of(where, nullptr), static_cast<ctp_outcome>(what));
}

COROTRACER_INLINE void wake(std::coroutine_handle<> handle, outcome what = outcome::queued,
	const location &where = location::current()) noexcept
{
	wake(handle.address(), what, where);
}

/*
 * wake_by: does what wake does, and records the waker: its corotracer_id(), or 0 for a thread that runs no coroutine.
 */
COROTRACER_INLINE void wake_by(std::uint64_t waker, std::coroutine_handle<> handle,
	outcome what = outcome::queued, const location &where = location::current()) noexcept
{
	if (!ctp_is_attached())
		return;
	ctp_wake(waker, frame(handle.address()), detail::site_of(where, nullptr),
		static_cast<enum ctp_outcome>(what));
}

/*
 * wake_id: does what wake_by does, for a coroutine known by its corotracer_id() and not by its handle: in a queue that
 * holds ids, or a waiter's record that outlives the frame. A target of 0 has no id yet, and is not recorded.
 */
COROTRACER_INLINE void wake_id(std::uint64_t waker, std::uint64_t target,
	outcome what = outcome::queued, const location &where = location::current()) noexcept
{
	if (ctp_is_attached() && target != 0)
		ctp_wake(waker, CTP_HANDLE(CTP_RESOURCE_COROUTINE, target),
			detail::site_of(where, nullptr), static_cast<enum ctp_outcome>(what));
}

/*
 * current_id: returns the corotracer_id() of the coroutine that runs on this thread, for a mutex, channel or event that
 * has no promise at hand; 0 if no coroutine runs, or it is not known which one. The id is right on whatever thread a
 * coroutine goes on. With traced<> the id is known from the beginning of the body to the end of its next await_suspend;
 * if another coroutine ran inside of it meanwhile, it is not known again until the coroutine is resumed. With the base
 * class the id is known in each await_suspend, and from the first resumption after a co_await on, unless another
 * coroutine was made since; the end of the body is not seen, so the id stays until the thread resumes another coroutine
 * or parks, or the frame is destroyed.
 */
COROTRACER_INLINE std::uint64_t current_id() noexcept
{
	return ctp_current();
}

/* park, unpark: this worker found no work and goes to sleep; it is awake again. */
COROTRACER_INLINE void park(
	std::uint64_t resource = 0, const location &where = location::current()) noexcept
{
	if (ctp_is_attached())
		ctp_park(resource, detail::site_of(where, nullptr));
}

/*
 * park_until: does what park does, for a sleep that a timer ends at `deadline_ns` (CLOCK_MONOTONIC, in nanoseconds) at
 * the latest.
 */
COROTRACER_INLINE void park_until(std::uint64_t deadline_ns, std::uint64_t resource = 0,
	const location &where = location::current()) noexcept
{
	if (ctp_is_attached())
		ctp_park_until(resource, detail::site_of(where, nullptr), deadline_ns);
}

/*
 * park_untimed: does what park does, if no timer of the scheduler is set, so that only a wake ends the sleep, although
 * the call in which the worker sleeps has a time-out.
 */
COROTRACER_INLINE void park_untimed(
	std::uint64_t resource = 0, const location &where = location::current()) noexcept
{
	if (ctp_is_attached())
		ctp_park_untimed(resource, detail::site_of(where, nullptr));
}

COROTRACER_INLINE void unpark(std::uint64_t resource = 0) noexcept
{
	ctp_unpark(resource);
}

/*
 * mark_daemon: the coroutine is meant to live as long as the process. mark_expect_idle: the coroutine may wait for any
 * length of time. Neither coroutine is then reported for waiting. Call these while no other thread runs the coroutine.
 */
inline void mark_daemon(PromiseMixin &promise) noexcept
{
	promise.corotracer_state_.mark(CTP_MARK_DAEMON);
}

inline void mark_expect_idle(PromiseMixin &promise) noexcept
{
	promise.corotracer_state_.mark(CTP_MARK_EXPECT_IDLE);
}

template <class Promise> void mark_daemon(std::coroutine_handle<Promise> handle) noexcept
{
	mark_daemon(static_cast<PromiseMixin &>(handle.promise()));
}

template <class Promise> void mark_expect_idle(std::coroutine_handle<Promise> handle) noexcept
{
	mark_expect_idle(static_cast<PromiseMixin &>(handle.promise()));
}

} /* namespace corotracer */

#pragma GCC diagnostic pop

#endif
