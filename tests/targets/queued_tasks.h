/* SPDX-License-Identifier: MIT */
/* A queue of coroutines that are ready, for one or several workers, and coroutines that put themselves behind it. */
#ifndef TESTS_QUEUED_TASKS_H
#define TESTS_QUEUED_TASKS_H

#include <condition_variable>
#include <coroutine>
#include <cstdlib>
#include <deque>
#include <mutex>

#include "coroTracer.h"

namespace
{
std::mutex guard;
std::condition_variable is_filled;
std::deque<std::coroutine_handle<>> queue;

void schedule(std::coroutine_handle<> handle)
{
	corotracer::wake(handle);
	std::lock_guard hold(guard);
	queue.push_back(handle);
	is_filled.notify_one();
}

std::coroutine_handle<> next()
{
	std::unique_lock hold(guard);

	while (queue.empty()) {
		corotracer::park();
		is_filled.wait(hold);
		corotracer::unpark();
	}
	std::coroutine_handle<> handle = queue.front();
	queue.pop_front();
	return handle;
}

struct Task {
	struct promise_type : corotracer::PromiseMixin {
		Task get_return_object() noexcept
		{
			return {};
		}
		std::suspend_never initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_never final_suspend() noexcept
		{
			return {};
		}
		void return_void() noexcept
		{
		}
		void unhandled_exception() noexcept
		{
			std::abort();
		}
	};
};

struct Hop {
	bool await_ready() const noexcept
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle) const
	{
		schedule(handle);
	}
	void await_resume() const noexcept
	{
	}
};
} // namespace

#endif
