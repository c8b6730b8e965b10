/* SPDX-License-Identifier: MIT */
/*
 * A coroutine gives a request to another coroutine, and then blocks its worker until the answer comes through a pipe:
 * bad style, but other workers are idle and could run the coroutine that answers.
 *
 * With fault (j), in scheduler.cpp, the coroutine that answers is in the blocked worker's slot for the next task, from
 * which no other worker may take it.
 */
#include "pipe.h"
#include "ring_buffer.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

Job answer(RingBuffer &requests, Pipe &answers)
{
	while (auto request = co_await requests.pop())
		answers.write_byte();
}

Job ask(Runtime &runtime, RingBuffer &requests, Pipe &answers, [[maybe_unused]] const Job &server)
{
	for (uint64_t request = 1; request <= 3; request++) {
#ifdef FAULT_J
		runtime.say_cause(PlantedFault::PRIVATE_SLOT, server.id(), Scheduler::current_id());
#endif
		co_await requests.push(request);
		if (answers.read_byte())
			runtime.census().note_progress();
		/* Until the server waits for the next one: it must be woken, not find it. */
		co_await runtime.timers().sleep(std::chrono::milliseconds(5));
	}
	requests.close();
}

} // namespace

void play_next_slot(Runtime &runtime)
{
	RingBuffer requests(runtime, 4);
	Pipe answers;
	Job server = answer(requests, answers);
	Job client = ask(runtime, requests, answers, server);

	server.start(runtime);
	runtime.wait_until_quiet();
	client.start(runtime);
	runtime.wait_for_end();
}
