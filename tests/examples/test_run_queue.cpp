/* SPDX-License-Identifier: MIT */
/*
 * The queues under contention: one owner, several thieves; each task must come out exactly once. The tasks are numbers
 * that look like addresses, and are never resumed. Under the thread sanitizer, the test also checks the memory orders.
 */
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <thread>
#include <vector>

#include "run_queue.h"

namespace
{

constexpr uint64_t nr_tasks = 100000;
constexpr unsigned nr_thieves = 3;

unsigned nr_failures;

void check(bool condition, const char *what)
{
	if (condition)
		return;
	std::fprintf(stderr, "not true: %s\n", what);
	nr_failures++;
}

/* Addresses, aligned like promises; 0 would mean no task. */
Scheduled *task_of(uint64_t number)
{
	return reinterpret_cast<Scheduled *>((number + 1) * 16);
}

uint64_t number_of(const Scheduled *task)
{
	return reinterpret_cast<uintptr_t>(task) / 16 - 1;
}

/* Everything that one thread took, in its order. */
using Taken = std::vector<uint64_t>;

/* The owner leaves most of its tasks to the thieves: it takes two back only when the queue is full. */
void own(LocalQueue &queue, Taken &taken)
{
	uint64_t next = 0;

	while (next < nr_tasks) {
		while (next < nr_tasks && queue.push(task_of(next)))
			next++;
		std::this_thread::yield();
		for (unsigned i = 0; i < 2; i++)
			if (Scheduled *task = queue.pop())
				taken.push_back(number_of(task));
	}
	while (Scheduled *task = queue.pop())
		taken.push_back(number_of(task));
}

void steal(LocalQueue &victim, const std::atomic<bool> &is_over, Taken &taken)
{
	LocalQueue own_queue;

	while (!is_over.load(std::memory_order_acquire)) {
		Scheduled *task = victim.steal_into(own_queue);

		if (!task)
			std::this_thread::yield();
		for (; task; task = own_queue.pop())
			taken.push_back(number_of(task));
	}
}

void check_each_once(const std::vector<Taken> &all)
{
	std::vector<unsigned> seen(nr_tasks);

	for (const Taken &taken : all)
		for (uint64_t number : taken)
			seen[number]++;
	for (uint64_t number = 0; number < nr_tasks; number++)
		if (seen[number] != 1)
			return check(false, "each task comes out exactly once");
	for (const Taken &taken : all)
		check(std::is_sorted(taken.begin(), taken.end()), "the oldest is taken first");
}

void test_contention()
{
	LocalQueue queue;
	std::atomic<bool> is_over{false};
	std::latch all_are_there(1 + nr_thieves);
	std::vector<Taken> all(1 + nr_thieves);
	std::vector<std::thread> thieves;

	for (unsigned i = 1; i <= nr_thieves; i++)
		thieves.emplace_back([&, i] {
			all_are_there.arrive_and_wait();
			steal(queue, is_over, all[i]);
		});
	all_are_there.arrive_and_wait();
	own(queue, all[0]);
	is_over.store(true, std::memory_order_release);
	for (std::thread &thief : thieves)
		thief.join();
	check_each_once(all);
}

void test_half_is_stolen()
{
	LocalQueue victim, thief;

	for (uint64_t number = 0; number < 5; number++)
		check(victim.push(task_of(number)), "there is room");
	check(number_of(victim.steal_into(thief)) == 0, "the oldest is returned");
	check(number_of(thief.pop()) == 1 && number_of(thief.pop()) == 2, "the others follow");
	check(!thief.pop() && thief.is_empty(), "no more than half was stolen");
	check(number_of(victim.pop()) == 3, "the younger half stays");
}

void test_full_and_empty()
{
	LocalQueue queue, other;
	uint64_t number = 0;

	check(queue.is_empty() && !queue.pop() && !queue.steal_into(other), "empty at first");
	while (queue.push(task_of(number)))
		number++;
	check(number == LocalQueue::capacity, "holds as many as it says");
	check(number_of(queue.pop()) == 0, "first in, first out");
	check(queue.push(task_of(number)), "room again");
}

void test_injection()
{
	InjectionQueue queue;

	check(queue.is_empty() && !queue.pop(), "empty at first");
	queue.push(task_of(7));
	queue.push(task_of(8));
	check(!queue.is_empty() && number_of(queue.pop()) == 7, "first in, first out");
	check(number_of(queue.pop()) == 8 && queue.is_empty(), "empty again");
}

} // namespace

int main()
{
	test_full_and_empty();
	test_half_is_stolen();
	test_injection();
	test_contention();
	return nr_failures == 0 ? 0 : 1;
}
