/* SPDX-License-Identifier: MIT */
/*
 * A signal between threads, given once: it makes a rare interleaving happen in every run. Waiting blocks the thread,
 * not the coroutine, so the two that meet need a worker each.
 */
#ifndef EXAMPLE_REHEARSAL_H
#define EXAMPLE_REHEARSAL_H

#include <atomic>

class Signal
{
      public:
	/* give: everything before it is visible to a thread after its wait. May be called any number of times. */
	void give()
	{
		is_given_.store(true, std::memory_order_release);
		is_given_.notify_all();
	}

	void wait() const
	{
		is_given_.wait(false, std::memory_order_acquire);
	}

      private:
	std::atomic<bool> is_given_{false};
};

/*
 * One meeting of two threads in the middle of a rehearsed function: the thread that runs it signals that it has come to
 * the critical place, and goes on when the other thread has done its part.
 */
class Rehearsal
{
      public:
	/* pause: called by the thread in the critical place. */
	void pause()
	{
		is_reached_.give();
		may_go_on_.wait();
	}

	/* wait_for_pause, go_on: called by the other thread, before and after its part. */
	void wait_for_pause() const
	{
		is_reached_.wait();
	}
	void go_on()
	{
		may_go_on_.give();
	}

      private:
	Signal is_reached_;
	Signal may_go_on_;
};

#endif
