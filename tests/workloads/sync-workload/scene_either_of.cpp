/* SPDX-License-Identifier: MIT */
/*
 * A coroutine waits for data or for cancellation; both happen at once, on two workers.
 *
 * With fault (f), in event.cpp, both make it ready, and it is resumed on one worker while it runs on
 * another.
 */
#include <numeric>
#include <vector>

#include "event.h"
#include "runtime.h"
#include "scenarios.h"

#ifdef FAULT_F
#include "resume_guard.h"
#endif

namespace
{

/* What a coroutine does with what it has got; the second resumption falls into it. */
uint64_t work_on(const std::vector<uint64_t> &data)
{
	uint64_t sum = 0;

#ifdef FAULT_F
	ResumeGuard::instance().wait_for_refusal();
#endif
	for (int round = 0; round < 20; round++)
		sum = std::accumulate(data.begin(), data.end(), 3 * sum);
	return sum;
}

Job receive(Runtime &runtime, Event &has_data, Event &is_cancelled)
{
	std::vector<uint64_t> data(4096, 7);
	int which = co_await EitherOf(has_data, is_cancelled);

	if (which == 1 || work_on(data) > 0)
		runtime.census().note_progress();
}

Job set(Event &event)
{
	event.set();
	co_return;
}

} // namespace

void play_either_of(Runtime &runtime)
{
	Event has_data(runtime);
	Event is_cancelled(runtime);
	Rehearsal first, second;
	Job receiver = receive(runtime, has_data, is_cancelled);
	Job sender = set(has_data);
	Job canceller = set(is_cancelled);

	receiver.start(runtime);
	runtime.wait_until_quiet();
	has_data.rehearse(first);
	is_cancelled.rehearse(second);
	sender.start(runtime);
	first.wait_for_pause();
	canceller.start(runtime);
	second.wait_for_pause();
	first.go_on();
	second.go_on();
	runtime.wait_for_end();
}
