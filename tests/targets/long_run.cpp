/* SPDX-License-Identifier: MIT */
/*
 * A worker runs eight coroutines in turns, until one of them takes long: `parse_json` has nine tenths of its time, and
 * `check_sum` the rest. All others are ready meanwhile.
 *
 *	long_run LENGTH_MS LIFE_MS
 *
 * The program ends LIFE_MS after its beginning, also in the middle of the run.
 */
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "coroTracer.h"

namespace
{
const int nr_coroutines = 8;
const int nr_rounds = 300;

std::chrono::milliseconds length;
std::atomic<bool> is_enough;
std::mutex guard;
std::condition_variable is_filled;
std::deque<std::coroutine_handle<>> queue;

void schedule(std::coroutine_handle<> handle)
{
	corotracer::wake(handle);
	std::lock_guard hold(guard);
	queue.push_back(handle);
	is_filled.notify_one();
}

std::coroutine_handle<> next()
{
	std::unique_lock hold(guard);

	while (queue.empty()) {
		corotracer::park();
		is_filled.wait(hold);
		corotracer::unpark();
	}
	std::coroutine_handle<> handle = queue.front();
	queue.pop_front();
	return handle;
}

struct Task {
	struct promise_type : corotracer::PromiseMixin {
		Task get_return_object() noexcept
		{
			return {};
		}
		std::suspend_never initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_never final_suspend() noexcept
		{
			return {};
		}
		void return_void() noexcept
		{
		}
		void unhandled_exception() noexcept
		{
			std::abort();
		}
	};
};

struct Hop {
	bool await_ready() const noexcept
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle) const
	{
		schedule(handle);
	}
	void await_resume() const noexcept
	{
	}
};

std::uint64_t result;

__attribute__((noinline)) std::uint64_t check_sum(std::uint64_t state)
{
	for (int i = 0; i < 10000; i++)
		state = state * 6364136223846793005u + 1442695040888963407u;
	return state;
}

__attribute__((noinline)) std::uint64_t parse_json(std::uint64_t state)
{
	for (int i = 0; i < 90000; i++)
		state = state * 6364136223846793005u + 1442695040888963407u; // hot
	return state;
}

void take_long()
{
	std::thread timer([] {
		std::this_thread::sleep_for(length);
		is_enough = true;
	});

	while (!is_enough)
		result = check_sum(parse_json(result));
	timer.join();
}

Task serve(int number)
{
	for (int round = 0; round < nr_rounds; round++) {
		co_await Hop{}; // here
		if (number == 3 && round == nr_rounds / 2)
			take_long();
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
	length = std::chrono::milliseconds(std::strtol(argv[1], nullptr, 10));
	std::thread(work).detach();
	for (int number = 0; number < nr_coroutines; number++)
		serve(number);
	std::this_thread::sleep_for(std::chrono::milliseconds(std::strtol(argv[2], nullptr, 10)));
	std::_Exit(0);
}
