/* SPDX-License-Identifier: MIT */
/*
 * The load generator as a child of the server, so that one command shows everything.
 *
 * The child must not be traced, and so gets an environment without the tracer's variables.
 */
#ifndef EXAMPLE_LOAD_PROCESS_H
#define EXAMPLE_LOAD_PROCESS_H

#include <cstdint>

#include <sys/types.h>

class LoadProcess
{
      public:
	LoadProcess() = default;
	LoadProcess(const LoadProcess &) = delete;
	LoadProcess &operator=(const LoadProcess &) = delete;

	/* Ends the child if it still runs. */
	~LoadProcess();

	/*
	 * start: runs example-tcp-load, which lies beside this program's own file, against a port.
	 * Throws std::system_error where it cannot be started.
	 */
	void start(uint16_t port, unsigned nr_connections, unsigned nr_resets);

	/* reap: collects the child if it has ended; called after SIGCHLD. */
	void reap();

	bool is_running() const;

	/* has_failed: it has ended, and not with exit status 0. */
	bool has_failed() const;

      private:
	pid_t pid_ = -1; /* -1: not running */
	int status_ = 0;
};

#endif
