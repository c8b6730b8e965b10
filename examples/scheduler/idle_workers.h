/* SPDX-License-Identifier: MIT */
/*
 * The idle workers, the one of them that polls, and how they are woken.
 *
 * A worker without work lies down. One of those lying polls the reactor, the others sleep; so as long
 * as one worker is idle, events are seen at once. A thread that queues a task wakes one of the idle.
 *
 * No wake is lost. A worker lies down first and looks into the queues once more after that; a
 * producer queues first and looks for idle workers after that. Both looks go through nr_idle_, and
 * both are read-modify-writes, which have one order:
 *
 *   producer first: the worker's increment reads what the producer wrote, and with it sees the task;
 *   worker first:   the producer reads the increment, and wakes a worker.
 *
 * This file knows neither tasks nor queues.
 */
#ifndef EXAMPLE_IDLE_WORKERS_H
#define EXAMPLE_IDLE_WORKERS_H

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>

class Reactor;

class IdleWorkers
{
      public:
	/* What an idle worker is to do. */
	enum class Role { sleep, poll };

	/* The reactor is interrupted when the worker that polls it is to wake up. */
	IdleWorkers(unsigned nr_workers, Reactor &reactor);

	/*
	 * lie_down: the worker is idle from now on, and may be woken. The worker must look for work once more before it
	 * does what its role says, and get_up() if there is any.
	 */
	Role lie_down(unsigned worker);

	/*
	 * sleep: blocks a worker whose role is to sleep. False: it was woken to look for work; true:
	 * it stays idle, but is to poll from now on.
	 */
	bool sleep(unsigned worker);

	/* get_up: the worker is busy again. The worker keeps the poll if it had it. */
	void get_up(unsigned worker);

	/* claim_poll: a busy worker takes the poll for a moment. False: another worker has it. */
	bool claim_poll(unsigned worker);

	/*
	 * leave_poll: gives the poll up, if the worker has it, to a sleeper where there is one. Called
	 * after get_up(), for a worker can be made the poller at any time while it lies.
	 */
	void leave_poll(unsigned worker);

	/* wake_one: called after a task was queued; wakes one idle worker if there is any. */
	void wake_one();

	/* wake_all: wakes every worker. */
	void wake_all();

	/*
	 * wait_until_quiet: blocks until every worker is idle and is_empty(), called under the lock,
	 * says that no queue holds a task. Then nothing runs, and nothing will unless a thread that
	 * is no worker queues a task, or an event arrives.
	 */
	template <typename Predicate> void wait_until_quiet(Predicate is_empty)
	{
		std::unique_lock lock(mutex_);

		all_idle_.wait(lock, [&] { return count_idle() == nr_workers_ && is_empty(); });
	}

      private:
	enum class State { busy, asleep, polling };
	static constexpr unsigned nobody = ~0u;

	struct Seat {
		State state = State::busy;
		std::condition_variable changed;
	};

	/* These expect the lock to be held. */
	unsigned count_idle() const;
	unsigned find(State state) const;
	void set_busy(Seat &seat);
	void wake(unsigned worker);

	Reactor &reactor_;
	const unsigned nr_workers_;
	std::mutex mutex_; /* guards the seats and the poller */
	std::unique_ptr<Seat[]> seats_;
	unsigned poller_ = nobody;
	std::condition_variable all_idle_;
	std::atomic<unsigned> nr_idle_{0}; /* written under the lock, and read without it */
};

#endif
