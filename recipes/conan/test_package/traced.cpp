/* SPDX-License-Identifier: MIT */
#include <coroTracer.h>

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
		}
	};
};

static Task wait()
{
	co_await std::suspend_always{};
}

int main()
{
	corotracer::InitTracer();
	wait();
}
