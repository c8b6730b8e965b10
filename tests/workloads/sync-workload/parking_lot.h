/* SPDX-License-Identifier: MIT */
/*
 * A parking lot: one list of waiters for many conditions, each identified by an address. Small condition variables and
 * mutexes can be built on it.
 */
#ifndef EXAMPLE_PARKING_LOT_H
#define EXAMPLE_PARKING_LOT_H

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>

#include "scheduled.h"
#include "rehearsal.h"

class Runtime;

class ParkingLot
{
      public:
	class Park;

	explicit ParkingLot(Runtime &runtime) : runtime_(runtime)
	{
	}
	ParkingLot(const ParkingLot &) = delete;
	ParkingLot &operator=(const ParkingLot &) = delete;

	/*
	 * co_await lot.park(&condition): waits until the condition is notified. The call returns for no other reason.
	 */
	Park park(const void *condition);

	/* notify_all: wakes all waiters of that condition; returns their number. Any thread. */
	size_t notify_all(const void *condition);

	/* rehearse: the next notify_all() pauses between taking its waiters and waking them. */
	void rehearse(Rehearsal &rehearsal);

      private:
	struct Waiter {
		const void *condition;
		Scheduled *coroutine;
	};
	using List = std::list<Waiter>;

	/* A notification that found no waiter. */
	struct Missed {
		const void *condition;
		uint64_t notifier;
	};

	void add(const void *condition, Scheduled &coroutine);
	List take(const void *condition);
	void put_back(List &waiters, const void *condition, uint64_t notifier);
	void pause();

	Runtime &runtime_;
	std::mutex mutex_; /* guards the members below */
	List waiters_;
	Rehearsal *rehearsal_ = nullptr;
	std::list<Missed> missed_; /* for the log of the build with the fault */
};

/* The awaiter. A coroutine that is parked must not be destroyed. */
class ParkingLot::Park
{
      public:
	Park(ParkingLot &lot, const void *condition) : lot_(lot), condition_(condition)
	{
	}

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::condition(condition_);
	}

	bool await_ready() const noexcept
	{
		return false;
	}

	template <typename Promise> void await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		lot_.add(condition_, coroutine.promise());
	}

	void await_resume() const noexcept
	{
	}

      private:
	ParkingLot &lot_;
	const void *condition_;
};

inline ParkingLot::Park ParkingLot::park(const void *condition)
{
	return Park(*this, condition);
}

#endif
