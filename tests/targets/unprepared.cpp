// SPDX-License-Identifier: MIT
// A program that nobody prepared: coroutines of C++20, no probe. Each await writes down its line, and the program says
// at which line which frame waits, as JSON on one line: {"frames": {"0x55...": 71}, "closed": 47}.
//
// unprepared [busy|end]: busy: a thread resumes other coroutines all the time. end: abort() after the line.
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace
{

std::map<void *, int> lines; // of frames that wait
std::vector<std::coroutine_handle<>> ready;

void waits(std::coroutine_handle<> handle, int line)
{
	lines[handle.address()] = line;
}

struct [[nodiscard]] Task {
	struct promise_type {
		std::coroutine_handle<> continuation;
		Task get_return_object()
		{
			return Task{std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		auto final_suspend() noexcept
		{
			struct Final {
				bool await_ready() noexcept
				{
					return false;
				}
				std::coroutine_handle<> await_suspend(
					std::coroutine_handle<promise_type> handle) noexcept
				{
					lines.erase(handle.address());
					auto next = handle.promise().continuation;
					return next ? next : std::noop_coroutine();
				}
				void await_resume() noexcept
				{
				}
			};
			return Final{};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
			std::terminate();
		}
	};

	explicit Task(std::coroutine_handle<promise_type> made) : handle(made)
	{
	}
	Task(Task &&other) noexcept : handle(std::exchange(other.handle, {}))
	{
	}
	~Task()
	{
		if (handle)
			handle.destroy();
	}
	std::coroutine_handle<promise_type> handle;
};

struct Join {
	explicit Join(Task awaited, int at = __builtin_LINE()) : task(std::move(awaited)), line(at)
	{
	}
	bool await_ready()
	{
		return false;
	}
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter)
	{
		waits(waiter, line);
		task.handle.promise().continuation = waiter;
		return task.handle;
	}
	void await_resume()
	{
	}
	Task task;
	int line;
};

struct AsyncRead {
	explicit AsyncRead(int descriptor, int at = __builtin_LINE()) : fd(descriptor), line(at)
	{
	}
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		waits(handle, line);
	}
	int await_resume()
	{
		return fd;
	}
	int fd;
	int line;
};

struct Turn {
	explicit Turn(int at = __builtin_LINE()) : line(at)
	{
	}
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		waits(handle, line);
		ready.push_back(handle);
	}
	void await_resume()
	{
	}
	int line;
};

Task read_line(int fd, std::string name)
{
	co_await Turn{};
	int got = co_await AsyncRead{fd};
	std::printf("%d of %s\n", got, name.c_str());
}

Task session(int fd)
{
	for (int i = 0; i < 3; i++) {
		co_await Turn{};
		if (i == 1)
			co_await Join{read_line(fd, "session " + std::to_string(fd))};
	}
	co_await AsyncRead{-1};
}

Task branches(int number)
{
	std::unique_ptr<int> kept = std::make_unique<int>(number);
	switch (number % 3) {
	case 0:
		co_await AsyncRead{0};
		break;
	case 1: {
		auto lambda = [](int inner) -> Task {
			co_await Turn{};
			co_await AsyncRead{inner % 2};
		};
		co_await Join{lambda(*kept)};
		break;
	}
	default:
		while (true)
			co_await Turn{};
	}
}

// Runs for as long as the program does, so it is not among the lines.
struct Spinner {
	struct promise_type {
		Spinner get_return_object()
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
			std::terminate();
		}
	};
	std::coroutine_handle<promise_type> handle;
};

Spinner spin(volatile unsigned long *turns)
{
	for (;;) {
		*turns = *turns + 1;
		co_await std::suspend_always{};
	}
}

[[gnu::noinline]] void count(volatile unsigned long *turns)
{
	*turns = *turns + 1;
}

Spinner call(volatile unsigned long *turns)
{
	for (;;) {
		count(turns);
		co_await std::suspend_always{};
	}
}

Task compute(volatile unsigned long *turns)
{
	co_await Turn{};
	for (;;)
		count(turns);
}

Task wait_for_result(volatile unsigned long *turns)
{
	co_await Join{compute(turns)};
}

// What a coroutine that ran here has left on the stack is in the room.
[[gnu::noinline]] void wait_above_what_is_left()
{
	volatile char room[65536];
	room[0] = 0;
	for (;;)
		pause();
}

void turn()
{
	for (auto handle : std::exchange(ready, {}))
		handle.resume();
}

void say(size_t nr_closed)
{
	const char *comma = "";
	std::printf("{\"frames\": {");
	for (auto [frame, line] : lines) {
		std::printf("%s\"%p\": %d", comma, frame, line);
		comma = ", ";
	}
	std::printf("}, \"closed\": %zu}\n", nr_closed);
	std::fflush(stdout);
}

// Until then the coroutine that computes has not begun, and may not be looked for.
void say_once_it_counts(const volatile unsigned long *turns, size_t nr_closed)
{
	while (*turns == 0)
		std::this_thread::yield();
	say(nr_closed);
}

} // namespace

int main(int argc, char **argv)
{
	const std::string how = argc > 1 ? argv[1] : "";
	const int nr_sessions = 47, first_descriptor = 900;
	std::vector<Task> tasks;
	for (int i = 0; i < nr_sessions; i++)
		tasks.push_back(session(first_descriptor + i)); // of which none is open
	for (int i = 0; i < 30; i++)
		tasks.push_back(branches(i));
	for (auto &task : tasks)
		task.handle.resume();
	tasks.push_back(session(1)); // never begun
	for (int i = 0; i < 4; i++)
		turn();
	volatile unsigned long turns = 0;
	std::thread worker;
	if (how == "busy")
		worker = std::thread([&turns] {
			std::vector<Spinner> spinners;
			for (int i = 0; i < 50; i++)
				spinners.push_back(spin(&turns));
			for (;;)
				for (auto &spinner : spinners)
					spinner.handle.resume();
		});
	Spinner caller = call(&turns);
	if (how == "left")
		caller.handle.resume();
	std::thread speaker;
	if (how == "computes")
		speaker = std::thread(say_once_it_counts, &turns, nr_sessions);
	else
		say(nr_sessions);
	if (how == "left")
		wait_above_what_is_left();
	if (how == "computes") {
		Task waiting = wait_for_result(&turns);
		waiting.handle.resume();
		turn();
	}
	while (how == "ticks") {
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
		caller.handle.resume();
	}
	while (how == "polls")
		count(&turns);
	if (how == "end")
		std::abort();
	for (;;)
		pause();
}
