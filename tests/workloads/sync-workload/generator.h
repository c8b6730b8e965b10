/* SPDX-License-Identifier: MIT */
/*
 * A generator: a coroutine that its caller runs, from one value to the next.
 *
 *	Generator<int> count(int limit);
 *	auto numbers = count(3);
 *	while (const int *number = numbers.next()) ...
 *
 * A generator does not use the scheduler. Most generators are left in the middle: being destroyed while suspended is
 * the normal end of a generator.
 */
#ifndef EXAMPLE_GENERATOR_H
#define EXAMPLE_GENERATOR_H

#include <coroutine>
#include <exception>
#include <utility>

#include "coroTracer.h"

template <typename Value> class Generator
{
      public:
	class Promise;
	using promise_type = corotracer::traced<Promise>;
	using Handle = std::coroutine_handle<Promise>;

	Generator(Generator &&other) noexcept : handle_(std::exchange(other.handle_, nullptr))
	{
	}
	Generator(const Generator &) = delete;
	Generator &operator=(const Generator &) = delete;
	Generator &operator=(Generator &&) = delete;

	~Generator()
	{
		if (handle_)
			handle_.destroy();
	}

	/* next: the next value, which is valid until the next call; nullptr: there is none. */
	const Value *next()
	{
		if (handle_.done())
			return nullptr;
		handle_.resume();
		return handle_.done() ? nullptr : handle_.promise().present;
	}

	class Promise
	{
	      public:
		Generator get_return_object() noexcept
		{
			return Generator(Handle::from_promise(*this));
		}
		std::suspend_always initial_suspend() const noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() const noexcept
		{
			return {};
		}
		std::suspend_always yield_value(const Value &yielded) noexcept
		{
			present = &yielded;
			return {};
		}
		void return_void() const noexcept
		{
		}
		[[noreturn]] void unhandled_exception() const noexcept
		{
			std::terminate();
		}

		const Value *present = nullptr;
	};

      private:
	explicit Generator(Handle handle) noexcept : handle_(handle)
	{
	}

	Handle handle_;
};

#endif
