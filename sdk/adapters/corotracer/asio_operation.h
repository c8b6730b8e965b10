/* SPDX-License-Identifier: MIT */
/*
 * Asio's hooks for its operations, turned into events: a part of corotracer/asio.h and corotracer/boost_asio.h.
 *
 * Asio calls a function when an operation is made, another one when the reactor has carried it out, and a third one
 * before its handler (custom handler tracking). A coroutine that awaits an operation has suspended by then, for
 * something that is not known yet. The first operation that is made on the coroutine's behalf shows what: that
 * suspension is cancelled, and written again with the descriptor, channel or timer. Nothing can resume the coroutine
 * before that, because Asio starts an operation only after it has called the hook.
 *
 * Nothing here names a type of Asio, whose headers come later.
 */
#ifndef COROTRACER_ASIO_OPERATION_H
#define COROTRACER_ASIO_OPERATION_H

#include <cerrno>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "coroTracer.h"

namespace corotracer::detail::asio_operation
{

/* What is known of an operation while it runs: a base of Asio's own operations, so that it moves with them. */
class tracked
{
      public:
	std::uint64_t corotracer_waiter =
		0; /* the coroutine that its handler resumes; 0: not known */
	std::uint64_t corotracer_resource = 0;
	/* the attachment to which the waiter's id belongs */
	std::uint32_t corotracer_attachment = 0;
	bool corotracer_is_woken = false;

      protected:
	tracked() = default;
	~tracked() = default;
};

/*
 * Stored beside the promise of each of Asio's coroutines: whether it is an operation's, and which coroutine awaits it.
 */
struct role {
	bool is_operation = false;
	std::uint64_t waiter = 0;
	location awaited_at;
};

/* Returns the name of a class or a template, from the compiler's spelling of the type. */
constexpr std::string_view template_of(std::string_view type) noexcept
{
	type = type.substr(0, type.find('<'));
	return type.substr(type.rfind(':') + 1);
}

/* Returns whether a coroutine with this result is the one that co_spawn puts at the bottom. */
constexpr bool is_bottom(std::string_view result) noexcept
{
	return template_of(result) == "awaitable_thread_entry_point";
}

/* Returns whether an operation only lets other coroutines run first. */
constexpr bool is_giving_way(std::string_view initiation) noexcept
{
	for (std::string_view name : {"::initiate_post", "::initiate_defer", "::initiate_dispatch"})
		if (initiation.find(name) != std::string_view::npos)
			return true;
	return false;
}

COROTRACER_INLINE std::uint32_t site_of_operation(const location &where, const char *name) noexcept
{
	place_key key = key_of(where);
	std::uint32_t site = ctp_site_lookup(key.place, key.position, name);

	return CTP_LIKELY(site != 0) ? site : remember_place(where, name, name, CTP_FORM_CO_AWAIT);
}

/*
 * The call that starts an operation, on behalf of a coroutine that has suspended: what the call does is attributed to
 * that coroutine.
 */
class initiation
{
      public:
	explicit initiation(const role &operation) noexcept
	    : waiter_(operation.waiter), where_(operation.awaited_at), outer_(innermost())
	{
		ctp_current_enter(waiter_);
		innermost() = this;
	}
	initiation(const initiation &) = delete;
	initiation &operator=(const initiation &) = delete;
	~initiation()
	{
		innermost() = outer_;
		ctp_current_leave(waiter_);
	}

	/*
	 * Returns the initiation under way on this thread, or NULL. The thread-local is read at each call, because no
	 * coroutine may keep its address.
	 */
	static initiation *&innermost() noexcept
	{
		static thread_local initiation *now = nullptr;

		return now;
	}

	/* Returns where the operation is awaited. */
	std::uint32_t site() const noexcept
	{
		return site_of(where_, nullptr);
	}

	/* Records that the waiter is put into a run queue at once. */
	void tell_way_given() noexcept
	{
		if (!is_to_tell())
			return;
		tell_wait(0, "post", 0);
		ctp_wake(
			0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, waiter_), site(), CTP_OUTCOME_QUEUED);
	}

	/* Records that an operation was made: the coroutine waits for the first operation. */
	void tell_operation(tracked &operation, std::uint64_t resource, const char *name,
		std::uint64_t deadline, bool resumes_waiter) noexcept
	{
		if (!is_to_tell())
			return;
		tell_wait(resource, name, deadline);
		if (!resumes_waiter)
			return;
		operation.corotracer_waiter = waiter_;
		operation.corotracer_resource = resource;
		operation.corotracer_attachment = ctp_attachment();
	}

      private:
	bool is_to_tell() noexcept
	{
		bool is_first = !is_told_;

		is_told_ = true;
		return is_first && waiter_ != 0 && ctp_is_attached();
	}

	void tell_wait(std::uint64_t resource, const char *name, std::uint64_t deadline) noexcept
	{
		std::uint32_t site = site_of_operation(where_, name);

		ctp_cancel(waiter_);
		if (deadline != 0)
			ctp_suspend_until(waiter_, resource, site, CTP_POINT_AWAIT, deadline);
		else
			ctp_suspend(waiter_, resource, site, CTP_POINT_AWAIT);
		ctp_current_enter(waiter_);
	}

	std::uint64_t waiter_;
	location where_;
	initiation *outer_;
	bool is_told_ = false;
};

