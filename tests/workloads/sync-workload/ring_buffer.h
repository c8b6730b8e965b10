/* SPDX-License-Identifier: MIT */
/*
 * A ring buffer between coroutines: a channel of numbers with limited room. A push waits while it is full, a pop while
 * it is empty; waiters are served in order. The push or pop that makes a wait end gives the waiter its number, or its
 * place.
 */
#ifndef EXAMPLE_RING_BUFFER_H
#define EXAMPLE_RING_BUFFER_H

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "scheduled.h"
#include "rehearsal.h"

class Runtime;

class RingBuffer
{
      public:
	class Push;
	class Pop;

	RingBuffer(Runtime &runtime, size_t capacity) : runtime_(runtime), capacity_(capacity)
	{
	}
	RingBuffer(const RingBuffer &) = delete;
	RingBuffer &operator=(const RingBuffer &) = delete;

	/* bool is_taken = co_await ring.push(number): false: the ring is closed. */
	Push push(uint64_t number);

	/* std::optional<uint64_t> number = co_await ring.pop(): nothing: the ring is closed and empty. */
	Pop pop();

	/* close: no number can be pushed any more; numbers in the ring can still be popped. Any thread. */
	void close();

	/* rehearse: the next pop that finds nothing pauses before it begins to wait. */
	void rehearse(Rehearsal &rehearsal);

      private:
	bool try_push(Push &push);
	bool add(Push &push);
	bool try_pop(Pop &pop);
	bool add(Pop &pop);
	bool give_now(uint64_t number);
	bool take_now(Pop &pop);
	void pause();
	void forget(Push &push);
	void forget(Pop &pop);

	Runtime &runtime_;
	const size_t capacity_;
	std::mutex mutex_; /* guards the members below, and the waiting awaiters */
	std::deque<uint64_t> numbers_;
	std::deque<Push *> pushers_;
	std::deque<Pop *> poppers_;
	bool is_closed_ = false;
	Rehearsal *rehearsal_ = nullptr;
	/* the tracer's number of the last coroutine whose push found no waiter */
	uint64_t last_pusher_ = 0;
};

class RingBuffer::Push
{
      public:
	Push(RingBuffer &ring, uint64_t number) : ring_(ring), number_(number)
	{
	}
	Push(const Push &) = delete;
	Push &operator=(const Push &) = delete;

	~Push()
	{
		ring_.forget(*this);
	}

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::channel(&ring_);
	}

	bool await_ready()
	{
		return ring_.try_push(*this);
	}

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		coroutine_ = &coroutine.promise();
		return ring_.add(*this);
	}

	bool await_resume() const noexcept
	{
		return is_taken_;
	}

      private:
	friend class RingBuffer;

	RingBuffer &ring_;
	uint64_t number_;
	Scheduled *coroutine_ = nullptr;
	bool is_taken_ = false;
};

class RingBuffer::Pop
{
      public:
	explicit Pop(RingBuffer &ring) : ring_(ring)
	{
	}
	Pop(const Pop &) = delete;
	Pop &operator=(const Pop &) = delete;

	~Pop()
	{
		ring_.forget(*this);
	}

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::channel(&ring_);
	}

	bool await_ready()
	{
		return ring_.try_pop(*this);
	}

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		coroutine_ = &coroutine.promise();
		return ring_.add(*this);
	}

	std::optional<uint64_t> await_resume() const noexcept
	{
		return number_;
	}

      private:
	friend class RingBuffer;

	RingBuffer &ring_;
	Scheduled *coroutine_ = nullptr;
	std::optional<uint64_t> number_;
};

inline RingBuffer::Push RingBuffer::push(uint64_t number)
{
	return Push(*this, number);
}

inline RingBuffer::Pop RingBuffer::pop()
{
	return Pop(*this);
}

#endif
