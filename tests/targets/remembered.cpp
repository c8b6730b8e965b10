// SPDX-License-Identifier: MIT
// A program with a probe and a flight recorder, for what its core dump says. One line of JSON tells which frame waits
// at which line, and by which number its probe knows it; 0: it has no probe.
//
// remembered [end|wait] RECORDER BYTES: end: abort() after the line. RECORDER: "" for memory without a name, or a file.
#include <coroutine>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unistd.h>
#include <vector>

#include "coroTracer.h"

namespace
{
struct place {
	int line;
	std::uint64_t number;
	const char *since; // "early", "late" or "unknown"
};

std::map<void *, place> places; // of frames that wait
const char *since = "early";

struct Stop {
	bool await_ready() const noexcept
	{
		return false;
	}
	template <class Promise>
	void await_suspend(std::coroutine_handle<Promise> handle) const noexcept
	{
		std::uint64_t number = 0;

		if constexpr (requires { handle.promise().corotracer_id(); })
			number = handle.promise().corotracer_id();
		places[handle.address()] = {line, number, since};
	}
	void await_resume() const noexcept
	{
	}
	int line;
};

template <class Base> struct Task {
	struct promise_type : Base {
		Task get_return_object()
		{
			return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
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
	std::coroutine_handle<promise_type> handle;
};

struct nothing {
};
using Known = Task<corotracer::PromiseMixin>;
using Unknown = Task<nothing>;

Known session(int number)
{
	char room[64] = {static_cast<char>(number)};

	co_await Stop{__LINE__};
	std::printf("%d", room[0]);
}

// clang puts the beginning of a function that is called once into its caller, and with it the place.
__attribute__((noinline)) Unknown stranger()
{
	co_await Stop{__LINE__};
	std::puts("on");
}

// Goes on and on, so that the recorder forgets what was before.
Known busy()
{
	for (;;)
		co_await Stop{__LINE__};
}

void tell()
{
	const char *comma = "";

	std::printf("{\"pid\": %d, \"frames\": {", static_cast<int>(getpid()));
	for (const auto &[frame, place] : places) {
		std::printf("%s\"0x%lx\": [%d, %lu, \"%s\"]", comma,
			static_cast<unsigned long>(reinterpret_cast<std::uintptr_t>(frame)),
			place.line, static_cast<unsigned long>(place.number), place.since);
		comma = ", ";
	}
	std::printf("}}\n");
	std::fflush(stdout);
}
} // namespace

int main(int argc, char **argv)
{
	if (argc != 4 || !corotracer::InitTracer({argv[2], std::strtoul(argv[3], nullptr, 10)}))
		return 2;
	for (int number = 0; number < 47; number++)
		session(number);
	Known runner = busy();
	for (int turn = 0; turn < 200000; turn++)
		runner.handle.resume();
	since = "late";
	for (int number = 0; number < 11; number++)
		session(number);
	since = "unknown";
	for (int number = 0; number < 5; number++)
		stranger();
	places[runner.handle.address()].since = "late";
	tell();
	if (std::strcmp(argv[1], "end") == 0)
		std::abort();
	pause();
}
