/* SPDX-License-Identifier: MIT */
/*
 * The same as hung_beside.py: while a clock goes on, one coroutine waits for ever, and another one until a line is
 * read; then it waits again. Says "ready", and "moved" when it does so. The end of the input ends the program.
 */
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "coroTracer.h"

namespace
{
struct task {
	struct promise_type : corotracer::PromiseMixin {
		task get_return_object()
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
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::abort();
		}
	};
};

struct gate {
	std::coroutine_handle<> waiter;

	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		waiter = handle;
	}
	void await_resume()
	{
	}
	void open()
	{
		std::coroutine_handle<> resumed = std::exchange(waiter, nullptr);

		corotracer::wake(resumed);
		if (resumed)
			resumed.resume();
	}
};

int used;

task clock_on(gate &tick)
{
	for (;;)
		co_await tick;
}

task hung(gate &never)
{
	int attempt = 7;

	co_await never;
	used += attempt;
}

task moves(gate &wakes, gate &never)
{
	int stage = 1;

	co_await wakes;
	stage++;
	co_await never;
	used += stage;
}
} // namespace

int main()
{
	gate tick, never, wakes, as_well;
	pollfd input = {STDIN_FILENO, POLLIN, 0};
	char line[16];

	corotracer::InitTracer();
	clock_on(tick);
	hung(never);
	moves(wakes, as_well);
	std::puts("ready");
	std::fflush(stdout);
	while (poll(&input, 1, 50) == 0 || read(STDIN_FILENO, line, sizeof(line)) > 0) {
		if (input.revents) {
			wakes.open();
			std::puts("moved"); // it waits again
			std::fflush(stdout);
		}
		tick.open();
	}
	_exit(used);
}
