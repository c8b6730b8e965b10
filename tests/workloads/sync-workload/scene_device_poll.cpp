/* SPDX-License-Identifier: MIT */
/*
 * A coroutine waits for a slow device, which is ready after a second.
 *
 * With fault (l), the coroutine looks again and again, making itself ready each time: a worker is busy for nothing.
 */
#include <numeric>
#include <vector>

#include "event.h"
#include "runtime.h"
#include "scenarios.h"
#include "yield.h"

namespace
{

Job be_slow(Runtime &runtime, Event &is_ready)
{
	co_await runtime.timers().sleep(std::chrono::milliseconds(1100));
	is_ready.set();
}

#ifdef FAULT_L

/* Looks at every register of the device; never zero. */
uint64_t scan(const std::vector<uint64_t> &registers)
{
	return std::accumulate(registers.begin(), registers.end(), uint64_t{1});
}

Job use(Runtime &runtime, Event &is_ready)
{
	std::vector<uint64_t> registers(8192, 1);

	runtime.say_cause(
		PlantedFault::WAKE_STORM, Scheduler::current_id(), Scheduler::current_id());
	while (scan(registers) > 0 && !is_ready.is_set())
		co_await Yield(runtime);
	runtime.census().note_progress();
}

#else

Job use(Runtime &runtime, Event &is_ready)
{
	co_await is_ready.wait();
	runtime.census().note_progress();
}

#endif

} // namespace

void play_device_poll(Runtime &runtime)
{
	Event is_ready(runtime);
	Job device = be_slow(runtime, is_ready);
	Job driver = use(runtime, is_ready);

	device.start(runtime);
	driver.start(runtime);
	runtime.wait_for_end();
}
