/* SPDX-License-Identifier: MIT */
/*
 * A client sends requests to a server through one ring, and gets the answers through another. The last request is
 * pushed at the very moment in which the server has found the ring empty but has not begun to wait.
 *
 * With fault (c), in ring_buffer.cpp, the server waits forever although there is a request, and the client waits for
 * its answer.
 */
#include "ring_buffer.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

constexpr uint64_t nr_requests = 100;

Job serve(RingBuffer &requests, RingBuffer &answers)
{
	while (auto request = co_await requests.pop())
		co_await answers.push(2 * *request);
	answers.close();
}

/* From the last request but one on, the server pauses when it finds nothing. */
Job ask(Runtime &runtime, RingBuffer &requests, RingBuffer &answers, Rehearsal &rehearsal)
{
	for (uint64_t request = 1; request <= nr_requests; request++) {
		if (request == nr_requests - 1)
			requests.rehearse(rehearsal);
		if (request == nr_requests)
			rehearsal.wait_for_pause();
		co_await requests.push(request);
		if (request == nr_requests)
			rehearsal.go_on();
		co_await answers.pop();
		runtime.census().note_progress();
	}
	requests.close();
}

} // namespace

void play_request_ring(Runtime &runtime)
{
	RingBuffer requests(runtime, 8);
	RingBuffer answers(runtime, 8);
	Rehearsal rehearsal;
	Job server = serve(requests, answers);
	Job client = ask(runtime, requests, answers, rehearsal);

	server.start(runtime);
	/* The server waits for the first request: it finds nothing, unrehearsed. */
	runtime.wait_until_quiet();
	client.start(runtime);
	runtime.wait_for_end();
}
