/* SPDX-License-Identifier: MIT */
/*
 * example-tcp-server: starts the server, waits until there is a reason to end, ends it in good order,
 * and says what became of the connections.
 */
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include <poll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "coroTracer.h"
#include "load_process.h"
#include "options.h"
#include "reactor.h"
#include "scheduler.h"
#include "server.h"

namespace
{

/* The signals that this program waits for, read from a descriptor by the main thread alone. */
class Signals
{
      public:
	/* Before any thread is started, so that all inherit the blocked signals. */
	Signals()
	{
		sigset_t signals;

		sigemptyset(&signals);
		sigaddset(&signals, SIGTERM);
		sigaddset(&signals, SIGINT);
		sigaddset(&signals, SIGCHLD);
		pthread_sigmask(SIG_BLOCK, &signals, nullptr);
		fd_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
		if (fd_ < 0)
			throw std::system_error(errno, std::generic_category(), "signalfd");
	}

	Signals(const Signals &) = delete;
	Signals &operator=(const Signals &) = delete;

	~Signals()
	{
		close(fd_);
	}

	int fd() const
	{
		return fd_;
	}

	/* next: the next signal that has arrived, or 0. */
	int next()
	{
		signalfd_siginfo info;

		return read(fd_, &info, sizeof(info)) < 0 ? 0 : static_cast<int>(info.ssi_signo);
	}

      private:
	int fd_;
};

/* Each connection takes a descriptor: as many as we may have, within reason. */
unsigned raise_descriptor_limit()
{
	constexpr rlim_t reason = 1u << 16;
	rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		throw std::system_error(errno, std::generic_category(), "getrlimit");
	limit.rlim_cur = limit.rlim_max < reason ? limit.rlim_max : reason;
	setrlimit(RLIMIT_NOFILE, &limit);
	return static_cast<unsigned>(limit.rlim_cur);
}

uint64_t expected_connections(const Options &options)
{
	return options.load_connections > 0 ? options.load_connections : options.nr_connections;
}

/* Waits for the reasons to end, one of which is that nothing goes on any more. */
class Watch
{
      public:
	Watch(const Options &options, const Scheduler &scheduler, Server &server, Signals &signals,
		LoadProcess &load)
	    : options_(options), scheduler_(scheduler), server_(server), signals_(signals),
	      load_(load)
	{
	}

	void wait_for_end()
	{
		while (!is_over() && !was_told_to_end_ && !is_stuck_)
			wait_for_news();
	}

      private:
	bool is_over() const
	{
		if (load_.is_running())
			return false;
		return load_.has_failed() || server_.has_finished_all();
	}

	/* True when all connections that are to come are there. */
	bool are_all_here() const
	{
		return !load_.is_running() &&
		       server_.nr_accepted() >= expected_connections(options_);
	}

	void wait_for_news()
	{
		pollfd news[] = {
			{signals_.fd(), POLLIN, 0},
			{server_.all_finished_fd(), POLLIN, 0},
		};
		uint64_t nr_steps = scheduler_.nr_steps();

		corotracer::park();
		if (poll(news, 2, options_.idle_ms) == 0)
			is_stuck_ = are_all_here() && scheduler_.nr_steps() == nr_steps;
		corotracer::unpark();
		server_.acknowledge_all_finished();
		while (int signal = signals_.next())
			on_signal(signal);
	}

	void on_signal(int signal)
	{
		if (signal == SIGCHLD)
			load_.reap();
		else
			was_told_to_end_ = true;
	}

	const Options &options_;
	const Scheduler &scheduler_;
	Server &server_;
	Signals &signals_;
	LoadProcess &load_;
	bool was_told_to_end_ = false;
	bool is_stuck_ = false;
};

void report(const Server &server)
{
	uint64_t nr_accepted = server.nr_accepted();
	uint64_t nr_open = nr_accepted - server.nr_finished();

	std::fprintf(stderr, "example-tcp-server: %llu connections accepted, %llu still open\n",
		static_cast<unsigned long long>(nr_accepted),
		static_cast<unsigned long long>(nr_open));
}

/* Also where starting the load fails: no worker may run into objects that are gone. */
struct StopAtExit {
	Scheduler &scheduler;

	~StopAtExit()
	{
		scheduler.stop();
	}
};

/* Each object outlives those below it. */
int serve(const Options &options)
{
	Signals signals;
	EventLog log(options.log_path);
	Reactor reactor(raise_descriptor_limit(), log);
	Scheduler scheduler(options.nr_workers, reactor);
	Server server(scheduler, reactor, log, expected_connections(options));
	LoadProcess load;
	uint16_t port;
	int listener = listen_on_loopback(options.port, port);

	std::printf("listening on 127.0.0.1:%u\n", port);
	std::fflush(stdout);

	StopAtExit stop_at_exit{scheduler};

	scheduler.start();
	server.accept_all(listener);
	if (options.load_connections > 0)
		load.start(port, options.load_connections, options.load_resets);
	Watch(options, scheduler, server, signals, load).wait_for_end();
	scheduler.stop();
	report(server);
	return load.has_failed() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv)
{
	corotracer::InitTracer();

	Options options = parse_options(argc, argv);

	try {
		return serve(options);
	} catch (const std::exception &error) {
		std::fprintf(stderr, "example-tcp-server: %s\n", error.what());
		return 1;
	}
}
