/* SPDX-License-Identifier: MIT */
/*
 * The two queues of ready tasks: one per worker, and one for everybody.
 *
 * Queues hold tasks that are suspended and may be resumed at once; a task is in at most one queue, at most once. Queues
 * never run, create or destroy one, and never block but for InjectionQueue's short critical sections.
 */
#ifndef EXAMPLE_RUN_QUEUE_H
#define EXAMPLE_RUN_QUEUE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

#include "scheduled.h"

/*
 * A worker's own queue: a ring of fixed size, first in first out. The owner pushes at the tail; the
 * owner and any number of thieves take from the head. Nobody locks.
 *
 * The counters only grow, and are too wide to wrap. The slots [head, tail) are full. The thread that moves head from h
 * to h + n with a compare-and-exchange owns the tasks in [h, h + n), and no other does.
 *
 * Q1  tail: release by push; acquire by whoever takes. Publishes the slots below it.
 * Q2  head: release by whoever takes; acquire by push. Gives slots back: a slot is overwritten only
 *     after the taker has read it. A thief that reads a slot too late sees its exchange fail.
 */
class LocalQueue
{
      public:
	static constexpr uint64_t capacity = 256;

	/* push: the owner adds a task. False: the queue is full, the task still is the caller's. */
	bool push(Scheduled *task) noexcept
	{
		uint64_t tail = tail_.load(std::memory_order_relaxed);

		if (tail - head_.load(std::memory_order_acquire) == capacity) /* Q2 */
			return false;
		slot(tail).store(task, std::memory_order_relaxed);
		tail_.store(tail + 1, std::memory_order_release); /* Q1 */
		return true;
	}

	/* pop: the owner takes the oldest task; null when there is none. */
	Scheduled *pop() noexcept
	{
		uint64_t head = head_.load(std::memory_order_relaxed);

		while (head != tail_.load(std::memory_order_relaxed)) {
			Scheduled *task = slot(head).load(std::memory_order_relaxed);

			if (head_.compare_exchange_weak(head, head + 1, std::memory_order_release,
				    std::memory_order_relaxed)) /* Q2 */
				return task;
		}
		return nullptr;
	}

	/*
	 * steal_into: moves the older half of the tasks, at least one, to the queue of the calling
	 * worker, but for the oldest, which is returned for it to run. Null: there was nothing, or
	 * others were faster. The thief's queue must be empty, so that half of this one fits.
	 */
	Scheduled *steal_into(LocalQueue &thief) noexcept
	{
		uint64_t head = head_.load(std::memory_order_acquire);
		uint64_t tail = tail_.load(std::memory_order_acquire); /* Q1 */
		uint64_t count = tail - head - (tail - head) / 2;
		uint64_t place = thief.tail_.load(std::memory_order_relaxed);
		Scheduled *oldest;

		/* More than half: head had moved on before tail was read. */
		if (count == 0 || count > capacity / 2)
			return nullptr;
		oldest = slot(head).load(std::memory_order_relaxed);
		for (uint64_t i = 1; i < count; i++)
			thief.slot(place + i - 1)
				.store(slot(head + i).load(std::memory_order_relaxed),
					std::memory_order_relaxed);
		if (!head_.compare_exchange_strong(head, head + count, std::memory_order_release,
			    std::memory_order_relaxed)) /* Q2 */
			return nullptr;
		thief.tail_.store(place + count - 1, std::memory_order_release); /* Q1 */
		return oldest;
	}

	bool is_empty() const noexcept
	{
		return head_.load(std::memory_order_acquire) ==
		       tail_.load(std::memory_order_acquire);
	}

      private:
	std::atomic<Scheduled *> &slot(uint64_t position) noexcept
	{
		return slots_[position % capacity];
	}

	/* Thieves write head, the owner writes tail: a cache line for each. */
	alignas(64) std::atomic<uint64_t> head_{0};
	alignas(64) std::atomic<uint64_t> tail_{0};
	alignas(64) std::array<std::atomic<Scheduled *>, capacity> slots_{};
};

/*
 * The queue for tasks that have no worker yet, made ready by a foreign thread or spilled from a full
 * LocalQueue. Unbounded, first in first out, any thread.
 */
class InjectionQueue
{
      public:
	void push(Scheduled *task)
	{
		std::lock_guard guard(mutex_);

		tasks_.push_back(task);
		size_.store(tasks_.size(), std::memory_order_release);
	}

	/* pop: the oldest task; null when there is none. */
	Scheduled *pop()
	{
		if (is_empty())
			return nullptr;

		std::lock_guard guard(mutex_);

		if (tasks_.empty())
			return nullptr;

		Scheduled *task = tasks_.front();

		tasks_.pop_front();
		size_.store(tasks_.size(), std::memory_order_release);
		return task;
	}

	/* is_empty: without the lock, for it is asked before each sleep and each search. */
	bool is_empty() const noexcept
	{
		return size_.load(std::memory_order_acquire) == 0;
	}

      private:
	std::mutex mutex_;
	std::deque<Scheduled *> tasks_;
	std::atomic<size_t> size_{0};
};

#endif
