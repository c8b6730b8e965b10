/* SPDX-License-Identifier: MIT */
/*
 * The server: accepts connections and answers each line with the same line in capital letters.
 *
 * One coroutine accepts; one coroutine serves each connection, until the peer ends it, the line is too
 * long, or the scheduler stops.
 */
#ifndef EXAMPLE_SERVER_H
#define EXAMPLE_SERVER_H

#include <atomic>
#include <cstdint>

#include "event_log.h"
#include "scheduler.h"
#include "socket.h"

/*
 * What it writes to the log, besides the reactor's `dropped` where that has its planted fault:
 *
 *	accepted coroutine=ID fd=FD
 *	finished coroutine=ID fd=FD
 */
class Server
{
      public:
	/*
	 * All three must outlive the server, and the server every coroutine that it starts.
	 * nr_expected: after so many connections the server has done its work; 0: never.
	 */
	Server(Scheduler &scheduler, Reactor &reactor, EventLog &log, uint64_t nr_expected);
	Server(const Server &) = delete;
	Server &operator=(const Server &) = delete;
	~Server();

	/* accept_all: starts to accept on a listening descriptor, which it takes over. */
	void accept_all(int listener);

	/* How many connections were accepted, and how many of them have ended. Any thread. */
	uint64_t nr_accepted() const;
	uint64_t nr_finished() const;

	/* has_finished_all: all connections expected have ended. Any thread. */
	bool has_finished_all() const;

	/* all_finished_fd: becomes readable when they have, until that is acknowledged. Borrowed. */
	int all_finished_fd() const;
	void acknowledge_all_finished();

      private:
	Task accept(Socket listener);
	Task serve(Socket socket);
	void start_serving(Socket socket);
	void shed_one(int listener);
	void count_finished();

	Scheduler &scheduler_;
	Reactor &reactor_;
	EventLog &log_;
	const uint64_t nr_expected_;
	int all_finished_fd_;
	int spare_fd_; /* given up for a moment where no other is left; the acceptor's own */
	std::atomic<uint64_t> nr_accepted_{0};
	std::atomic<uint64_t> nr_finished_{0};
};

#endif
