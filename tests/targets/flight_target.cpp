/* SPDX-License-Identifier: MIT */
/*
 * publisher.c in C++, with the flight recorder inside: numbered events, counted in a file of its own.
 *
 *	flight_target COUNTERS THREADS PAUSE FILE CRASH
 *
 * Threads come and go: every 50,000 events, thread t passes its number on to a new thread of the system. If CRASH is
 * not 0, thread 1 touches an unmapped address after that many events. First of all, main creates a coroutine at the
 * function `launch`, which is known by its address.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "coroTracer.h"

namespace
{
std::uint64_t *counters;
unsigned long pause_rounds, crash_after;
constexpr std::uint64_t turn = 50000;
void *volatile nowhere =
	/* not a constant, or the compiler would warn */
	reinterpret_cast<void *>(std::uintptr_t{16});

void publish_turn(std::uint64_t thread, std::uint64_t first)
{
	for (std::uint64_t number = first; number < first + turn; number++) {
		ctp_emit(thread, number, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
		__atomic_store_n(&counters[thread], number, __ATOMIC_RELEASE);
		if (thread == 1 && number == crash_after)
			*static_cast<volatile int *>(nowhere) = 1;
		for (unsigned long round = 0; round < pause_rounds; round++)
			__asm__ volatile("" ::: "memory");
	}
}

void publish(std::uint64_t thread)
{
	for (std::uint64_t first = 1;; first += turn)
		std::thread(publish_turn, thread, first).join();
}

std::uint64_t *map_counters(const char *path, std::size_t nr_words)
{
	std::size_t nr_bytes = nr_words * sizeof(std::uint64_t);
	int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(nr_bytes)) < 0)
		return nullptr;
	void *mapped = mmap(nullptr, nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	close(descriptor);
	return mapped == MAP_FAILED ? nullptr : static_cast<std::uint64_t *>(mapped);
}
} // namespace

extern "C" __attribute__((noinline)) void launch()
{
	ctp_create(ctp_coro_new(), 1,
		ctp_site_address(reinterpret_cast<const void *>(&launch), CTP_SITE_FUNCTION));
}

int main(int argc, char **argv)
{
	if (argc != 6)
		return 2;
	unsigned long nr_threads = std::strtoul(argv[2], nullptr, 10);
	pause_rounds = std::strtoul(argv[3], nullptr, 10);
	crash_after = std::strtoul(argv[5], nullptr, 10);
	counters = map_counters(argv[1], 1 + nr_threads);
	if (!counters || !corotracer::InitTracer({argv[4], 2u << 20})) {
		std::fprintf(stderr, "flight_target: cannot start\n");
		return 1;
	}
	launch();
	std::vector<std::thread> threads;
	for (std::uint64_t thread = 1; thread <= nr_threads; thread++)
		threads.emplace_back(publish, thread);
	__atomic_store_n(&counters[0], static_cast<std::uint64_t>(getpid()), __ATOMIC_RELEASE);
	threads.front().join();
}
