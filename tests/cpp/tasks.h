/* SPDX-License-Identifier: MIT */
/*
 * Coroutine types for the tests of the C++ probe: the base class and the wrapper over the same promise, so that a test
 * can check both in the same way.
 */
#ifndef TESTS_CPP_TASKS_H
#define TESTS_CPP_TASKS_H

#include <coroutine>
#include <exception>
#include <utility>

#include "coroTracer.h"

/* A coroutine that runs at once, and that its owner destroys in any state. */
template <class Promise> struct owned {
	explicit owned(std::coroutine_handle<Promise> h) : handle(h)
	{
		/*
		 * Hidden from the optimiser, like a handle in a scheduler's queue: clang 14 would put the frame into
		 * the caller's, and then misjudge how long awaiters in it live.
		 */
		__asm__ volatile("" : "+m"(handle) : : "memory");
	}
	owned(owned &&other) noexcept : handle(std::exchange(other.handle, nullptr))
	{
	}
	owned &operator=(owned &&) = delete;
	~owned()
	{
		destroy();
	}

	void resume()
	{
		handle.resume();
	}
	void destroy()
	{
		if (handle)
			std::exchange(handle, nullptr).destroy();
	}

	std::coroutine_handle<Promise> handle;
};

/* The common parts of all promises here: an outcome to examine, and a start that runs. */
struct promise_parts {
	std::exception_ptr failure;

	std::suspend_never initial_suspend() noexcept
	{
		return {};
	}
	std::suspend_always final_suspend() noexcept
	{
		return {};
	}
	void return_void()
	{
	}
	void unhandled_exception()
	{
#ifdef __cpp_exceptions
		failure = std::current_exception();
#endif
	}
};

/* The base class, as in the manual. */
struct task : owned<struct task_promise> {
	using promise_type = task_promise;
	using owned::owned;
};

struct task_promise : promise_parts, corotracer::PromiseMixin {
	task get_return_object()
	{
		return task(std::coroutine_handle<task_promise>::from_promise(*this));
	}
};

/* The wrapper, around a promise without tracing. */
struct wrapped_promise;
struct wrapped : owned<corotracer::traced<wrapped_promise>> {
	using promise_type = corotracer::traced<wrapped_promise>;
	using owned::owned;
};

struct wrapped_promise : promise_parts {
	wrapped get_return_object()
	{
		return wrapped(std::coroutine_handle<wrapped::promise_type>::from_promise(
			static_cast<wrapped::promise_type &>(*this)));
	}
};

#endif
