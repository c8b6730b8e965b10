/* SPDX-License-Identifier: MIT */
/*
 * Healthy programs that wait: idle servers and pools, long sleeps with a deadline. Waiting is their purpose. With the
 * option to hold, they wait until a signal ends the process.
 */
#include <chrono>
#include <cstdio>
#include <system_error>
#include <vector>

#include <sys/socket.h>
#include <unistd.h>

#include "descriptor_wait.h"
#include "event.h"
#include "ring_buffer.h"
#include "runtime.h"
#include "scenarios.h"

namespace
{

using std::chrono::milliseconds;

constexpr milliseconds while_idle{400};

/* Blocks the main thread for as long as the scene is to be idle. */
void stay_idle(Runtime &runtime)
{
	runtime.wait_until_quiet();
	if (!runtime.options().holds)
		return;
	std::printf("holding\n");
	std::fflush(stdout);
	for (;;)
		pause();
}

/* A connection: two sockets, one at each side. */
struct Connection {
	Connection()
	{
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, sides) < 0)
			throw std::system_error(errno, std::generic_category(), "socketpair");
	}

	int sides[2];
};

/* False: the peer has hung up. */
bool echo(Runtime &runtime, int fd)
{
	char byte;

	if (read(fd, &byte, 1) <= 0)
		return false;
	/* The peer may hang up before its answer comes. */
	if (send(fd, &byte, 1, MSG_NOSIGNAL) == 1)
		runtime.census().note_progress();
	return true;
}

/* Answers until its wait ends with an error: the peer has hung up, or the reactor ends. */
Job serve(Runtime &runtime, int fd)
{
	Descriptor descriptor = runtime.reactor().open(fd);
	int error;

	do {
		error = co_await UntilReadable(runtime.reactor(), descriptor);
	} while (error == 0 && echo(runtime, descriptor.fd));
	runtime.reactor().close(descriptor);
}

Job beat(Runtime &runtime, int nr_beats)
{
	for (int i = 0; i < nr_beats; i++)
		co_await runtime.timers().sleep(while_idle / nr_beats);
}

/* Answers, so that the server has worked once; then nothing comes any more. */
void ask_once(const Connection &connection)
{
	char byte = 'x';

	if (write(connection.sides[1], &byte, 1) != 1)
		throw std::system_error(errno, std::generic_category(), "write");
}

Job take_work(Runtime &runtime, RingBuffer &work)
{
	while (auto item = co_await work.pop())
		runtime.census().note_progress();
}

Job give_work(RingBuffer &work, uint64_t nr_items)
{
	for (uint64_t item = 0; item < nr_items; item++)
		co_await work.push(item);
}

Job sleep_long(Runtime &runtime, uint64_t number, unsigned &nr_cancelled)
{
	bool is_over = co_await runtime.timers().sleep(std::chrono::hours(1), number);

	if (!is_over)
		nr_cancelled++;
}

} // namespace

/* Connections that say nothing, and a heartbeat for a while. At the end the reactor ends their waits. */
void play_idle_server(Runtime &runtime)
{
	std::vector<Connection> connections(20);
	std::vector<Job> servers;
	Job heart = beat(runtime, 4);

	for (const Connection &connection : connections) {
		servers.push_back(serve(runtime, connection.sides[0]));
		servers.back().start(runtime);
		ask_once(connection);
	}
	stay_idle(runtime);
	heart.start(runtime);
	runtime.wait_for(heart);
	runtime.stop();
	for (const Connection &connection : connections)
		close(connection.sides[1]);
}

/* The same, and the peers hang up. */
void play_hangups(Runtime &runtime)
{
	std::vector<Connection> connections(20);
	std::vector<Job> servers;

	for (const Connection &connection : connections) {
		servers.push_back(serve(runtime, connection.sides[0]));
		servers.back().start(runtime);
		ask_once(connection);
	}
	stay_idle(runtime);
	for (const Connection &connection : connections)
		close(connection.sides[1]);
	runtime.wait_for_end();
}

void play_idle_pool(Runtime &runtime)
{
	RingBuffer work(runtime, 4);
	std::vector<Job> pool;
	Job giver = give_work(work, 100);
	Job heart = beat(runtime, 1);

	for (int i = 0; i < 8; i++) {
		pool.push_back(take_work(runtime, work));
		pool.back().start(runtime);
	}
	giver.start(runtime);
	stay_idle(runtime);
	heart.start(runtime);
	runtime.wait_for(heart);
	work.close();
	runtime.wait_for_end();
}

/* Sleeps that last far longer than the program, and are cancelled at its end. */
void play_long_sleep(Runtime &runtime)
{
	unsigned nr_cancelled = 0;
	uint64_t number = runtime.timers().next_number();
	Job sleeper = sleep_long(runtime, number, nr_cancelled);
	Job heart = beat(runtime, 2);

	sleeper.start(runtime);
	stay_idle(runtime);
	heart.start(runtime);
	runtime.wait_for(heart);
	runtime.timers().cancel(number);
	runtime.wait_for_end();
	runtime.must_be(nr_cancelled == 1, "the sleeper knows that it was cancelled");
}
