/* SPDX-License-Identifier: MIT */
/*
 * A mutex for coroutines: fair, and handed over. Unlocking gives it to the coroutine that has waited longest, so it is
 * never free while a coroutine waits. The mutex blocks no thread.
 *
 * A waiter that is destroyed leaves the queue.
 */
#ifndef EXAMPLE_MUTEX_H
#define EXAMPLE_MUTEX_H

#include <coroutine>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include "scheduled.h"

class Runtime;

class Mutex
{
      public:
	class Lock;
	class ScopedLock;
	class Guard;

	explicit Mutex(Runtime &runtime) : runtime_(runtime)
	{
	}
	Mutex(const Mutex &) = delete;
	Mutex &operator=(const Mutex &) = delete;

	/* co_await mutex.lock(); unlock() releases it. */
	Lock lock();

	/* Mutex::Guard guard = co_await mutex.hold(): unlocks at the end of the scope. */
	ScopedLock hold();

	/* unlock: must be called by the coroutine that owns the mutex. */
	void unlock();

      private:
	bool try_lock();
	bool add(Lock &waiter);
	void forget(Lock &waiter);

	Runtime &runtime_;
	std::mutex mutex_; /* guards the members below */
	bool is_held_ = false;
	std::deque<Lock *> waiters_;
};

/* The awaiter. */
class Mutex::Lock
{
      public:
	explicit Lock(Mutex &mutex) : mutex_(mutex)
	{
	}
	Lock(const Lock &) = delete;
	Lock &operator=(const Lock &) = delete;
	~Lock();

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::lock(&mutex_);
	}

	bool await_ready()
	{
		return mutex_.try_lock();
	}

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		coroutine_ = &coroutine.promise();
		return mutex_.add(*this);
	}

	void await_resume() const noexcept
	{
	}

      protected:
	friend class Mutex;

	Mutex &mutex_;
	Scheduled *coroutine_ = nullptr;
	bool is_queued_ = false;
};

class Mutex::Guard
{
      public:
	explicit Guard(Mutex &mutex) : mutex_(&mutex)
	{
	}
	Guard(Guard &&other) noexcept : mutex_(std::exchange(other.mutex_, nullptr))
	{
	}
	Guard(const Guard &) = delete;
	Guard &operator=(const Guard &) = delete;
	Guard &operator=(Guard &&) = delete;

	~Guard()
	{
		if (mutex_ != nullptr)
			mutex_->unlock();
	}

      private:
	Mutex *mutex_;
};

class Mutex::ScopedLock : public Mutex::Lock
{
      public:
	using Lock::Lock;

	Guard await_resume() const noexcept
	{
		return Guard(mutex_);
	}
};

inline Mutex::Lock Mutex::lock()
{
	return Lock(*this);
}

inline Mutex::ScopedLock Mutex::hold()
{
	return ScopedLock(*this);
}

#endif
