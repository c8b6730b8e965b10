// SPDX-License-Identifier: MIT
// A program that nobody prepared, whose coroutines have local variables in blocks, loops and branches. Each await is
// told the variables that are in use there: {"0x55...": {"i": "3", "deep": "true"}}. It ends when it is killed.
#include <array>
#include <coroutine>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include "unprepared_task.h"

namespace
{
enum class Mode { quiet, loud = 7 };

std::map<void *, std::string> told; // of frames that wait
std::vector<std::coroutine_handle<>> waiting;
void *left[64];

std::string word(bool value)
{
	return value ? "true" : "false";
}

std::string word(Mode value)
{
	return value == Mode::loud ? "loud" : "quiet";
}

std::string word(const int *value)
{
	char text[32];

	std::snprintf(text, sizeof(text), "%p", static_cast<const void *>(value));
	return value ? text : "0x0";
}

std::string word(const std::string &value)
{
	return "\\\"" + value + "\\\"";
}

template <class Number> std::string word(Number value)
{
	return std::to_string(value);
}

std::string pairs()
{
	return "";
}

template <class Value, class... Rest> std::string pairs(const char *name, Value value, Rest... rest)
{
	std::string others = pairs(rest...);

	return std::string("\"") + name + "\": \"" + word(value) + "\"" +
	       (others.empty() ? "" : ", ") + others;
}

struct Park {
	template <class... Rest> explicit Park(Rest... rest) : text(pairs(rest...))
	{
	}
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle)
	{
		told[handle.address()] = text;
		waiting.push_back(handle);
	}
	int await_resume()
	{
		return 5;
	}
	std::string text;
};

Task blocks(int number)
{
	int before = number * 10;
	for (int i = 0; i < 5; i++) {
		int inner = i + before;
		if (number == 1) {
			co_await Park{"before", before, "i", i, "inner", inner};
			std::fprintf(stderr, "%d\n", inner);
		}
		if (inner > 3) {
			bool deep = inner % 2 == 0;
			co_await Park{"before", before, "i", i, "inner", inner, "deep", deep};
			std::fprintf(stderr, "%d\n", deep);
		}
	}
	int after = before + 7;
	{
		unsigned char inner = static_cast<unsigned char>(after * 3);
		co_await Park{"before", before, "after", after, "inner", inner};
		std::fprintf(stderr, "%d\n", inner);
	}
	long last = after + co_await Park{"before", before, "after", after};
	co_await Park{"before", before, "after", after, "last", last};
	std::fprintf(stderr, "%d %d %ld\n", before, after, last);
}

Task branches(int number, const int *given)
{
	const int *kept = given;
	Mode mode = number % 2 ? Mode::loud : Mode::quiet;
	std::string text = "text";
	switch (number % 4) {
	case 0: {
		int zero = number + 100;
		co_await Park{"kept", kept, "mode", mode, "text", text, "zero", zero};
		std::fprintf(stderr, "%d\n", zero);
		break;
	}
	case 1: {
		long long zero = 1LL << 40;
		co_await Park{"kept", kept, "mode", mode, "text", text, "zero", zero};
		std::fprintf(stderr, "%lld\n", zero);
		break;
	}
	default:
		while (true) {
			int turn = number;
			co_await Park{"kept", kept, "mode", mode, "text", text, "turn", turn};
			int late = turn + 1;
			std::fprintf(stderr, "%d\n", late);
			number++;
			if (number > 1000)
				break;
		}
	}
	int unused = number + 3;
	(void)unused;
	co_await Park{"kept", kept, "mode", mode, "text", text, "unused", unused};
	std::fprintf(stderr, "%s\n", text.c_str());
}

/* What the reply is made of comes with the await on the line below. */
Task replies(int number)
{
	std::string early = "early";
	std::string reply_that_is_made_of_what_the_await_gives =
		word(number + co_await Park{"early", early});
	std::fprintf(stderr, "%s %s\n", early.c_str(),
		reply_that_is_made_of_what_the_await_gives.c_str());
}

template <class Number> Task sums(Number from)
{
	std::array<Number, 3> all = {from, from, from};
	Number sum = 0;
	for (Number each : all) {
		sum += each;
		co_await Park{"sum", sum, "each", each};
	}
	std::fprintf(stderr, "%d\n", static_cast<int>(sum));
}

Task lambdas(int number)
{
	auto inner = [](int outer) -> Task {
		int own = outer * 2;
		co_await Park{"own", own};
		own++;
		co_await Park{"own", own};
	};
	for (int i = 0; i < 3; i++) {
		inner(i + number);
		co_await Park{"i", i};
	}
	for (int i = 10; i < 13; i++)
		co_await Park{"i", i};
	int i = 3;
	co_await Park{"i", i};
}
} // namespace

int main()
{
	static const int constant = 3;

	for (int number = 0; number < 24; number++) {
		blocks(number);
		branches(number, number % 3 ? &constant : nullptr);
		sums(number + 1);
		sums(static_cast<unsigned short>(number + 1));
		lambdas(number);
		replies(number);
	}
	/* Some go on, so that they wait at later places: how often, depends on their number. */
	for (size_t i = 0; i < waiting.size() && waiting.size() < 400; i++)
		if (i % 3)
			waiting[i].resume();
	/* What an ended frame begins with, as it is left over where memory serves another purpose since. */
	for (auto handle : waiting)
		if (handle.done())
			std::memcpy(left, handle.address(), 2 * sizeof(void *));
	std::string line;
	for (auto &[frame, text] : told) {
		char address[32];

		std::snprintf(address, sizeof(address), "\"%p\": {", frame);
		line += (line.empty() ? "" : ", ") + std::string(address) + text + "}";
	}
	std::printf("{%s}\n", line.c_str());
	std::fflush(stdout);
	for (;;)
		pause();
}
