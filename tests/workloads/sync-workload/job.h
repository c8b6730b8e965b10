/* SPDX-License-Identifier: MIT */
/*
 * A job: a coroutine that runs by itself, and whose end others can wait for.
 *
 *	Job job = fetch(runtime, 7);    // nothing of it has run
 *	job.start(runtime);             // it runs on any worker
 *	co_await job.join();            // until it has ended
 *
 * The object owns the frame: when it goes out of scope, the coroutine is destroyed where it stands. That
 * is allowed where it has ended, has never been started, or is suspended and nobody can make it ready any
 * more; see the destructors of the awaiters. detach() leaves the coroutine to itself.
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
	/* The tracer sees the beginning and the end of the body, too. */
	using promise_type = corotracer::traced<Promise>;

	Job(Job &&other) noexcept : promise_(std::exchange(other.promise_, nullptr))
	{
	}
	Job &operator=(Job &&other) noexcept;
	Job(const Job &) = delete;
	Job &operator=(const Job &) = delete;
	~Job();

	/* start: once. The runtime must outlive the coroutine. */
	void start(Runtime &runtime);

	/* detach: its frame goes away with its end, and nobody can wait for it. Before start(). */
	void detach(Runtime &runtime);

	/* detach_daemon: detach for one that lives as long as the runtime, and keeps nobody waiting. */
	void detach_daemon(Runtime &runtime);

	/* join: what to co_await; returns at once where it has ended. Any number of coroutines may. */
	Join join() const;

	/* destroy: now, instead of with the object. */
	void destroy();

	/* id: the number by which the tracer knows the coroutine. Not after destroy() or detach(). */
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

	/* The jobs here throw nothing; who joins one would not know what to do about it. */
	[[noreturn]] void unhandled_exception() const noexcept
	{
		std::terminate();
	}

      private:
	friend class Job;
	friend class Job::Join;

	void start(Runtime &runtime);
	void finish() noexcept;

	Runtime *runtime_ = nullptr; /* set while it counts as live */
	uint64_t counted_id_ = 0;
	bool is_detached_ = false;
	std::mutex mutex_; /* guards what follows */
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
