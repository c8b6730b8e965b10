/* SPDX-License-Identifier: MIT */
/*
 * Healthy programs that work: numbers through rings and mailboxes, many jobs and their results, a mutex
 * that all want, barriers, broadcasts.
 */
#include <atomic>
#include <memory>
#include <vector>

#include "barrier.h"
#include "call.h"
#include "mailbox.h"
#include "mutex.h"
#include "ring_buffer.h"
#include "runtime.h"
#include "scenarios.h"
#include "yield.h"

namespace
{

Job produce(RingBuffer &ring, uint64_t count, std::atomic<int> &nr_producers)
{
	for (uint64_t number = 0; number < count; number++)
		co_await ring.push(number);
	if (nr_producers.fetch_sub(1) == 1)
		ring.close();
}

Job consume(Runtime &runtime, RingBuffer &ring, std::atomic<uint64_t> &sum)
{
	while (auto number = co_await ring.pop()) {
		sum.fetch_add(*number, std::memory_order_relaxed);
		runtime.census().note_progress();
	}
}

Job send(Mailbox &mailbox, uint64_t count)
{
	for (uint64_t message = 1; message <= count; message++)
		mailbox.post(message);
	co_return;
}

Job receive(Runtime &runtime, Mailbox &mailbox, uint64_t count, uint64_t expected)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t message = co_await mailbox.receive();

		sum += message;
		runtime.census().note_progress();
	}
	runtime.must_be(sum == expected, "each message came once");
}

/* A subroutine that suspends. */
Call<uint64_t> square(Runtime &runtime, uint64_t number)
{
	co_await Yield(runtime);
	co_return number *number;
}

Job compute(Runtime &runtime, uint64_t number, uint64_t &result)
{
	uint64_t twice = co_await square(runtime, number);

	result = co_await square(runtime, twice);
	runtime.census().note_progress();
}

Job fan_out(Runtime &runtime, unsigned nr_children, bool &is_right)
{
	std::vector<uint64_t> results(nr_children);
	std::vector<Job> children;

	for (unsigned i = 0; i < nr_children; i++) {
		children.push_back(compute(runtime, i, results[i]));
		children.back().start(runtime);
	}
	for (const Job &child : children)
		co_await child.join();
	is_right = true;
	for (uint64_t i = 0; i < nr_children; i++)
		is_right = is_right && results[i] == i * i * i * i;
}

Job count_up(Runtime &runtime, Mutex &mutex, uint64_t &counter, int nr_rounds)
{
	for (int round = 0; round < nr_rounds; round++) {
		Mutex::Guard guard = co_await mutex.hold();

		counter++;
		if (round % 8 == 0)
			co_await Yield(runtime);
		runtime.census().note_progress();
	}
}

using Barriers = std::vector<std::unique_ptr<Barrier>>;

Job march(Runtime &runtime, const Barriers &barriers)
{
	for (const auto &barrier : barriers) {
		bool is_last = co_await barrier->arrive();

		if (is_last)
			runtime.census().note_progress();
	}
}

Job await_start(Runtime &runtime, Event &start)
{
	co_await start.wait();
	runtime.census().note_progress();
}

Job take_turns(Runtime &runtime, int nr_turns)
{
	for (int turn = 0; turn < nr_turns; turn++) {
		runtime.census().note_progress();
		co_await Yield(runtime);
	}
}

void start_all(Runtime &runtime, std::vector<Job> &jobs)
{
	for (Job &job : jobs)
		job.start(runtime);
}

} // namespace

void play_producer_consumer(Runtime &runtime)
{
	constexpr uint64_t count = 10000;
	RingBuffer ring(runtime, 16);
	std::atomic<int> nr_producers{2};
	std::atomic<uint64_t> sum{0};
	std::vector<Job> jobs;

	for (int i = 0; i < 2; i++) {
		jobs.push_back(consume(runtime, ring, sum));
		jobs.push_back(produce(ring, count, nr_producers));
	}
	start_all(runtime, jobs);
	runtime.wait_for_end();
	runtime.must_be(sum == count * (count - 1), "each number came through once");
}

void play_mailboxes(Runtime &runtime)
{
	constexpr uint64_t count = 3000;
	Mailbox first(runtime), second(runtime);
	std::vector<Job> jobs;

	for (Mailbox *mailbox : {&first, &second}) {
		jobs.push_back(receive(runtime, *mailbox, 2 * count, count * (count + 1)));
		jobs.push_back(send(*mailbox, count));
		jobs.push_back(send(*mailbox, count));
	}
	start_all(runtime, jobs);
	runtime.wait_for_end();
}

void play_fan_out(Runtime &runtime)
{
	constexpr int nr_rounds = 5;
	bool is_right[nr_rounds] = {};
	std::vector<Job> jobs;

	for (bool &result : is_right)
		jobs.push_back(fan_out(runtime, 100, result));
	start_all(runtime, jobs);
	runtime.wait_for_end();
	for (bool result : is_right)
		runtime.must_be(result, "each child has computed its part");
}

void play_contention(Runtime &runtime)
{
	constexpr int nr_jobs = 8, nr_rounds = 500;
	Mutex mutex(runtime);
	uint64_t counter = 0;
	std::vector<Job> jobs;

	for (int i = 0; i < nr_jobs; i++)
		jobs.push_back(count_up(runtime, mutex, counter, nr_rounds));
	start_all(runtime, jobs);
	runtime.wait_for_end();
	runtime.must_be(counter == nr_jobs * nr_rounds, "the mutex excludes");
}

void play_barriers(Runtime &runtime)
{
	constexpr unsigned nr_jobs = 12, nr_rounds = 50;
	Barriers barriers;
	std::vector<Job> jobs;

	for (unsigned i = 0; i < nr_rounds; i++)
		barriers.push_back(std::make_unique<Barrier>(runtime, nr_jobs));
	for (unsigned i = 0; i < nr_jobs; i++)
		jobs.push_back(march(runtime, barriers));
	start_all(runtime, jobs);
	runtime.wait_for_end();
}

void play_broadcast(Runtime &runtime)
{
	for (int round = 0; round < 15; round++) {
		Event start(runtime);
		std::vector<Job> jobs;

		for (int i = 0; i < 40; i++)
			jobs.push_back(await_start(runtime, start));
		start_all(runtime, jobs);
		runtime.wait_until_quiet();
		start.set();
		runtime.wait_for_end();
	}
}

void play_yields(Runtime &runtime)
{
	std::vector<Job> jobs;

	for (int i = 0; i < 6; i++)
		jobs.push_back(take_turns(runtime, 2000));
	start_all(runtime, jobs);
	runtime.wait_for_end();
}
