/* SPDX-License-Identifier: MIT */
/*
 * A signal between threads, given once: what makes an interleaving happen each time that chance would
 * make once in a million. Waiting blocks the thread, not the coroutine, so the two that meet need a
 * worker each.
 */
#ifndef EXAMPLE_REHEARSAL_H
#define EXAMPLE_REHEARSAL_H

#include <atomic>

class Signal
{
      public:
	/* give: everything before it is seen by whoever has waited. Any number of times. */
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
 * One meeting of two threads in the middle of a function that is under rehearsal: the one that plays it
 * says that it has come to the critical place, and goes on when the other has done its part.
 */
class Rehearsal
{
      public:
	/* pause: for the one in the critical place. */
	void pause()
	{
		is_reached_.give();
		may_go_on_.wait();
	}

	/* wait_for_pause, go_on: for the other one, before and after its part. */
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