/*
 * Records that the waiter will be resumed. If another coroutine runs meanwhile, that coroutine is the other side of a
 * channel, and the wake's place is where that coroutine awaits its own operation. An operation that completes within
 * its own initiation has no waker.
 */
inline void tell_wake(std::uint64_t waiter, std::uint64_t resource, std::uint32_t site) noexcept
{
	std::uint64_t waker = ctp_current() == waiter ? 0 : ctp_current();

	if (waker != 0 && initiation::innermost() != nullptr)
		site = initiation::innermost()->site();
	if (waker != 0 && CTP_HANDLE_RESOURCE(resource) == CTP_RESOURCE_CHANNEL)
		ctp_notify(waker, resource, 1, site);
	ctp_wake(waker, CTP_HANDLE(CTP_RESOURCE_COROUTINE, waiter), site, CTP_OUTCOME_QUEUED);
}

inline bool is_to_wake(const tracked &operation) noexcept
{
	return operation.corotracer_waiter != 0 && !operation.corotracer_is_woken &&
	       operation.corotracer_attachment == ctp_attachment();
}

/* Runs before a handler. The operation's memory is freed before begin() is called. */
class completion
{
      public:
	explicit completion(const tracked &operation) noexcept
	    : waiter_(is_to_wake(operation) ? operation.corotracer_waiter : 0),
	      resource_(operation.corotracer_resource)
	{
	}
	template <class... Results> void begin(const Results &...) noexcept
	{
		if (waiter_ != 0)
			tell_wake(waiter_, resource_, CTP_SITE("complete"));
	}

      private:
	std::uint64_t waiter_;
	std::uint64_t resource_;
};

/*
 * The reactor has tried the operation. If the attempt would have blocked, or does not show its result, the operation is
 * not over.
 */
template <class Code, class... Rest>
void tell_attempt(tracked &operation, const char *name, const Code &code, const Rest &...) noexcept
{
	int error = code.value();

	if (!is_to_wake(operation) || error == EAGAIN || error == EWOULDBLOCK ||
		error == ECONNABORTED || std::string_view(name) == "non_blocking_connect")
		return;
	operation.corotracer_is_woken = true;
	tell_wake(operation.corotracer_waiter, operation.corotracer_resource, CTP_SITE("ready"));
}

/* Whether a handler resumes the coroutine itself, with no step of a composed operation in between. */
template <class Handler> inline constexpr bool is_coroutines = false;

template <template <class...> class Outer, class First, class... Rest>
inline constexpr bool is_coroutines<Outer<First, Rest...>> = []() {
	constexpr std::string_view name = template_of(type_spelling<Outer<First, Rest...>>());

	if constexpr (name == "awaitable_handler")
		return true;
	else if constexpr (name == "redirect_error_handler" || name == "as_tuple_handler")
		return is_coroutines<First>;
	else
		return false;
}();

template <class Operation> inline constexpr bool resumes_coroutine = false;
template <template <class...> class Operation, class... Parts>
inline constexpr bool resumes_coroutine<Operation<Parts...>> = (is_coroutines<Parts> || ...);

/* A timer that never ends is used as an event: cancelling the timer sets the event. */
template <class Object> constexpr bool has_expiry() noexcept
{
	if constexpr (requires(Object & object) { object.expiry; })
		return std::is_same_v<decltype(Object::expiry),
			std::chrono::steady_clock::time_point>;
	else
		return false;
}

template <class Object> bool is_endless(const Object &object) noexcept
{
	if constexpr (has_expiry<Object>())
		return object.expiry == std::chrono::steady_clock::time_point::max();
	else
		return false;
}

template <class Object> std::uint64_t deadline_of(const Object &object) noexcept
{
	if constexpr (has_expiry<Object>())
		return is_endless(object) ? 0
					  : static_cast<std::uint64_t>(std::chrono::nanoseconds(
						    object.expiry.time_since_epoch())
									       .count());
	else
		return 0;
}

/* Returns the resource of an operation of this object. Operations of executors have none: 0, and are not waited for. */
template <class Object>
std::uint64_t resource_of(std::string_view type, const Object *object, std::uintmax_t native,
	std::string_view name) noexcept
{
	const void *address = object;

	if (type == "channel")
		return channel(static_cast<const char *>(address) + (name == "async_send"));
	if (type == "deadline_timer" || type == "waitable_timer")
		return is_endless(*object) ? event(address)
					   : timer(reinterpret_cast<std::uintptr_t>(address));
	if (type == "socket" || type == "descriptor" || type == "file" || type == "serial_port")
		return descriptor(static_cast<int>(native));
	if (type == "signal_set" || type == "resolver")
		return other(reinterpret_cast<std::uintptr_t>(address));
	return 0;
}

/* Called when an operation was made, but is not started yet. */
template <class Context, class Operation, class Object>
void tell_creation(Context &, Operation &operation, const char *type, Object *object,
	std::uintmax_t native, const char *name) noexcept
{
	initiation *now = initiation::innermost();
	std::uint64_t resource;

	if (now == nullptr || !ctp_is_attached())
		return;
	if constexpr (!std::is_void_v<Object>) {
		resource = resource_of(type, object, native, name);
		if (resource != 0)
			now->tell_operation(operation, resource, name, deadline_of(*object),
				resumes_coroutine<Operation>);
	}
}

} /* namespace corotracer::detail::asio_operation */

#endif
