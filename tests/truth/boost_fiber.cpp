/* SPDX-License-Identifier: MIT */
/*
 * Fibers of Boost.Fiber on four threads: a mutex and a condition, channels, barriers, joins, sleeps, yields. Traced by
 * the adapter. The program is correct: it ends by itself, with status 0 if its counts are right.
 *
 * usage: truth-boost-fiber [ROUNDS]
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "corotracer/boost_fiber.h"

namespace fibers = boost::fibers;

namespace
{

using Sharing = corotracer::traced_algorithm<fibers::algo::shared_work>;

constexpr unsigned nr_threads = 4;
constexpr unsigned nr_fibers = 8;

struct Shop {
	corotracer::traced_mutex<fibers::mutex> mutex;
	fibers::condition_variable_any filled;
	long items = 0, sold = 0;
};

void produce(Shop &shop, long rounds)
{
	for (long i = 0; i < rounds; i++) {
		{
			std::lock_guard lock(shop.mutex);
			shop.items++;
		}
		shop.filled.notify_one();
		if (i % 5 == 0)
			boost::this_fiber::yield();
	}
}

void consume(Shop &shop, long rounds)
{
	for (long i = 0; i < rounds; i++) {
		std::unique_lock lock(shop.mutex);

		shop.filled.wait(lock, [&shop] { return shop.items > 0; });
		shop.items--;
		shop.sold++;
	}
}

/* A pipe of limited room between two fibers; each part of the work has a fiber of its own. */
long pipe(long rounds)
{
	fibers::buffered_channel<long> channel(4);
	long sum = 0;
	fibers::fiber sender([&channel, rounds] {
		for (long i = 0; i < rounds; i++)
			channel.push(i);
		channel.close();
	});
	long value;

	while (channel.pop(value) == fibers::channel_op_status::success)
		sum += value;
	sender.join();
	return sum;
}

void meet(fibers::barrier &barrier, long rounds)
{
	for (long i = 0; i < rounds / 10; i++) {
		barrier.wait();
		if (i % 8 == 0)
			boost::this_fiber::sleep_for(std::chrono::microseconds(50));
	}
}

void work(Shop &shop, std::atomic<long> &sum, long rounds)
{
	fibers::barrier barrier(nr_fibers);
	std::vector<fibers::fiber> all;

	for (unsigned i = 0; i < nr_fibers; i++) {
		all.emplace_back([&shop, rounds] { produce(shop, rounds); });
		all.emplace_back([&shop, rounds] { consume(shop, rounds); });
		all.emplace_back([&sum, rounds] { sum += pipe(rounds); });
		all.emplace_back([&barrier, rounds] { meet(barrier, rounds); });
	}
	for (fibers::fiber &fiber : all)
		fiber.join();
}

} /* namespace */

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? std::atol(argv[1]) : 2000;
	std::atomic<long> sum = 0;
	std::atomic<bool> is_done = false;
	std::vector<std::thread> threads;
	Shop shop;

	for (unsigned i = 1; i < nr_threads; i++)
		threads.emplace_back([&is_done] {
			fibers::use_scheduling_algorithm<Sharing>();
			while (!is_done)
				boost::this_fiber::sleep_for(std::chrono::microseconds(100));
		});
	fibers::use_scheduling_algorithm<Sharing>();
	work(shop, sum, rounds);
	is_done = true;
	for (std::thread &thread : threads)
		thread.join();
	std::printf("sold %ld\n", shop.sold);
	return shop.sold == nr_fibers * rounds && sum == nr_fibers * (rounds * (rounds - 1) / 2)
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}
