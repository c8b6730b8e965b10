/* SPDX-License-Identifier: MIT */
/*
 * Healthy programs that end early: sleeps that are cancelled, generators left in the middle, coroutines whose objects
 * go out of scope while they are suspended, and a shutdown in the middle of work.
 */
#include <chrono>
#include <optional>
#include <vector>

#include <unistd.h>

#include "descriptor_wait.h"
#include "event.h"
#include "generator.h"
#include "mutex.h"
#include "pipe.h"
#include "ring_buffer.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

using std::chrono::milliseconds;

Job sleep_for(Runtime &runtime, milliseconds duration, uint64_t number)
{
	co_await runtime.timers().sleep(duration, number);
	runtime.census().note_progress();
}

Generator<uint64_t> count_from(uint64_t number)
{
	for (;;)
		co_yield number++;
}

Generator<uint64_t> first_of(Generator<uint64_t> numbers, int count)
{
	while (count-- > 0)
		co_yield *numbers.next();
}

/* One generator comes to its end with the other inside; a third is left in the middle. */
Job sum_up(Runtime &runtime, uint64_t number)
{
	Generator<uint64_t> endless = count_from(number);
	Generator<uint64_t> few = first_of(count_from(number), 10);
	uint64_t sum = *endless.next();

	while (const uint64_t *next = few.next()) {
		sum += *next;
		co_await runtime.timers().sleep(milliseconds(1));
	}
	if (sum > 0)
		runtime.census().note_progress();
}

Job wait_for(Event &event)
{
	co_await event.wait();
}

Job lock_once(Runtime &runtime, Mutex &mutex, Event &event)
{
	Mutex::Guard guard = co_await mutex.hold();

	co_await event.wait();
	runtime.census().note_progress();
}

Job pop_once(RingBuffer &ring)
{
	co_await ring.pop();
}

/* Waits for a pipe on which nothing ever comes; ends when the reactor does. */
Job read_nothing(Runtime &runtime, Pipe &pipe)
{
	Descriptor reader = runtime.reactor().open(pipe.take_reader());

	co_await UntilReadable(runtime.reactor(), reader);
	runtime.reactor().close(reader);
}

Job work_on(Runtime &runtime, Mutex &mutex)
{
	bool goes_on = true;

	while (goes_on) {
		Mutex::Guard guard = co_await mutex.hold();

		goes_on = co_await runtime.timers().sleep(milliseconds(2));
		runtime.census().note_progress();
	}
}

} // namespace

void play_timers(Runtime &runtime)
{
	std::vector<Job> sleepers;

	for (int i = 0; i < 200; i++) {
		sleepers.push_back(sleep_for(runtime, milliseconds(1 + i * 7 % 150), 0));
		sleepers.back().start(runtime);
	}
	runtime.wait_for_end();
}

void play_generators(Runtime &runtime)
{
	std::vector<Job> jobs;

	for (uint64_t i = 0; i < 20; i++) {
		jobs.push_back(sum_up(runtime, i));
		jobs.back().start(runtime);
	}
	runtime.wait_for_end();
}

void play_cancellation(Runtime &runtime)
{
	std::vector<Job> sleepers;
	std::vector<uint64_t> numbers;

	for (int i = 0; i < 50; i++) {
		numbers.push_back(runtime.timers().next_number());
		sleepers.push_back(sleep_for(runtime, std::chrono::minutes(1), numbers.back()));
		sleepers.back().start(runtime);
	}
	runtime.wait_until_quiet();
	for (uint64_t number : numbers)
		runtime.must_be(runtime.timers().cancel(number), "it was asleep");
	runtime.wait_for_end();
}

/* Never started; ended; waiting for an event, a mutex, a ring, a timer. */
void play_scopes(Runtime &runtime)
{
	Event never(runtime);
	Event enough(runtime);
	Mutex mutex(runtime);
	RingBuffer ring(runtime, 1);
	Job holder = lock_once(runtime, mutex, enough);
	std::optional<Job> last;

	holder.start(runtime);
	runtime.wait_until_quiet();
	{
		Job unused = wait_for(never);
		Job jobs[] = {wait_for(never), lock_once(runtime, mutex, never), pop_once(ring),
			sleep_for(runtime, std::chrono::minutes(1), 0)};

		for (Job &job : jobs)
			job.start(runtime);
		last.emplace(lock_once(runtime, mutex, enough));
		last->start(runtime);
		runtime.wait_until_quiet();
	}
	enough.set();
	runtime.wait_for_end();
}

void play_shutdown(Runtime &runtime)
{
	Mutex mutex(runtime);
	Event never(runtime);
	Pipe pipe;
	std::vector<Job> jobs;

	for (int i = 0; i < 6; i++)
		jobs.push_back(work_on(runtime, mutex));
	jobs.push_back(read_nothing(runtime, pipe));
	jobs.push_back(sleep_for(runtime, std::chrono::hours(1), 0));
	jobs.push_back(wait_for(never));
	for (Job &job : jobs)
		job.start(runtime);

	Job alarm = sleep_for(runtime, milliseconds(100), 0);

	alarm.start(runtime);
	runtime.wait_for(alarm);
	runtime.stop();
}
