/* SPDX-License-Identifier: MIT */
/*
 * The reactor: one epoll instance, and for each descriptor the one coroutine that waits for it.
 *
 * The reactor turns readiness into tasks to be run. The reactor has no thread of its own and runs no task; an idle
 * worker lends it a thread by calling wait() and take().
 *
 * A descriptor belongs to one coroutine, which waits in its slot for one direction at a time. A descriptor is armed
 * (EPOLLONESHOT) by the wait and disarmed by the event, so epoll reports it only while its coroutine sits suspended in
 * the slot. The thread that takes the waiter out of the slot therefore has the coroutine and the descriptor to itself
 * until it makes the coroutine ready.
 *
 * Numbers of descriptors are used again by the kernel as soon as they are closed; a generation tells
 * the users of one number apart, and an event that comes late for an earlier one is ignored.
 */
#ifndef EXAMPLE_REACTOR_H
#define EXAMPLE_REACTOR_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include <sys/epoll.h>

#include "event_log.h"
#include "scheduled.h"

/* A descriptor as the reactor knows it. A default one is none. */
struct Descriptor {
	int fd = -1;
	uint32_t generation = 0;
};

/*
 * A coroutine waiting for a descriptor. The waiter lives in the awaiter, hence in the coroutine's frame, and must not
 * move while the coroutine is suspended. `result` is for the coroutine to read when it runs again: 0 for ready, or a
 * negative errno (-ECONNRESET: hung up, and closed by the reactor).
 */
struct Waiter {
	Waiter() = default;
	Waiter(const Waiter &) = delete;
	Waiter &operator=(const Waiter &) = delete;

	Scheduled *coroutine = nullptr;
	int result = 0;
};

class Reactor
{
      public:
	/* The events of one wait(). Each worker has its own, so that two of them never share one. */
	struct Batch {
		std::array<epoll_event, 64> events;
		size_t nr_events = 0;
	};

	/* Throws std::system_error where the kernel refuses the epoll instance or its event. */
	Reactor(unsigned max_descriptors, EventLog &log);
	Reactor(const Reactor &) = delete;
	Reactor &operator=(const Reactor &) = delete;
	~Reactor();

	/*
	 * open: takes a non-blocking descriptor over. The descriptor returned is none where the number
	 * is beyond max_descriptors; `fd` is closed then. Any thread.
	 */
	Descriptor open(int fd);

	/*
	 * close: closes the descriptor, unless it was closed by the reactor before. Only the coroutine
	 * that owns it may call this, so nobody waits for it.
	 */
	void close(Descriptor descriptor);

	/*
	 * wait_for: puts the waiter into the descriptor's slot and arms it for `events` (EPOLLIN or
	 * EPOLLOUT). True: the coroutine must stay suspended, and may already run on another thread
	 * when this returns, so the caller may touch nothing in its frame. False: it must go on, with
	 * waiter.result telling why.
	 */
	bool wait_for(Descriptor descriptor, uint32_t events, Waiter &waiter);

	/*
	 * wait: blocks until events arrive or interrupt() is called, for at most timeout_ms (-1: for
	 * ever). No waiter is taken yet; take() does that. One thread at a time.
	 */
	void wait(Batch &batch, int timeout_ms);

	/* take: adds the coroutines that these events make ready to `ready`; the caller queues them. */
	void take(Batch &batch, std::vector<Scheduled *> &ready);

	/* interrupt: ends the present wait(), or the next one. Any thread. */
	void interrupt();

	/*
	 * cancel_all: from now on every wait fails with -ECANCELED, those that have begun included; the
	 * coroutines concerned are added to `ready`. Any thread.
	 */
	void cancel_all(std::vector<Scheduled *> &ready);

      private:
	struct Slot {
		std::mutex mutex;
		Waiter *waiter = nullptr;
		uint32_t generation = 0;
		bool is_open = false;
		bool is_registered = false; /* with epoll; later arming modifies */

		bool holds(uint32_t of_generation) const;
		void reset();
	};

	bool arm(Slot &slot, Descriptor descriptor, uint32_t events);
	Scheduled *on_event(Descriptor descriptor, uint32_t events);
	Scheduled *on_ready(Slot &slot);
	Scheduled *on_hangup(Slot &slot, int fd);
	void drain_interrupt();

	[[maybe_unused]] EventLog &log_; /* only the planted fault has something to tell */
	const unsigned nr_slots_;
	std::unique_ptr<Slot[]> slots_;
	std::atomic<bool> is_cancelled_{false};
	int epoll_fd_;
	int interrupt_fd_;
};

#endif
