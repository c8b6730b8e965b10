// SPDX-License-Identifier: MIT
//
// A coroutine that waits in an awaiter which the compiler takes into its body. All that is told of the wait is its
// return address. The lines that a report should name say so in a comment.
#include <coroutine>
#include <cstdint>
#include <cstdlib>

#include "corotracer/ctp_probe.h"
#include "corotracer/ctp_probe_cold.h"
#include "engine_beat.h"
#include "need.h"

#define TAKEN_IN inline __attribute__((always_inline))

namespace app
{

struct Task {
	struct promise_type {
		Task get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept
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

__attribute__((noinline)) static void suspend_here(std::uint64_t coro)
{
	ctp_suspend(coro, CTP_HANDLE(CTP_RESOURCE_EVENT, 0x70),
		ctp_site_address(__builtin_return_address(0), CTP_SITE_ADDRESS), CTP_POINT_AWAIT);
	__asm__ volatile("");
}

struct Awaiter {
	std::uint64_t coro;

	TAKEN_IN bool await_ready() noexcept
	{
		suspend_here(coro); // innermost
		__asm__ volatile("");
		return false;
	}
	TAKEN_IN void await_suspend(std::coroutine_handle<>) noexcept
	{
	}
	TAKEN_IN void await_resume() noexcept
	{
	}
};

[[gnu::noinline]] static Task serve(std::uint64_t coro)
{
	co_await Awaiter{coro}; // wait
}

} // namespace app

int main()
{
	std::uint64_t coro;

	NEED(ctp_attach());
	coro = ctp_coro_new();
	ctp_create(coro, 0, CTP_SITE("start"));
	ctp_resume(coro, CTP_POINT_INITIAL);
	app::serve(coro).handle.resume();
	wait_for_engine();
	return 0;
}
