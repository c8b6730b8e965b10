/* SPDX-License-Identifier: MIT */
/* The census and its watchdog. */
#include "census.h"

void Census::count_in(uint64_t id)
{
	std::lock_guard guard(mutex_);

	live_.insert(id);
}

void Census::count_out(uint64_t id)
{
	std::lock_guard guard(mutex_);

	live_.erase(live_.find(id));
	note_progress();
	if (live_.empty())
		over_.notify_all();
}

void Census::note_progress()
{
	progress_.fetch_add(1, std::memory_order_relaxed);
}

/* In steps: what has been done is seen at most one step late. */
bool Census::wait_until_over(std::chrono::milliseconds limit)
{
	constexpr int nr_steps = 10;
	std::unique_lock lock(mutex_);
	uint64_t seen = progress_.load(std::memory_order_relaxed);

	for (int step = 0; step < nr_steps; step++) {
		uint64_t now;

		if (over_.wait_for(lock, limit / nr_steps, [this] { return live_.empty(); }))
			return true;
		now = progress_.load(std::memory_order_relaxed);
		if (now != seen)
			step = -1;
		seen = now;
	}
	return false;
}

std::vector<uint64_t> Census::live()
{
	std::lock_guard guard(mutex_);

	return {live_.begin(), live_.end()};
}
