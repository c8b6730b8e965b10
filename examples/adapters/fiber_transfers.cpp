/* SPDX-License-Identifier: MIT */
/*
 * Boost.Fiber, traced by its adapter alone: two transfers between two accounts, whose mutexes are the library's own, so
 * that a trace does not name them. A clock goes on until both transfers have ended.
 *
 * usage: example-fiber-transfers [cross]
 *
 * cross: the transfers take the mutexes in opposite orders, and wait for each other for ever.
 */
#include <chrono>
#include <mutex>
#include <string_view>

#include "corotracer/boost_fiber.h"

namespace
{

namespace fibers = boost::fibers;
using std::chrono_literals::operator""ms;

struct Account {
	fibers::mutex mutex;
	int money = 100;
};

void tick(const bool &is_over)
{
	while (!is_over)
		boost::this_fiber::sleep_for(10ms);
}

void transfer(Account &first, Account &second, int amount)
{
	std::unique_lock lock(first.mutex);

	boost::this_fiber::sleep_for(1ms);
	second.mutex.lock();
	first.money -= amount;
	second.money += amount;
	second.mutex.unlock();
}

} /* namespace */

int main(int argc, char **argv)
{
	bool crosses = argc > 1 && std::string_view(argv[1]) == "cross", is_over = false;
	Account alice, bob;

	fibers::use_scheduling_algorithm<corotracer::traced_algorithm<fibers::algo::round_robin>>();
	fibers::fiber clock([&] { tick(is_over); });
	fibers::fiber there([&] { transfer(alice, bob, 5); });
	fibers::fiber back(
		[&] { transfer(crosses ? bob : alice, crosses ? alice : bob, crosses ? 7 : -7); });

	there.join();
	back.join();
	is_over = true;
	clock.join();
	return alice.money == 102 || crosses ? 0 : 1;
}
