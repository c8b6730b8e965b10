/* SPDX-License-Identifier: MIT */
/*
 * The wait for a descriptor, for awaiters to derive from; and the awaiter that does nothing else.
 *
 * An awaiter lives in its co_await expression and is used once. corotracer_resource() is the tracer's
 * wait trait: it says which descriptor a suspended coroutine waits for.
 */
#ifndef EXAMPLE_DESCRIPTOR_WAIT_H
#define EXAMPLE_DESCRIPTOR_WAIT_H

#include <coroutine>
#include <cstdint>

#include "reactor.h"

class DescriptorWait
{
      public:
	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::descriptor(descriptor_.fd);
	}

      protected:
	DescriptorWait(Reactor &reactor, Descriptor descriptor)
	    : reactor_(reactor), descriptor_(descriptor)
	{
	}

	/* See Reactor::wait_for: after true, nothing of this object may be touched. */
	bool wait_for(uint32_t events, Scheduled &coroutine)
	{
		waiter_.coroutine = &coroutine;
		return reactor_.wait_for(descriptor_, events, waiter_);
	}

	int fd() const
	{
		return descriptor_.fd;
	}

	int wait_result() const
	{
		return waiter_.result;
	}

      private:
	Reactor &reactor_;
	Descriptor descriptor_;
	Waiter waiter_;
};

/* int error = co_await UntilReadable(reactor, descriptor): 0 when it is, else a negative errno. */
class UntilReadable : public DescriptorWait
{
      public:
	UntilReadable(Reactor &reactor, Descriptor descriptor) : DescriptorWait(reactor, descriptor)
	{
	}

	bool await_ready() const noexcept
	{
		return false;
	}

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		return wait_for(EPOLLIN, coroutine.promise());
	}

	int await_resume() const noexcept
	{
		return wait_result();
	}
};

#endif
