/* SPDX-License-Identifier: MIT */
/*
 * How many coroutines have begun and not ended, and whether there is progress: what the watchdog looks at. Any thread
 * may use it; it does not know the coroutines themselves.
 */
#ifndef EXAMPLE_CENSUS_H
#define EXAMPLE_CENSUS_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

class Census
{
      public:
	/* By the tracer's number; if the program is not traced, all numbers are 0. */
	void count_in(uint64_t id);
	void count_out(uint64_t id);

	/* note_progress: something useful was done. A coroutine that merely runs does not count. */
	void note_progress();

	/*
	 * wait_until_over: blocks until all coroutines have ended: true; or until there was no progress for `limit`:
	 * false.
	 */
	bool wait_until_over(std::chrono::milliseconds limit);

	/* live: the numbers of the coroutines that have not ended. */
	std::vector<uint64_t> live();

      private:
	std::mutex mutex_;
	std::condition_variable over_;
	std::multiset<uint64_t> live_;
	std::atomic<uint64_t> progress_{0};
};

#endif
