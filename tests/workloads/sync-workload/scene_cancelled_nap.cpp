/* SPDX-License-Identifier: MIT */
/*
 * A coroutine sleeps, and is destroyed before its sleep is over, like a task whose object goes out of scope. Another
 * coroutine sleeps on.
 *
 * With fault (g), in timers.cpp, the timer outlives the sleeper, and resumes a destroyed coroutine.
 */
#include "runtime.h"
#include "scenarios.h"

namespace
{

using std::chrono::milliseconds;

Job nap(Runtime &runtime, milliseconds duration)
{
	co_await runtime.timers().sleep(duration);
	runtime.census().note_progress();
}

} // namespace

void play_cancelled_nap(Runtime &runtime)
{
	Job unwanted = nap(runtime, milliseconds(300));
	Job patient = nap(runtime, milliseconds(400));

	unwanted.start(runtime);
	patient.start(runtime);
	runtime.wait_until_quiet();
	runtime.say_destroyed(unwanted);
	unwanted.destroy();
	runtime.wait_for_end();
}
