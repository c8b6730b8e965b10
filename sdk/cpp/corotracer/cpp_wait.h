/* SPDX-License-Identifier: MIT */
/*
 * The wrapper around an awaiter, and the state that is kept of a coroutine: a part of coroTracer.h.
 *
 * The central rule is: a suspension is written before the awaiter's await_suspend is called. From that call on another
 * thread may run or destroy the coroutine, so nothing in its frame (the promise, the awaiter, the wrapper around it) is
 * touched again. The exception is an await_suspend that returns false or throws: this thread then still runs the
 * coroutine, and a cancel is written.
 */
#ifndef COROTRACER_CPP_WAIT_H
#define COROTRACER_CPP_WAIT_H

#include <coroutine>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "corotracer/cpp_site.h"

namespace corotracer
{
namespace detail
{

/* How much of a coroutine's life was seen. */
enum class life : std::uint8_t {
	unseen,    /* created; not seen running */
	running,   /* its body was seen running */
	suspended, /* a suspension was written, and the coroutine was running before */
	done,      /* the coroutine came to its end */
};

/*
 * The state kept of one coroutine, inside its promise: 16 bytes. Only the thread that runs the coroutine uses it, so
 * one thread at a time. A copy of the state is another object, not this coroutine: it starts without identity.
 *
 * An identity belongs to one attachment, named by the gate's pass. A coroutine that was created before the attachment
 * gets its id with its first event in it, and is seen from the middle of its life on.
 */
class coroutine_state
{
      public:
	/*
	 * `spawned` is the return address of the function around the promise's constructor: the coroutine's first
	 * function, or the function into which that was inlined. Little is inline here, so that the compiler inlines
	 * the constructor.
	 */
	COROTRACER_INLINE explicit coroutine_state(const void *spawned) noexcept
	{
		std::uint32_t pass = present_pass();

		if (pass != 0)
			tell_create(pass, spawned);
	}
	COROTRACER_INLINE coroutine_state(const coroutine_state &) noexcept
	{
	}
	COROTRACER_INLINE coroutine_state &operator=(const coroutine_state &) noexcept
	{
		return *this;
	}
	COROTRACER_INLINE ~coroutine_state()
	{
		std::uint32_t pass = present_pass();

		if (pass != 0)
			tell_destroy(pass, __builtin_return_address(0));
	}

	std::uint64_t id() const noexcept
	{
		std::uint32_t pass = present_pass();

		return pass != 0 && pass_ == pass ? id_ : 0;
	}

	/* Called before the inner await_suspend, and only while attached; `frame` is the handle's address. */
	COROTRACER_INLINE void suspend(
		ctp_point point, void *frame, std::uint64_t resource, std::uint32_t site) noexcept
	{
		if (begin_suspend(point, frame))
			ctp_suspend(id_, resource, site, point);
	}

	/* Does the same, for a wait that ends by itself. */
	COROTRACER_INLINE void suspend_until(ctp_point point, void *frame, std::uint64_t resource,
		std::uint32_t site, std::uint64_t deadline) noexcept
	{
		if (begin_suspend(point, frame))
			ctp_suspend_until(id_, resource, site, point, deadline);
	}

	/* The suspension written last did not take place: await_suspend returned false or threw. */
	COROTRACER_INLINE void cancel(ctp_point point) noexcept
	{
		std::uint32_t pass = present_pass();

		if (pass == 0 || pass_ != pass)
			return;
		if (is_amid(point)) {
			if (life_ != life::suspended)
				return;
			life_ = life::running;
		}
		ctp_cancel(id_);
	}

	/* The body runs on, after a suspension point; writes an event if a suspension was written there. */
	COROTRACER_INLINE void resume(ctp_point point) noexcept
	{
		std::uint32_t pass = present_pass();

		if (pass == 0)
			return;
		if (life_ == life::suspended && pass_ == pass)
			ctp_resume(id_, point);
		life_ = life::running;
	}

