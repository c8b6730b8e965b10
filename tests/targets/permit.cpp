/* SPDX-License-Identifier: MIT */
/*
 * Tasks share one permit; each wakes the next task when it gives the permit back. One of them is woken and cancelled,
 * and ends without waking the next: the others wait forever, while the program goes on until a time.
 *
 *	permit lost|untold|passed
 *
 * lost: as described; the permit is recorded. untold: the same, but only waits and wakes are recorded. passed: the
 * cancelled task passes the permit on, and all tasks end. The program goes on for a second and a half plus twenty times
 * the duration of the tasks; then it kills itself by a signal.
 */
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <thread>

#include "coroTracer.h"

namespace
{
const int nr_tasks = 20, nr_cancelled = 15;
bool is_told, is_passed_on;

std::deque<std::coroutine_handle<>> queue;

void make_ready(std::coroutine_handle<> handle)
{
	corotracer::wake(handle);
	queue.push_back(handle);
}

void run_ready()
{
	while (!queue.empty()) {
		std::coroutine_handle<> handle = queue.front();

		queue.pop_front();
		handle.resume();
	}
}

struct Plain {
	std::suspend_always initial_suspend() noexcept
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

struct Task {
	struct Promise : Plain {
		Task get_return_object()
		{
			return {std::coroutine_handle<Promise>::from_promise(*this)};
		}
	};
	using promise_type = corotracer::traced<Promise>;
	std::coroutine_handle<> handle;
};

struct Permit {
	bool is_free = true;
	std::deque<std::coroutine_handle<>> waiters;

	struct Acquire {
		Permit &permit;

		bool await_ready() const
		{
			return permit.is_free;
		}
		void await_suspend(std::coroutine_handle<> handle) const
		{
			permit.waiters.push_back(handle);
		}
		void await_resume() const
		{
		}
		std::uint64_t corotracer_resource() const noexcept
		{
			return is_told ? corotracer::semaphore(&permit) : 0;
		}
	};

	Acquire acquire()
	{
		return Acquire{*this};
	}
	void take()
	{
		is_free = false;
		if (is_told)
			corotracer::acquire(corotracer::current_id(), corotracer::semaphore(this));
	}
	void release()
	{
		is_free = true;
		if (is_told)
			corotracer::release(corotracer::current_id(), corotracer::semaphore(this));
		if (waiters.empty())
			return;
		std::coroutine_handle<> first = waiters.front();
		waiters.pop_front();
		make_ready(first);
	}
} permit;

/* Lets other tasks run first. */
struct Turn {
	bool await_ready() const
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle) const
	{
		make_ready(handle);
	}
	void await_resume() const
	{
	}
	static constexpr bool corotracer_yields = true;
};

Task use_permit(int number)
{
	co_await permit.acquire();
	if (number == nr_cancelled) {
		if (is_passed_on)
			permit.release();
		co_return;
	}
	permit.take();
	co_await Turn{};
	permit.release();
}

struct Tick {
	std::coroutine_handle<> *handle;

	bool await_ready() const
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> waiting) const
	{
		*handle = waiting;
	}
	void await_resume() const
	{
	}
	std::uint64_t corotracer_resource() const noexcept
	{
		return corotracer::timer(1);
	}
};

std::coroutine_handle<> ticker;

Task tick()
{
	for (;;)
		co_await Tick{&ticker};
}
} // namespace

int main(int argc, char **argv)
{
	using clock = std::chrono::steady_clock;

	is_told = argc > 1 && strcmp(argv[1], "untold") != 0;
	is_passed_on = argc > 1 && strcmp(argv[1], "passed") == 0;
	corotracer::InitTracer();
	auto began = clock::now();
	queue.push_back(tick().handle);
	for (int number = 0; number < nr_tasks; number++)
		queue.push_back(use_permit(number).handle);
	run_ready();
	auto until = clock::now() + std::chrono::milliseconds(1500) + 20 * (clock::now() - began);
	while (clock::now() < until) {
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
		make_ready(ticker);
		run_ready();
	}
	raise(SIGTERM);
	return 1;
}
