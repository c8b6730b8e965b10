// SPDX-License-Identifier: MIT
// A program whose frames take more and more memory, for what a recording says of that over time. One line of JSON
// tells what a frame of each function takes by its operator new, how many there are at the end, and how many there
// were at most.
//
// growing_frames
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "coroTracer.h"

namespace
{
std::size_t taken; // by the last frame

struct Task {
	struct promise_type : corotracer::PromiseMixin {
		static void *operator new(std::size_t bytes)
		{
			taken = bytes;
			return std::malloc(bytes);
		}
		static void operator delete(void *frame)
		{
			std::free(frame);
		}
		Task get_return_object()
		{
			return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_never initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::abort();
		}
	};
	std::coroutine_handle<promise_type> handle;
};

Task keep(int number)
{
	char room[1000] = {static_cast<char>(number)};

	co_await std::suspend_always{};
	std::printf("%s", room + 999);
}

Task pass(int number)
{
	char room[100] = {static_cast<char>(number)};

	co_await std::suspend_always{};
	std::printf("%s", room + 99);
}

void rest()
{
	std::this_thread::sleep_for(std::chrono::milliseconds(100));
}
} // namespace

int main()
{
	corotracer::InitTracer();
	std::vector<Task> kept, passing;
	std::size_t kept_bytes = 0, passing_bytes = 0;

	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 20; i++)
			kept.push_back(keep(round));
		kept_bytes = taken;
		for (int i = 0; i < 50; i++)
			passing.push_back(pass(round));
		passing_bytes = taken;
		rest();
		for (Task &task : passing)
			task.handle.destroy();
		passing.clear();
	}
	std::printf(
		"{\"keep\": [%zu, 200, 200], \"pass\": [%zu, 0, 50]}\n", kept_bytes, passing_bytes);
	std::fflush(stdout);
	_Exit(0);
}
