/* SPDX-License-Identifier: MIT */
/*
 * A job: a coroutine that runs by itself, and for whose end other coroutines can wait.
 *
 *	Job job = fetch(runtime, 7);    // nothing of it has run
 *	job.start(runtime);             // it runs on any worker
 *	co_await job.join();            // until it has ended
 *
 * The object owns the frame: when it goes out of scope, the coroutine is destroyed in its present state. That is
 * allowed if the coroutine has ended, was never started, or is suspended and can no longer be made ready; see the
 * destructors of the awaiters. detach() makes the coroutine independent of the object.
 */
#ifndef EXAMPLE_JOB_H
#define EXAMPLE_JOB_H

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "scheduled.h"

class Runtime;

class Job
{
      public:
	class Promise;
	class Join;
	/* The wrapper records the beginning and the end of the body, too. */
	using promise_type = corotracer::traced<Promise>;

	Job(Job &&other) noexcept : promise_(std::exchange(other.promise_, nullptr))
	{
	}
	Job &operator=(Job &&other) noexcept;
	Job(const Job &) = delete;
	Job &operator=(const Job &) = delete;
	~Job();

	/* start: may be called once. The runtime must outlive the coroutine. */
	void start(Runtime &runtime);

	/*
	 * detach: the frame is freed at the coroutine's end, and no coroutine can wait for it. Must be called before
	 * start().
	 */
	void detach(Runtime &runtime);

	/*
	 * detach_daemon: detach for a coroutine that lives as long as the runtime; the program's end does not wait for
	 * it.
	 */
	void detach_daemon(Runtime &runtime);

	/* join: what to co_await; returns at once if the job has ended. Any number of coroutines may await it. */
	Join join() const;

	/* destroy: destroys the coroutine now instead of with the object. */
	void destroy();

	/* id: the tracer's number of the coroutine. Must not be called after destroy() or detach(). */
	uint64_t id() const noexcept;

	bool has_ended() const;

      private:
	explicit Job(Promise *promise) noexcept : promise_(promise)
	{
	}

	Promise *promise_;
};

class Job::Promise : public Scheduled
{
      public:
	~Promise();

	/* The memory of frames; see job.cpp. */
	static void *operator new(size_t size);
	static void operator delete(void *frame);

	Job get_return_object() noexcept
	{
		set_handle(std::coroutine_handle<Promise>::from_promise(*this));
		return Job(this);
	}

	std::suspend_always initial_suspend() const noexcept
	{
		return {};
	}

	/* A detached job does not suspend at its end, and so its frame is freed. */
	struct Finish {
		Promise &promise;

		bool await_ready() const noexcept
		{
			return promise.is_detached_;
		}
		void await_suspend(std::coroutine_handle<>) const noexcept
		{
			promise.finish();
		}
		void await_resume() const noexcept
		{
		}
	};

	Finish final_suspend() noexcept
	{
		return {*this};
	}

	void return_void() const noexcept
	{
	}

	/* The jobs here throw nothing; a coroutine that joins one could not handle an exception. */
	[[noreturn]] void unhandled_exception() const noexcept
	{
		std::terminate();
	}

      private:
	friend class Job;
	friend class Job::Join;

	void start(Runtime &runtime);
	void finish() noexcept;

	Runtime *runtime_ = nullptr; /* set while the job counts as live */
	uint64_t counted_id_ = 0;
	bool is_detached_ = false;
	std::mutex mutex_; /* guards the members below */
	bool has_ended_ = false;
	std::vector<Scheduled *> joiners_;
};

/* co_await job.join(): waits until the job has ended. The Job must outlive it. */
class Job::Join
{
      public:
	explicit Join(Promise &child) : child_(child)
	{
	}

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::child(child_.handle());
	}

	bool await_ready();

	template <typename Parent> bool await_suspend(std::coroutine_handle<Parent> parent)
	{
		return add(parent.promise());
	}

	void await_resume();

      private:
	bool add(Scheduled &parent);

	Promise &child_;
};

inline Job::Join Job::join() const
{
	return Join(*promise_);
}

#endif
