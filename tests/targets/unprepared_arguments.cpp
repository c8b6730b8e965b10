// SPDX-License-Identifier: MIT
// A program that nobody prepared, whose coroutines have arguments of many types. The output is "{}"; it ends when it is
// killed.
#include <coroutine>
#include <cstdio>
#include <memory_resource>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "unprepared_task.h"

enum class Mode { quiet, loud = 7 };

std::vector<std::coroutine_handle<>> waiting;

struct Park {
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		waiting.push_back(handle);
	}
	void await_resume()
	{
	}
};

Task work(int number, bool done, unsigned char byte, Mode mode, double share, const int *pointer,
	std::string name, long long large)
{
	int twice_1_2 = number * 2;
	co_await Park{};
	std::printf("%d %d %d %d %g %p %s %lld %d\n", number, done, byte, static_cast<int>(mode),
		share, static_cast<const void *>(pointer), name.c_str(), large, twice_1_2);
}

Task read(std::string_view view, const std::string &behind, const std::string &gone,
	const std::pmr::string &other)
{
	co_await Park{};
	std::printf("%c %s %zu %s\n", view[0], behind.c_str(), gone.size(), other.c_str());
}

Task bare()
{
	co_await Park{};
	std::puts("bare");
}

int main()
{
	static const std::string behind =
		"für alle, die hier auf ihre Bestellung noch lange warten";
	static const std::string gone = "\x01\xff";
	static const std::pmr::string other = "allocated by a resource of its own";

	for (int i = 0; i < 3; i++)
		work(i - 2, i == 1, 200, i ? Mode::loud : Mode::quiet, 0.25, nullptr, "text",
			1LL << 40);
	read("a \"view\"", behind, gone, other);
	bare();
	std::puts("{}");
	std::fflush(stdout);
	for (;;)
		pause();
	for (auto handle : waiting)
		handle.resume();
}
