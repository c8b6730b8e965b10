/* SPDX-License-Identifier: MIT */
/*
 * Two workers and a lock for coroutines, whose list of waiters is guarded by a spin lock. After some rounds one unlock
 * returns without releasing the spin lock, while all other coroutines are gathered: each coroutine that wants the lock
 * from then on spins in `await_suspend`, and its worker with it.
 *
 *	spinning NUMBER
 *
 * NUMBER coroutines share the lock. The main thread ends the program with status 3 after that.
 */
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "queued_tasks.h"

namespace
{
const int nr_rounds = 50;
size_t nr_coroutines;

std::atomic<bool> is_guarded;
bool is_locked;
std::deque<std::coroutine_handle<>> waiters;

void enter()
{
	while (is_guarded.exchange(true))
		;
}

struct Lock {
	bool await_ready() const noexcept
	{
		return false;
	}

	bool await_suspend(std::coroutine_handle<> handle) const
	{
		enter();
		bool waits = is_locked;

		is_locked = true;
		if (waits)
			waiters.push_back(handle);
		is_guarded = false;
		return waits;
	}

	void await_resume() const noexcept
	{
	}
};

void unlock(bool is_broken)
{
	enter();
	if (waiters.empty()) {
		is_locked = false;
		if (!is_broken)
			is_guarded = false;
		return;
	}
	std::coroutine_handle<> handle = waiters.front();
	waiters.pop_front();
	is_guarded = false;
	schedule(handle);
}

std::mutex gathering;
std::deque<std::coroutine_handle<>> gathered;

/* All but the last to come here wait, so that the last finds the lock free and nobody in its list. */
struct Gather {
	bool await_ready() const noexcept
	{
		return false;
	}

	bool await_suspend(std::coroutine_handle<> handle) const
	{
		std::lock_guard hold(gathering);

		if (gathered.size() + 1 == nr_coroutines)
			return false;
		gathered.push_back(handle);
		return true;
	}

	void await_resume() const noexcept
	{
	}
};

void release_gathered()
{
	std::lock_guard hold(gathering);

	for (std::coroutine_handle<> handle : gathered)
		schedule(handle);
}

Task use()
{
	for (int round = 0;; round++) {
		if (round == nr_rounds)
			co_await Gather{};
		co_await Hop{};
		co_await Lock{}; // here
		unlock(round == nr_rounds);
		if (round == nr_rounds)
			release_gathered();
	}
}

void work()
{
	for (;;)
		next().resume();
}
} // namespace

int main(int, char **argv)
{
	corotracer::InitTracer();
	nr_coroutines = std::strtoul(argv[1], nullptr, 10);
	for (size_t i = 0; i < nr_coroutines; i++)
		use();
	std::thread(work).detach();
	std::thread(work).detach();
	std::this_thread::sleep_for(std::chrono::seconds(5));
	std::_Exit(3);
}
