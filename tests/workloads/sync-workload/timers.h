/* SPDX-License-Identifier: MIT */
/*
 * Timers: coroutines that sleep until a time, ordered by that time; one timer descriptor for the first of them; and one
 * coroutine that waits for the descriptor and wakes the sleepers whose time has come.
 *
 * The thread that takes a sleeper out of the order wakes it, so no sleeper is woken twice. A sleeper that is destroyed
 * takes itself out.
 */
#ifndef EXAMPLE_TIMERS_H
#define EXAMPLE_TIMERS_H

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "job.h"
#include "reactor.h"

class Timers
{
      public:
	using Clock = std::chrono::steady_clock;
	class Sleep;

	explicit Timers(Runtime &runtime) : runtime_(runtime)
	{
	}
	Timers(const Timers &) = delete;
	Timers &operator=(const Timers &) = delete;

	/* next_number: the number of a timer that another coroutine may cancel. */
	uint64_t next_number();

	/*
	 * bool is_over = co_await timers.sleep(duration): false: the sleep was cancelled. The number comes from
	 * next_number(); 0: the sleep cannot be cancelled.
	 */
	Sleep sleep(Clock::duration duration, uint64_t number = 0);

	/* cancel: ends the sleep with that number early. False: there is none. Any thread. */
	bool cancel(uint64_t number);

      private:
	using Key = std::pair<Clock::time_point, uint64_t>;

	bool add(Sleep &sleep);
	void forget(Sleep &sleep);
	void arm_first();
	void open();
	void wake(Scheduled &sleeper);
	Job serve();
	std::vector<Scheduled *> take_expired(bool takes_all);

	Runtime &runtime_;
	std::mutex mutex_; /* guards the members below, and the sleepers' links */
	std::map<Key, Sleep *> sleepers_;
	uint64_t numbers_used_ = 0;
	Descriptor descriptor_;
	bool is_stopped_ = false;
};

/* The awaiter; it lives in the sleeper's frame. */
class Timers::Sleep
{
      public:
	Sleep(Timers &timers, Clock::time_point deadline, uint64_t number)
	    : timers_(timers), key_(deadline, number)
	{
	}
	Sleep(const Sleep &) = delete;
	Sleep &operator=(const Sleep &) = delete;
	~Sleep();

	uint64_t corotracer_resource() const noexcept
	{
		return corotracer::timer(key_.second);
	}

	bool await_ready() const noexcept
	{
		return false;
	}

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		sleeper_ = &coroutine.promise();
		return timers_.add(*this);
	}

	bool await_resume() const noexcept
	{
		return !is_cancelled_;
	}

      private:
	friend class Timers;

	Timers &timers_;
	Key key_;
	Scheduled *sleeper_ = nullptr;
	bool is_linked_ = false;
	bool is_cancelled_ = false;
};

inline Timers::Sleep Timers::sleep(Clock::duration duration, uint64_t number)
{
	return Sleep(*this, Clock::now() + duration, number != 0 ? number : next_number());
}

#endif