	/* The body starts: always writes an event, so that the coroutine is known to run. */
	COROTRACER_INLINE void start() noexcept
	{
		if (!is_traced_now())
			return;
		life_ = life::running;
		ctp_resume(id_, CTP_POINT_INITIAL);
	}

	/* The body has ended. A body that an exception left has ended before (fail). */
	COROTRACER_INLINE void finish() noexcept
	{
		if (life_ == life::done || !is_traced_now())
			return;
		life_ = life::done;
		ctp_return(id_);
	}

	/* An exception has left the body. */
	COROTRACER_COLD void fail(const location &where) noexcept
	{
		if (!is_traced_now())
			return;
		life_ = life::done;
		ctp_return_failed(id_, site_of(where, nullptr));
	}

	COROTRACER_COLD void mark(enum ctp_mark what) noexcept
	{
		if (is_traced_now())
			ctp_mark(id_, what, 0, 0);
	}

      private:
	COROTRACER_INLINE static std::uint32_t present_pass() noexcept
	{
		return ctp_attachment();
	}

	/* Prepares a suspend event. Returns false if no event is to be written. */
	COROTRACER_INLINE bool begin_suspend(ctp_point point, void *frame) noexcept
	{
		if (!is_traced_now())
			return false;
		if (CTP_UNLIKELY(!is_frame_told_))
			tell_frame(frame);
		if (is_amid(point))
			life_ = life::suspended;
		return true;
	}

	static constexpr bool is_amid(ctp_point point) noexcept
	{
		return point == CTP_POINT_AWAIT || point == CTP_POINT_YIELD;
	}

	/* Returns whether this attachment traces the coroutine, which gets an identity here if it has none. */
	COROTRACER_INLINE bool is_traced_now() noexcept
	{
		std::uint32_t pass = present_pass();

		if (pass == 0)
			return false;
		if (CTP_UNLIKELY(pass_ != pass))
			take_identity(pass);
		return true;
	}

	COROTRACER_INLINE void take_identity(std::uint32_t pass) noexcept
	{
		id_ = ctp_coro_new();
		pass_ = pass;
		life_ = life::unseen;
		is_frame_told_ = false;
	}

	/* Word 0 of a frame is its resume function, and null at final suspend; word 1 is its destroy function. */
	__attribute__((noinline)) void tell_frame(void *frame) noexcept
	{
		void *const *words = static_cast<void *const *>(frame);
		const void *function = words[0] != nullptr ? words[0] : words[1];

		ctp_frame(id_, frame, ctp_site_address(function, CTP_SITE_FUNCTION));
		is_frame_told_ = true;
	}

	__attribute__((noinline)) void tell_create(std::uint32_t pass, const void *spawned) noexcept
	{
		take_identity(pass);
		ctp_current_spawn();
		ctp_create(id_, reinterpret_cast<std::uintptr_t>(this),
			site_of_caller(spawned, __builtin_return_address(0)));
	}

	/*
	 * `destroyed` is the return address of the function around the promise's destructor: an address in the caller
	 * of the frame's destroyer. Without optimisation the destructor is a function of its own, and its caller is the
	 * frame's destroyer itself. clang keeps the address to which the coroutine's first function returned.
	 */
	__attribute__((noinline)) void tell_destroy(
		std::uint32_t pass, [[maybe_unused]] const void *destroyed) noexcept
	{
		if (pass_ != pass)
			return;
		if (life_ == life::suspended)
#if defined(__OPTIMIZE__) && !defined(__clang__)
			ctp_destroy_at(id_, CTP_LIFE_SUSPENDED,
				site_of_caller(destroyed, __builtin_return_address(0)));
#else
			ctp_destroy(id_, CTP_LIFE_SUSPENDED);
#endif
		else
			ctp_destroy(id_, life_ == life::unseen ? CTP_LIFE_UNSEEN : CTP_LIFE_DONE);
	}

