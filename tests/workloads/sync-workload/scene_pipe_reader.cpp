/* SPDX-License-Identifier: MIT */
/*
 * On the only worker, a coroutine reads from a pipe; the coroutines that would write to it are ready and wait for the
 * worker.
 *
 * With fault (k), the coroutine reads like a thread: the worker blocks in the system call, while coroutines wait in its
 * queue.
 */
#include "descriptor_wait.h"
#include "pipe.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

constexpr int nr_writers = 5;

Job write_one(Runtime &runtime, Pipe &pipe)
{
	if (pipe.write_byte())
		runtime.census().note_progress();
	co_return;
}

/* One byte from a descriptor of the reactor's; it is there when the wait is over. */
bool read_ready(Descriptor reader)
{
	char byte;

	return read(reader.fd, &byte, 1) == 1;
}

Job read_all(Runtime &runtime, Pipe &pipe)
{
	Descriptor reader = runtime.reactor().open(pipe.take_reader());

	for (int i = 0; i < nr_writers; i++)
		write_one(runtime, pipe).detach(runtime);
#ifdef FAULT_K
	runtime.say_cause(PlantedFault::BLOCKED_WORKER, Scheduler::current_id(), 0);
#endif
	for (int i = 0; i < nr_writers; i++) {
#ifndef FAULT_K
		co_await UntilReadable(runtime.reactor(), reader);
#endif
		if (read_ready(reader))
			runtime.census().note_progress();
	}
	runtime.reactor().close(reader);
	co_return;
}

} // namespace

void play_pipe_reader(Runtime &runtime)
{
	Pipe pipe;
	Job reader = read_all(runtime, pipe);

	reader.start(runtime);
	runtime.wait_for_end();
}
