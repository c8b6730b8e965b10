/* SPDX-License-Identifier: MIT */
/*
 * One coroutine owns a mutex, two wait for it, and the first waiter is destroyed because it is no longer needed. Then
 * the mutex is unlocked.
 *
 * With fault (d), in mutex.cpp, the mutex is handed over to the destroyed coroutine, and the last one waits forever.
 */
#include "event.h"
#include "mutex.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

Job hold_until(Mutex &mutex, Event &event)
{
	Mutex::Guard guard = co_await mutex.hold();

	co_await event.wait();
}

Job use(Runtime &runtime, Mutex &mutex)
{
	Mutex::Guard guard = co_await mutex.hold();

	runtime.census().note_progress();
}

} // namespace

void play_lock_queue(Runtime &runtime)
{
	Mutex mutex(runtime);
	Event enough(runtime);
	Job holder = hold_until(mutex, enough);
	Job unwanted = use(runtime, mutex);
	Job last = use(runtime, mutex);

	for (Job *job : {&holder, &unwanted, &last}) {
		job->start(runtime);
		/* The coroutine has the mutex, or its place in the queue. */
		runtime.wait_until_quiet();
	}
	runtime.say_destroyed(unwanted);
	unwanted.destroy();
	enough.set();
	runtime.wait_for_end();
}
