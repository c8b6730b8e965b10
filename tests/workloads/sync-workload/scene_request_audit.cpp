/* SPDX-License-Identifier: MIT */
/*
 * Requests come at a steady rate, and each starts a second job that writes down how the request ended.
 *
 * With fault (m), a request that was found in the cache ends without notifying its second job, which waits forever.
 * Each leak is small, but they add up.
 */
#include <memory>

#include "event.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

using std::chrono::milliseconds;

constexpr int nr_rounds = 60;
constexpr int requests_per_round = 5;
constexpr milliseconds between_rounds{20};

Job write_down(Runtime &runtime, std::shared_ptr<Event> has_ended)
{
	co_await has_ended->wait();
	runtime.census().note_progress();
}

Job serve(Runtime &runtime)
{
	auto has_ended = std::make_shared<Event>(runtime);

	Job writer = write_down(runtime, has_ended);

#ifdef FAULT_M
	runtime.say_cause(PlantedFault::LEAK, writer.id(), Scheduler::current_id());
#endif
	writer.detach(runtime);
	co_await runtime.timers().sleep(milliseconds(3));
#ifndef FAULT_M
	has_ended->set();
#endif
}

Job receive(Runtime &runtime)
{
	for (int round = 0; round < nr_rounds; round++) {
		for (int i = 0; i < requests_per_round; i++)
			serve(runtime).detach(runtime);
		co_await runtime.timers().sleep(between_rounds);
	}
}

} // namespace

void play_request_audit(Runtime &runtime)
{
	Job receiver = receive(runtime);

	receiver.start(runtime);
	runtime.wait_for_end();
}
