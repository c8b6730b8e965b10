// SPDX-License-Identifier: MIT
// A program that nobody prepared, with fibers of Boost, no probe. The output is how many wait at which line, as JSON
// on one line: {"24": 500, "32": 500}. With an argument the program then waits for the first of them, by which its
// thread goes to the stack of the library's scheduler.
#include <boost/fiber/all.hpp>
#include <cstdio>
#include <map>
#include <mutex>
#include <unistd.h>
#include <vector>

namespace
{

std::map<int, int> lines;
boost::fibers::mutex lock;
boost::fibers::condition_variable changed;
boost::fibers::buffered_channel<int> numbers(16);
bool is_done;

void wait_for_change()
{
	std::unique_lock<boost::fibers::mutex> held(lock);
	lines[__LINE__ + 2]++;
	while (!is_done)
		changed.wait(held);
}

void wait_for_number()
{
	int number;
	lines[__LINE__ + 1]++;
	numbers.pop(number);
}

} // namespace

int main(int argc, char **)
{
	std::vector<boost::fibers::fiber> all;
	for (int i = 0; i < 500; i++) {
		all.emplace_back(wait_for_change);
		all.emplace_back(wait_for_number);
	}
	for (int i = 0; i < 300; i++)
		boost::fibers::fiber([] { boost::this_fiber::yield(); }).join();
	const char *comma = "{";
	for (auto [line, count] : lines) {
		std::printf("%s\"%d\": %d", comma, line, count);
		comma = ", ";
	}
	std::puts("}");
	std::fflush(stdout);
	if (argc > 1)
		all.front().join();
	for (;;)
		pause();
}
