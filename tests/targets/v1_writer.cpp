// SPDX-License-Identifier: MIT
//
// A target with a probe of version 1 in C++, in either discipline: coroutines that move between threads, and
// a promise's address that serves a second coroutine.
//
//	v1_writer_cpp counter|lock COROUTINES EVENTS paced|unpaced
//
// Two threads share the work: each coroutine runs on one until half of its events, then on the other. When
// all is done, the first coroutine is destroyed, and another one is born at its address, with four events.
// A line for each coroutine tells its probe id and how many events it had.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "need.h"

namespace
{

struct Header {
	std::uint64_t magic;
	std::uint32_t version;
	std::uint32_t max_stations;
	std::atomic<std::uint32_t> allocated;
	std::atomic<std::uint32_t> sleeping;
	unsigned char reserved[1000];
};

struct alignas(64) Epoch {
	std::uint64_t timestamp;
	std::uint64_t tid;
	std::uint64_t addr;
	std::atomic<std::uint64_t> seq;
	unsigned char reserved[31];
	bool is_active;
};

struct alignas(1024) Station {
	std::uint64_t probe_id;
	std::uint64_t birth;
	std::uint8_t is_dead;
	unsigned char padding[47];
	Epoch slots[8];
};

static_assert(sizeof(Header) == 1024 && sizeof(Station) == 1024 && sizeof(Epoch) == 64);

Header *header;
int channel = -1;
bool has_lock;
bool is_paced;

std::uint64_t now()
{
	return static_cast<std::uint64_t>(
		std::chrono::steady_clock::now().time_since_epoch().count());
}

bool find_engine()
{
	const char *path = std::getenv("CTP_SHM_PATH"), *socket_path = std::getenv("CTP_SOCK_PATH");
	sockaddr_un address{};
	struct stat status;

	if (!path || !socket_path)
		return false;
	int file = open(path, O_RDWR);
	NEED(file >= 0 && fstat(file, &status) == 0);
	void *mapped = mmap(nullptr, static_cast<std::size_t>(status.st_size),
		PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	NEED(mapped != MAP_FAILED);
	close(file);
	header = static_cast<Header *>(mapped);
	channel = socket(AF_UNIX, SOCK_STREAM, 0);
	address.sun_family = AF_UNIX;
	std::strncpy(address.sun_path, socket_path, sizeof(address.sun_path) - 1);
	return connect(channel, reinterpret_cast<sockaddr *>(&address), sizeof(address)) == 0 &&
	       fcntl(channel, F_SETFL, O_NONBLOCK) == 0;
}

bool wake_engine()
{
	std::uint32_t one = 1;

	return header->sleeping.load() == 1 && header->sleeping.compare_exchange_strong(one, 0) &&
	       send(channel, "1", 1, MSG_NOSIGNAL) == 1;
}

// The engine looks once more after it has said that it sleeps; when it says so again, that look is over.
void wait_for_engine()
{
	while (!wake_engine())
		std::this_thread::yield();
	while (header->sleeping.load() != 1)
		std::this_thread::yield();
}

struct Coroutine {
	Station *station;
	std::uint64_t nr_events = 0;

	explicit Coroutine(std::uint64_t probe_id)
	    : station(reinterpret_cast<Station *>(header + 1) + header->allocated.fetch_add(1))
	{
		station->probe_id = probe_id;
		station->birth = now();
	}

	void write()
	{
		bool is_active = nr_events % 2 == 1;
		Epoch &slot = station->slots[(nr_events + (has_lock ? 0 : 1)) % 8];
		std::uint64_t last = slot.seq.load(std::memory_order_relaxed);

		if (has_lock)
			slot.seq.store(last + 1, std::memory_order_release);
		slot.timestamp = now();
		slot.tid = static_cast<std::uint64_t>(gettid());
		slot.addr = is_active ? 0 : station->probe_id - 16;
		slot.is_active = is_active;
		nr_events++;
		slot.seq.store(has_lock ? last + 2 : nr_events, std::memory_order_release);
		std::atomic_thread_fence(std::memory_order_seq_cst);
		wake_engine();
	}
};

// The threads take turns, so that each coroutine is with one of them at a time.
void work(std::vector<Coroutine> &all, std::uint64_t nr_events)
{
	for (std::uint64_t number = 0; number < nr_events; number++) {
		for (Coroutine &coroutine : all)
			coroutine.write();
		if (is_paced && number % 4 == 3)
			wait_for_engine();
	}
	if (is_paced)
		wait_for_engine();
}

} // namespace

int main(int argc, char **argv)
{
	std::vector<Coroutine> first, second;

	NEED(argc == 5);
	has_lock = std::strcmp(argv[1], "lock") == 0;
	is_paced = std::strcmp(argv[4], "paced") == 0;
	std::uint64_t nr_coroutines = std::strtoull(argv[2], nullptr, 10);
	std::uint64_t nr_events = std::strtoull(argv[3], nullptr, 10);
	if (!find_engine())
		return 3;
	for (std::uint64_t i = 0; i < nr_coroutines; i++)
		(i % 2 ? first : second).emplace_back(0x500000000000 + i * 256);
	for (int half = 0; half < 2; half++) {
		std::thread one(work, std::ref(half ? second : first), nr_events / 2);
		std::thread other(work, std::ref(half ? first : second), nr_events / 2);
		one.join();
		other.join();
	}
	second[0].station->is_dead = 1;
	Coroutine successor(second[0].station->probe_id);
	for (int i = 0; i < 4; i++)
		successor.write();
	for (std::vector<Coroutine> *part : {&first, &second})
		for (Coroutine &coroutine : *part)
			std::printf("%llu %llu\n",
				static_cast<unsigned long long>(coroutine.station->probe_id),
				static_cast<unsigned long long>(coroutine.nr_events));
	std::printf("%llu %llu\n", static_cast<unsigned long long>(successor.station->probe_id),
		static_cast<unsigned long long>(successor.nr_events));
	return 0;
}
