/* SPDX-License-Identifier: MIT */
/* The benchmark's loop, and its histogram of latencies. */
#include "benchmark.h"

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

#include <sys/epoll.h>
#include <unistd.h>

#include "client.h"

namespace
{

using Clock = std::chrono::steady_clock;

/*
 * Counts of latencies in nanoseconds: 64 buckets to each power of two, so a percentile is exact to
 * less than two per cent; and no memory is allocated while measuring.
 */
class Latencies
{
      public:
	void add(uint64_t latency_ns)
	{
		counts_[bucket_of(latency_ns)]++;
		total_++;
	}

	uint64_t total() const
	{
		return total_;
	}

	/* at: the latency in microseconds that this share of the requests stays below. */
	double at(double share) const
	{
		uint64_t wanted = static_cast<uint64_t>(share * static_cast<double>(total_));
		uint64_t seen = 0;

		for (size_t bucket = 0; bucket < counts_.size(); bucket++) {
			seen += counts_[bucket];
			if (seen > wanted)
				return static_cast<double>(end_of(bucket)) / 1000;
		}
		return 0;
	}

      private:
	static constexpr unsigned fine_bits = 6;
	static constexpr uint64_t fine = 1u << fine_bits;

	static size_t bucket_of(uint64_t value)
	{
		if (value < fine)
			return value;

		unsigned shift = static_cast<unsigned>(std::bit_width(value)) - fine_bits - 1;

		return (shift + 1) * fine + (value >> shift) - fine;
	}

	static uint64_t end_of(size_t bucket)
	{
		if (bucket < fine)
			return bucket;
		return (bucket % fine + fine + 1) << (bucket / fine - 1);
	}

	std::array<uint64_t, (65 - fine_bits) * fine> counts_{};
	uint64_t total_ = 0;
};

struct Caller {
	explicit Caller(uint16_t port) : client(port)
	{
	}

	void call()
	{
		began = Clock::now();
		client.send("a request of some forty characters, say");
	}

	Client client;
	Clock::time_point began;
};

class Epoll
{
      public:
	explicit Epoll(std::vector<Caller> &callers) : fd_(epoll_create1(EPOLL_CLOEXEC))
	{
		for (Caller &caller : callers)
			add(caller);
	}

	Epoll(const Epoll &) = delete;
	Epoll &operator=(const Epoll &) = delete;

	~Epoll()
	{
		close(fd_);
	}

	/* for_each_ready: calls function for each caller with something to read; waits for one. */
	template <typename Function> void for_each_ready(Function function)
	{
		std::array<epoll_event, 64> events;
		int count = epoll_wait(fd_, events.data(), static_cast<int>(events.size()), -1);

		for (int i = 0; i < count; i++)
			function(*static_cast<Caller *>(events[static_cast<size_t>(i)].data.ptr));
	}

      private:
	void add(Caller &caller)
	{
		epoll_event event{};

		event.events = EPOLLIN;
		event.data.ptr = &caller;
		if (epoll_ctl(fd_, EPOLL_CTL_ADD, caller.client.fd(), &event) < 0)
			throw std::system_error(errno, std::generic_category(), "epoll_ctl");
	}

	int fd_;
};

std::vector<Caller> connect_all(uint16_t port, unsigned nr_connections)
{
	std::vector<Caller> callers;

	callers.reserve(nr_connections);
	for (unsigned i = 0; i < nr_connections; i++)
		callers.emplace_back(port);
	return callers;
}

/* Until each connection has its last answer. */
void measure(std::vector<Caller> &callers, Clock::time_point end, Latencies &latencies)
{
	Epoll epoll(callers);
	size_t nr_calling = callers.size();

	for (Caller &caller : callers)
		caller.call();
	while (nr_calling > 0)
		epoll.for_each_ready([&](Caller &caller) {
			if (!caller.client.receive_some())
				return;

			Clock::time_point now = Clock::now();

			latencies.add(static_cast<uint64_t>((now - caller.began).count()));
			if (now < end)
				caller.call();
			else
				nr_calling--;
		});
}

void print(const Latencies &latencies, size_t nr_connections, double seconds)
{
	std::printf("{\"connections\": %zu, \"seconds\": %.3f, \"requests\": %llu, "
		    "\"requests_per_second\": %.0f, \"latency_p50_us\": %.1f, "
		    "\"latency_p99_us\": %.1f, \"latency_p999_us\": %.1f}\n",
		nr_connections, seconds, static_cast<unsigned long long>(latencies.total()),
		static_cast<double>(latencies.total()) / seconds, latencies.at(0.5),
		latencies.at(0.99), latencies.at(0.999));
}

} // namespace

void run_benchmark(uint16_t port, unsigned nr_connections, double seconds)
{
	std::vector<Caller> callers = connect_all(port, nr_connections);
	Latencies latencies;
	Clock::time_point begin = Clock::now();
	Clock::duration planned =
		std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));

	measure(callers, begin + planned, latencies);

	std::chrono::duration<double> taken = Clock::now() - begin;

	for (Caller &caller : callers) {
		caller.client.half_close();
		caller.client.expect_end();
	}
	print(latencies, nr_connections, taken.count());
}
