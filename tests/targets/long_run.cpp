/* SPDX-License-Identifier: MIT */
/*
 * A worker runs eight coroutines in turns, until one of them takes long: `parse_json` has nine tenths of its time, and
 * `check_sum` the rest. All others are ready meanwhile.
 *
 *	long_run LENGTH_MS [blocked | FILE]
 *
 * In the end of the long run the program prints for how many nanoseconds of it its thread had no processor, by the
 * kernel's account.
 *
 * The long run takes so much processor time, however busy the machine is; all run on for a while then. 0: it goes on
 * until the program ends, after 2.5 s. "blocked": then it reads from a pipe into which nobody writes, until the end.
 * FILE: then it looks into each page of that file, and prints how many had to be read, by the kernel's account.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

#include "queued_tasks.h"

namespace
{
const int nr_coroutines = 8;
const int nr_rounds = 300;

long length_ms;
bool is_blocked;
const char *path;
int nowhere[2];
std::atomic<bool> is_over;
std::uint64_t result;

__attribute__((noinline)) std::uint64_t check_sum(std::uint64_t state)
{
	for (int i = 0; i < 10000; i++)
		state = state * 6364136223846793005u + 1442695040888963407u;
	return state;
}

__attribute__((noinline)) std::uint64_t parse_json(std::uint64_t state)
{
	for (int i = 0; i < 90000; i++)
		state = state * 6364136223846793005u + 1442695040888963407u; // hot
	return state;
}

long processor_ms()
{
	timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

__attribute__((noinline)) long ask_disk()
{
	char byte;

	return read(nowhere[0], &byte, 1) + length_ms;
}

long major_faults()
{
	rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_majflt;
}

/* About a millisecond. */
std::uint64_t parse_all(std::uint64_t state)
{
	for (int i = 0; i < 10; i++)
		state = parse_json(state);
	return state;
}

__attribute__((noinline)) void look_up(const volatile char *pages, std::size_t size)
{
	for (std::size_t at = 0; at < size; at += 4096)
		result = parse_all(result) + static_cast<std::uint64_t>(pages[at]); // reads
}

void read_pages()
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	std::size_t size = static_cast<std::size_t>(lseek(file, 0, SEEK_END));
	void *pages = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
	long before = major_faults();

	if (pages == MAP_FAILED || madvise(pages, size, MADV_RANDOM))
		std::abort();
	look_up(static_cast<const char *>(pages), size);
	std::printf("faults %ld\n", major_faults() - before);
}

/* The stack of a call of libc may lack who called it, because libc keeps no frame pointers: that is ask_disk. */
__attribute__((noinline)) long read_index()
{
	return ask_disk() + 1; // blocks
}

/* The kernel's account of this thread: how long it could run and had no processor. */
long long starved_ns()
{
	long long ran_ns = 0, waited_ns = 0;
	std::ifstream account("/proc/thread-self/schedstat");

	account >> ran_ns >> waited_ns;
	return waited_ns;
}

void take_long()
{
	long until = processor_ms() + length_ms;
	long long starved_before_ns = starved_ns();

	while (!length_ms || processor_ms() < until)
		result = check_sum(parse_json(result));
	if (path)
		read_pages();
	std::printf("starved %lld\n", starved_ns() - starved_before_ns);
	std::fflush(stdout);
	is_over = true;
	if (is_blocked)
		result = static_cast<std::uint64_t>(read_index());
}

Task serve(int number)
{
	for (int round = 0; round < nr_rounds; round++) {
		co_await Hop{}; // here
		if (number == 3 && round == nr_rounds / 2)
			take_long();
	}
}

void work()
{
	for (;;)
		next().resume();
}
} // namespace

int main(int argc, char **argv)
{
	corotracer::InitTracer();
	length_ms = std::strtol(argv[1], nullptr, 10);
	is_blocked = argc > 2 && std::strcmp(argv[2], "blocked") == 0;
	path = argc > 2 && !is_blocked ? argv[2] : nullptr;
	if (pipe(nowhere))
		return 1;
	std::thread(work).detach();
	for (int number = 0; number < nr_coroutines; number++)
		serve(number);
	if (!length_ms)
		std::this_thread::sleep_for(std::chrono::milliseconds(2500));
	while (length_ms && !is_over)
		std::this_thread::sleep_for(std::chrono::milliseconds(10));
	std::this_thread::sleep_for(std::chrono::milliseconds(is_blocked ? 1500 : 300));
	std::_Exit(0);
}
