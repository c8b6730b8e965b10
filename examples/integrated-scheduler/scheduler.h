/* SPDX-License-Identifier: MIT */
/*
 * A small scheduler with what most have (a pool of workers, a mutex, a channel with two ends, yields), and all the
 * lines that make a verdict about it sure: those that say `corotracer`. docs/integrating-a-scheduler.md explains them.
 *
 * This scheduler must stay the shortest correct program of its kind: nothing is here that is not needed to show a line.
 */
#ifndef EXAMPLE_INTEGRATED_SCHEDULER_H
#define EXAMPLE_INTEGRATED_SCHEDULER_H

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "coroTracer.h"

struct Task {
	struct Promise {
		Task get_return_object() noexcept
		{
			return {std::coroutine_handle<Promise>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() const noexcept
		{
			return {};
		}
		std::suspend_never final_suspend() const noexcept
		{
			return {};
		}
		void return_void() const noexcept
		{
		}
		void unhandled_exception() const noexcept
		{
			std::abort();
		}
	};
	using promise_type = corotracer::traced<Promise>;

	std::coroutine_handle<> handle;
};

/* Workers that share one queue. */
class Scheduler
{
      public:
	void wake(std::coroutine_handle<> coroutine)
	{
		corotracer::wake_by(corotracer::current_id(), coroutine);
		push(coroutine);
	}

	void spawn(Task task)
	{
		push(task.handle); /* a first run needs no wake */
	}

	void start(unsigned nr_workers)
	{
		while (workers_.size() < nr_workers)
			workers_.emplace_back([this] { work(); });
	}

	void stop()
	{
		{
			std::lock_guard guard(mutex_);

			is_stopping_ = true;
		}
		changed_.notify_all();
		for (std::thread &worker : workers_)
			worker.join();
	}

      private:
	void push(std::coroutine_handle<> coroutine)
	{
		{
			std::lock_guard guard(mutex_);

			ready_.push_back(coroutine);
		}
		changed_.notify_one();
	}

	void work()
	{
		std::unique_lock lock(mutex_);

		while (!is_stopping_) {
			if (ready_.empty()) {
				corotracer::park();
				changed_.wait(lock);
				corotracer::unpark();
				continue;
			}
			std::coroutine_handle<> coroutine = ready_.front();
			ready_.pop_front();
			lock.unlock();
			coroutine.resume();
			lock.lock();
		}
	}

	std::mutex mutex_; /* guards what follows */
	std::condition_variable changed_;
	std::deque<std::coroutine_handle<>> ready_;
	bool is_stopping_ = false;
	std::vector<std::thread> workers_;
};

struct Yield {
	static constexpr bool corotracer_yields = true;

	Scheduler &scheduler;

	bool await_ready() const noexcept
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> coroutine) const
	{
		scheduler.wake(coroutine);
	}
	void await_resume() const noexcept
	{
	}
};

/* Fair: who unlocks it gives it to the one that has waited longest. */
class Mutex
{
      public:
	explicit Mutex(Scheduler &scheduler) : scheduler_(scheduler)
	{
	}

	struct Lock {
		Mutex &mutex;
		std::coroutine_handle<> coroutine{};
		std::uint64_t id = 0;

		std::uint64_t corotracer_resource() const noexcept
		{
			return corotracer::lock(&mutex);
		}
		bool await_ready() const noexcept
		{
			return false;
		}
		bool await_suspend(std::coroutine_handle<> waiter)
		{
			std::lock_guard guard(mutex.mutex_);

			coroutine = waiter;
			id = corotracer::current_id();
			if (mutex.is_held_) {
				mutex.waiters_.push_back(this);
				return true;
			}
			mutex.is_held_ = true;
			corotracer::acquire(id, corotracer::lock(&mutex));
			return false;
		}
		void await_resume() const noexcept
		{
		}
	};

	Lock lock()
	{
		return Lock{*this};
	}

	void unlock()
	{
		const std::uint64_t holder = corotracer::current_id();
		std::unique_lock guard(mutex_);

		if (waiters_.empty()) {
			corotracer::release(holder, corotracer::lock(this));
			is_held_ = false;
			return;
		}
		Lock *heir = waiters_.front();
		waiters_.pop_front();
		corotracer::hand_over(holder, corotracer::lock(this), heir->id);
		guard.unlock();
		scheduler_.wake(heir->coroutine);
	}

      private:
	Scheduler &scheduler_;
	std::mutex mutex_; /* guards what follows */
	bool is_held_ = false;
	std::deque<Lock *> waiters_;
};

/* Holds at most so many numbers: those who send wait for room, those who receive wait for a number. */
class Channel
{
      public:
	Channel(Scheduler &scheduler, std::size_t room) : scheduler_(scheduler), room_(room)
	{
	}

	std::uint64_t room() const noexcept
	{
		return corotracer::channel(&room_);
	}
	std::uint64_t items() const noexcept
	{
		return corotracer::channel(&items_);
	}

	/* while (!channel.try_send(1)) co_await channel.until_room(); */
	struct Wait {
		Channel &channel;
		bool is_for_room;

		std::uint64_t corotracer_resource() const noexcept
		{
			return is_for_room ? channel.room() : channel.items();
		}
		bool await_ready() const noexcept
		{
			return false;
		}
		bool await_suspend(std::coroutine_handle<> waiter)
		{
			std::lock_guard guard(channel.mutex_);

			/* Looked at again under the lock: else the one thing to come may come now. */
			if (is_for_room ? channel.has_room() : channel.has_item())
				return false;
			(is_for_room ? channel.senders_ : channel.receivers_).push_back(waiter);
			return true;
		}
		void await_resume() const noexcept
		{
		}
	};

	Wait until_room()
	{
		return Wait{*this, true};
	}
	Wait until_item()
	{
		return Wait{*this, false};
	}

	bool try_send(int item)
	{
		const std::uint64_t sender = corotracer::current_id();
		std::coroutine_handle<> receiver;
		{
			std::lock_guard guard(mutex_);

			if (!has_room())
				return false;
			items_.push_back(item);
			receiver = take_first(receivers_);
			corotracer::acquire(sender, room());
			corotracer::notify(sender, items(), receiver ? 1 : 0);
		}
		if (receiver)
			scheduler_.wake(receiver);
		return true;
	}

	bool try_receive(int &item)
	{
		const std::uint64_t receiver = corotracer::current_id();
		std::coroutine_handle<> sender;
		{
			std::lock_guard guard(mutex_);

			if (!has_item())
				return false;
			item = items_.front();
			items_.pop_front();
			sender = take_first(senders_);
			corotracer::acquire(receiver, items());
			corotracer::notify(receiver, room(), sender ? 1 : 0);
		}
		if (sender)
			scheduler_.wake(sender);
		return true;
	}

      private:
	using Waiters = std::deque<std::coroutine_handle<>>;

	bool has_room() const noexcept
	{
		return items_.size() < room_;
	}
	bool has_item() const noexcept
	{
		return !items_.empty();
	}
	static std::coroutine_handle<> take_first(Waiters &waiters)
	{
		if (waiters.empty())
			return {};
		std::coroutine_handle<> first = waiters.front();
		waiters.pop_front();
		return first;
	}

	Scheduler &scheduler_;
	std::mutex mutex_; /* guards what follows */
	std::deque<int> items_;
	std::size_t room_;
	Waiters senders_, receivers_;
};

#endif
