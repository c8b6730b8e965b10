/* SPDX-License-Identifier: MIT */
/*
 * The simplest coroutine type: a detached task.
 *
 * A task starts suspended, is handed to Scheduler::spawn, and from then on owns itself: its frame
 * goes away when its body ends. Nobody awaits a task, so it carries no result and no continuation.
 * This file must know nothing of threads, queues or descriptors.
 */
#ifndef EXAMPLE_TASK_H
#define EXAMPLE_TASK_H

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include "scheduled.h"

class Task
{
      public:
	struct promise_type;
	using Handle = std::coroutine_handle<promise_type>;

	struct promise_type : public Scheduled {
		~promise_type()
		{
			if (nr_live != nullptr)
				nr_live->fetch_sub(1, std::memory_order_release);
		}

		Task get_return_object() noexcept
		{
			set_handle(Handle::from_promise(*this));
			return Task(this);
		}

		/* Lazy: the creator decides where the task runs before any of it has run. */
		std::suspend_always initial_suspend() const noexcept
		{
			return {};
		}

		/* Nobody waits for the end, so the frame destroys itself. */
		std::suspend_never final_suspend() const noexcept
		{
			return {};
		}

		void return_void() const noexcept
		{
		}

		/* A detached task has nobody to whom it could pass an exception on. */
		[[noreturn]] void unhandled_exception() const noexcept
		{
			std::terminate();
		}

		/* The scheduler's count of unfinished tasks; set by spawn, which counts this one. */
		std::atomic<size_t> *nr_live = nullptr;
	};

	Task(Task &&other) noexcept : promise_(std::exchange(other.promise_, nullptr))
	{
	}

	Task(const Task &) = delete;
	Task &operator=(const Task &) = delete;
	Task &operator=(Task &&) = delete;

	~Task()
	{
		if (promise_ != nullptr)
			promise_->handle().destroy();
	}

	/* id: the number by which the tracer knows this coroutine; 0 where nothing traces. */
	uint64_t id() const noexcept
	{
		return promise_->id();
	}

	/* release: the frame passes to the caller, who must resume or destroy it. */
	promise_type *release() noexcept
	{
		return std::exchange(promise_, nullptr);
	}

      private:
	explicit Task(promise_type *promise) noexcept : promise_(promise)
	{
	}

	promise_type *promise_;
};

#endif
