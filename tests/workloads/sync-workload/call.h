/* SPDX-License-Identifier: MIT */
/*
 * A call: a coroutine that is a subroutine of another coroutine.
 *
 *	Call<int> sum(...);
 *	int total = co_await sum(...);
 *
 * A call begins when it is awaited, on the caller's thread and without the scheduler, and the caller continues in the
 * same way when the call ends; in between, the call may suspend like any coroutine. The object owns the frame; a call
 * that is never awaited never runs.
 */
#ifndef EXAMPLE_CALL_H
#define EXAMPLE_CALL_H

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "scheduled.h"
#include "scheduler.h"

template <typename Result> class [[nodiscard]] Call
{
      public:
	class Promise;
	using promise_type = corotracer::traced<Promise>;

	Call(Call &&other) noexcept : promise_(std::exchange(other.promise_, nullptr))
	{
	}
	Call(const Call &) = delete;
	Call &operator=(const Call &) = delete;
	Call &operator=(Call &&) = delete;

	~Call()
	{
		if (promise_ != nullptr)
			promise_->handle().destroy();
	}

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::child(promise_->handle());
	}

	bool await_ready() const noexcept
	{
		corotracer::await_child(Scheduler::current_id(), promise_->id());
		return false;
	}

	template <typename Caller>
	std::coroutine_handle<> await_suspend(std::coroutine_handle<Caller> caller) noexcept
	{
		promise_->caller = &caller.promise();
		return Promise::pass_on_to(promise_);
	}

	Result await_resume()
	{
		corotracer::await_child_done(Scheduler::current_id(), promise_->id());
		return std::move(*promise_->result);
	}

      private:
	explicit Call(Promise *promise) noexcept : promise_(promise)
	{
	}

	Promise *promise_;
};

template <typename Result> class Call<Result>::Promise : public Scheduled
{
      public:
	/* pass_on_to: continues with that coroutine on this thread. */
	static std::coroutine_handle<> pass_on_to(Scheduled *next) noexcept
	{
		Scheduler::enter(next);
		corotracer::wake(next->handle(), corotracer::outcome::resumed);
		return next->handle();
	}

	Call get_return_object() noexcept
	{
		set_handle(std::coroutine_handle<Promise>::from_promise(*this));
		return Call(this);
	}

	std::suspend_always initial_suspend() const noexcept
	{
		return {};
	}

	struct Return {
		Scheduled *caller;

		bool await_ready() const noexcept
		{
			return false;
		}
		std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept
		{
			return pass_on_to(caller);
		}
		void await_resume() const noexcept
		{
		}
	};

	Return final_suspend() noexcept
	{
		return {caller};
	}

	void return_value(Result value)
	{
		result.emplace(std::move(value));
	}

	[[noreturn]] void unhandled_exception() const noexcept
	{
		std::terminate();
	}

	Scheduled *caller = nullptr;
	std::optional<Result> result;
};

#endif
