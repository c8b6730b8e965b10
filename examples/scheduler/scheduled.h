/* SPDX-License-Identifier: MIT */
/*
 * What a coroutine must be to run on the scheduler: the base class of such promise types.
 *
 * Queues and waiters hold pointers to this, and so need not know which type of coroutine they hold; and
 * the tracer's number of the coroutine can be told wherever one is put or taken. The base class below it
 * is all that tracing a coroutine takes.
 */
#ifndef EXAMPLE_SCHEDULED_H
#define EXAMPLE_SCHEDULED_H

#include <coroutine>
#include <cstdint>

#include "coroTracer.h"

class Scheduled : public corotracer::PromiseMixin
{
      public:
	Scheduled() = default;
	Scheduled(const Scheduled &) = delete;
	Scheduled &operator=(const Scheduled &) = delete;

	/* handle: to resume it with. */
	std::coroutine_handle<> handle() const noexcept
	{
		return handle_;
	}

	/* id: the number by which the tracer knows this coroutine; 0 where nothing traces. */
	uint64_t id() const noexcept
	{
		return corotracer_id();
	}

      protected:
	/* set_handle: for get_return_object, which knows the promise's whole type. */
	void set_handle(std::coroutine_handle<> handle) noexcept
	{
		handle_ = handle;
	}

      private:
	std::coroutine_handle<> handle_;
};

#endif
