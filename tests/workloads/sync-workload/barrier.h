/* SPDX-License-Identifier: MIT */
/*
 * A barrier for coroutines: when a given number have arrived, all go on. A barrier is used once.
 */
#ifndef EXAMPLE_BARRIER_H
#define EXAMPLE_BARRIER_H

#include <atomic>

#include "call.h"
#include "event.h"

class Barrier
{
      public:
	Barrier(Runtime &runtime, unsigned nr_parties) : event_(runtime), nr_missing_(nr_parties)
	{
	}

	/* co_await barrier.arrive(): true for the coroutine that came last. */
	Call<bool> arrive()
	{
		if (nr_missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
			event_.set();
			co_return true;
		}
		co_await event_.wait();
		co_return false;
	}

      private:
	Event event_;
	std::atomic<unsigned> nr_missing_;
};

#endif