	std::uint64_t id_ = 0;
	std::uint32_t pass_ = 0;
	life life_ = life::unseen;
	bool is_frame_told_ = false;
};

/* The function that the language calls for `co_await x`: a member operator co_await, a free one, or x itself. */
template <class Type>
concept has_member_co_await = requires(Type &&value)
{
	static_cast<Type &&>(value).operator co_await();
};
template <class Type>
concept has_free_co_await = requires(Type &&value)
{
	operator co_await(static_cast<Type &&>(value));
};
template <class Type>
concept has_co_await_operator = has_member_co_await<Type> || has_free_co_await<Type>;
template <class Type>
concept is_awaiter = requires(std::remove_reference_t<Type> &value)
{
	value.await_ready() ? true : false;
	value.await_resume();
};
template <class Type>
concept is_awaitable = has_co_await_operator<Type> || is_awaiter<Type>;

template <class Type> consteval bool is_co_await_noexcept() noexcept
{
	if constexpr (has_member_co_await<Type>)
		return noexcept(std::declval<Type>().operator co_await());
	else
		return noexcept(operator co_await(std::declval<Type>()));
}

template <class Type>
COROTRACER_INLINE decltype(auto) call_co_await(Type &&value) noexcept(is_co_await_noexcept<Type>())
{
	if constexpr (has_member_co_await<Type>)
		return static_cast<Type &&>(value).operator co_await();
	else
		return operator co_await(static_cast<Type &&>(value));
}

/*
 * An awaited object, and its awaiter. Awaitable is a reference if the caller keeps the object (the operand of co_await
 * lives to the end of the full expression), or a value, made in place by make().
 */
template <class Awaitable, bool has_operator = has_co_await_operator<Awaitable>> class subject
{
      public:
	template <class Make>
	COROTRACER_INLINE explicit subject(const Make &make) noexcept(noexcept(make()))
	    : awaitable_(make())
	{
	}
	COROTRACER_INLINE std::remove_reference_t<Awaitable> &awaitable() noexcept
	{
		return awaitable_;
	}
	COROTRACER_INLINE std::remove_reference_t<Awaitable> &awaiter() noexcept
	{
		return awaitable_;
	}

      private:
	Awaitable awaitable_;
};

template <class Awaitable> class subject<Awaitable, true>
{
	using made = decltype(call_co_await(std::declval<Awaitable>()));

      public:
	template <class Make>
	COROTRACER_INLINE explicit subject(const Make &make) noexcept(
		noexcept(make()) &&noexcept(call_co_await(std::declval<Awaitable>())))
	    : awaitable_(make()), awaiter_(call_co_await(static_cast<Awaitable &&>(awaitable_)))
	{
	}
	COROTRACER_INLINE std::remove_reference_t<Awaitable> &awaitable() noexcept
	{
		return awaitable_;
	}
	COROTRACER_INLINE std::remove_reference_t<made> &awaiter() noexcept
	{
		return awaiter_;
	}

      private:
	Awaitable awaitable_;
	made awaiter_;
};

/*
 * The awaiter's own await_suspend. An awaiter written for coroutine_handle<Promise> can also be used if the promise is
 * traced<Promise>: both lie at the same place in the frame (see traced).
 */
template <class Awaiter, class Promise>
concept takes_handle = requires(Awaiter &awaiter, std::coroutine_handle<Promise> handle)
{
	awaiter.await_suspend(handle);
};
template <class Promise>
concept is_traced = requires
{
	typename Promise::corotracer_promise;
};

/*
 * A promise's await_transform may make an awaiter that is a template of the promise, and whose await_suspend takes any
 * handle and checks it: that the handle is of another promise shows only once it is compiled.
 */
template <class Awaiter, class Promise> inline constexpr bool is_made_for = false;
template <template <class...> class Awaiter, class... Arguments, class Promise>
inline constexpr bool
	is_made_for<Awaiter<Arguments...>, Promise> = (std::is_same_v<Arguments, Promise> || ...);

template <class Awaiter, class Promise> constexpr bool needs_plain_handle()
{
	if constexpr (is_traced<Promise>)
		return !takes_handle<Awaiter, Promise> ||
		       (is_made_for<std::remove_cv_t<Awaiter>,
				typename Promise::corotracer_promise> &&
			       takes_handle<Awaiter, typename Promise::corotracer_promise>);
	else
		return false;
}

template <class Awaiter, class Promise>
COROTRACER_INLINE auto handle_for(std::coroutine_handle<Promise> handle) noexcept
{
	if constexpr (needs_plain_handle<Awaiter, Promise>())
		return std::coroutine_handle<typename Promise::corotracer_promise>::from_address(
			handle.address());
	else
		return handle;
}

template <class Awaiter, class Promise>
using suspend_result = decltype(std::declval<Awaiter &>().await_suspend(
	handle_for<Awaiter>(std::declval<std::coroutine_handle<Promise>>())));

template <class Awaiter, class Promise>
inline constexpr bool is_suspend_noexcept = noexcept(std::declval<Awaiter &>().await_suspend(
	handle_for<Awaiter>(std::declval<std::coroutine_handle<Promise>>())));

struct no_location {
	constexpr no_location() noexcept = default;
	constexpr explicit no_location(const location &) noexcept
	{
	}
};

/*
 * The wrapper around one awaited object. The class is nested, and has no template argument of its own, so that no
 * operator co_await of the user's namespaces is found for it.
 */
template <class Awaitable, ctp_point point> struct wait {
	using held = subject<Awaitable>;
	using awaiter = std::remove_reference_t<decltype(std::declval<held &>().awaiter())>;
	using plain_awaitable = std::remove_cvref_t<Awaitable>;
	using plain_awaiter = std::remove_cv_t<awaiter>;

	/* The compilers disagree on the place of the initial and final suspension; a name is enough. */
	static constexpr bool has_place = point == CTP_POINT_AWAIT || point == CTP_POINT_YIELD;
	using place = std::conditional_t<has_place, location, no_location>;

	/* The point that is recorded: a co_await is a yield if the awaiter says so. */
	static constexpr bool is_told_as_yield =
		is_yield<plain_awaitable>() || is_yield<plain_awaiter>();
	static constexpr ctp_point told =
		point == CTP_POINT_AWAIT && is_told_as_yield ? CTP_POINT_YIELD : point;

	class type
	{
	      public:
		using corotracer_wait = void;

		template <class Make>
		COROTRACER_INLINE
		type(coroutine_state &state, const location &where, const Make &make) noexcept(
			std::is_nothrow_constructible_v<held, const Make &>)
		    : state_(&state), where_(where), held_(make)
		{
		}
		type(const type &) = delete;
		type &operator=(const type &) = delete;

		COROTRACER_BODY decltype(auto) await_ready() noexcept(
			noexcept(std::declval<awaiter &>().await_ready()))
		{
			return held_.awaiter().await_ready();
		}

		template <class Promise>
		COROTRACER_BODY suspend_result<awaiter, Promise>
		await_suspend(std::coroutine_handle<Promise> handle) noexcept(
			is_suspend_noexcept<awaiter, Promise>)
		{
			if (!ctp_is_attached())
				return held_.awaiter().await_suspend(handle_for<awaiter>(handle));
			return suspend_traced(handle);
		}

		COROTRACER_BODY decltype(auto) await_resume() noexcept(
			noexcept(std::declval<awaiter &>().await_resume()))
		{
			if constexpr (point == CTP_POINT_INITIAL)
				state_->start();
			else if constexpr (point != CTP_POINT_FINAL)
				state_->resume(told);
			return held_.awaiter().await_resume();
		}

	      private:
		template <class Promise>
		COROTRACER_SUSPENDING suspend_result<awaiter, Promise>
		suspend_traced(std::coroutine_handle<Promise> handle) noexcept(
			is_suspend_noexcept<awaiter, Promise>)
		{
			tell_suspend(handle.address());
#ifdef __cpp_exceptions
			if constexpr (!is_suspend_noexcept<awaiter, Promise>) {
				try {
					return suspend_inner(handle);
				} catch (...) {
					state_->cancel(told);
					throw;
				}
			}
#endif
			return suspend_inner(handle);
		}

		/*
		 * Everything that await_suspend does is attributed to the coroutine, even when another thread already
		 * has the frame.
		 */
		template <class Promise>
		COROTRACER_INLINE suspend_result<awaiter, Promise>
		suspend_inner(std::coroutine_handle<Promise> handle) noexcept(
			is_suspend_noexcept<awaiter, Promise>)
		{
			using result = suspend_result<awaiter, Promise>;
			const std::uint64_t id = state_->id();

			ctp_current_enter(id);
			if constexpr (std::is_void_v<result>) {
				held_.awaiter().await_suspend(handle_for<awaiter>(handle));
				ctp_current_leave(id);
			} else {
				result next =
					held_.awaiter().await_suspend(handle_for<awaiter>(handle));

				if constexpr (std::is_same_v<result, bool>) {
					if (!next) {
						state_->cancel(told);
						return false;
					}
				}
				ctp_current_leave(id);
				return next;
			}
		}

		COROTRACER_INLINE void tell_suspend(void *frame) noexcept
		{
			if constexpr (tells_deadline<plain_awaitable>)
				state_->suspend_until(told, frame, resource_now(), site_now(),
					deadline_of<plain_awaitable>(held_.awaitable()));
			else if constexpr (tells_deadline<plain_awaiter>)
				state_->suspend_until(told, frame, resource_now(), site_now(),
					deadline_of<plain_awaiter>(held_.awaiter()));
			else
				state_->suspend(told, frame, resource_now(), site_now());
		}

		COROTRACER_INLINE std::uint32_t site_now() const noexcept
		{
			if constexpr (has_place)
				return site_of(where_, &reason<plain_awaitable, plain_awaiter>);
			else
				return site_of(&reason<plain_awaitable, plain_awaiter>);
		}

		COROTRACER_INLINE std::uint64_t resource_now() noexcept
		{
			if constexpr (tells_resource<plain_awaitable>)
				return resource_of<plain_awaitable>(held_.awaitable());
			else if constexpr (tells_resource<plain_awaiter>)
				return resource_of<plain_awaiter>(held_.awaiter());
			else
				return 0;
		}

		coroutine_state *state_;
		[[no_unique_address]] place where_;
		held held_;
	};
};

template <class Type>
concept is_wait = requires
{
	typename std::remove_reference_t<Type>::corotracer_wait;
};

/* Makers of the awaited object: one class for each way, so that noexcept can be asked of it. */
template <class Operand> struct operand_itself {
	Operand &&operand;

	COROTRACER_INLINE Operand &&operator()() const noexcept
	{
		return static_cast<Operand &&>(operand);
	}
};

/*
 * wrap: the wrapper around what make() returns. An object that is not awaitable here is passed on as it is: an operator
 * co_await that is visible only at the co_await is found there, and is not traced.
 */
template <class Make> consteval bool is_wrap_noexcept() noexcept
{
	using made = decltype(std::declval<const Make &>()());

	if constexpr (is_awaitable<made>)
		return std::is_nothrow_constructible_v<subject<made>, const Make &>;
	else
		return noexcept(std::declval<const Make &>()());
}

template <ctp_point point, class Make>
COROTRACER_INLINE decltype(auto) wrap(coroutine_state &state, const location &where,
	const Make &make) noexcept(is_wrap_noexcept<Make>())
{
	using made = decltype(make());

	if constexpr (is_awaitable<made>)
		return typename wait<made, point>::type(state, where, make);
	else
		return make();
}

} /* namespace detail */
} /* namespace corotracer */

#endif
