/* SPDX-License-Identifier: MIT */
/*
 * The engine's side, for tests of the C++ probe: takes the program's own segment, as an engine would, and reads its
 * rings as a list of events with resolved sites. The reader shares no code with the real engine, and trusts what it
 * reads, because the writer is the test itself.
 */
#ifndef TESTS_CPP_RECORDING_H
#define TESTS_CPP_RECORDING_H

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "check.h"
#include "coroTracer.h"

struct event {
	std::uint64_t time;
	std::uint64_t place; /* the time, but never before that of an earlier event of the thread */
	std::uint64_t coro;
	std::uint64_t object;
	unsigned kind;
	unsigned argument;
	std::uint32_t site; /* number of the site; 0: none */
	std::uint32_t ring;

	/* The site, resolved. */
	std::uint32_t site_kind;
	std::uint32_t site_form;
	std::uint32_t line;
	std::uint32_t column;
	std::uint64_t address;
	std::string file;
	std::string function;
	std::string reason;
};

class recording
{
      public:
	/* Opens the socket to which the program will attach. Must be called before InitTracer. */
	static void listen()
	{
		struct sockaddr_un address = {};
		char name[64];
		int length = std::snprintf(
			name, sizeof(name), "corotracer-test-cpp-%ld", static_cast<long>(getpid()));
		socklen_t size = static_cast<socklen_t>(
			offsetof(struct sockaddr_un, sun_path) + 1 + static_cast<size_t>(length));

		listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
		address.sun_family = AF_UNIX;
		std::memcpy(address.sun_path + 1, name, static_cast<size_t>(length));
		require(bind(listener, reinterpret_cast<struct sockaddr *>(&address), size) == 0);
		require(::listen(listener, 4) == 0);
		require(setenv(CTP_ENVIRONMENT, name, 1) == 0);
	}

	/* listen, InitTracer, and take the segment: the beginning of most tests. */
	static void attach()
	{
		listen();
		require(corotracer::InitTracer());
		take_segment();
	}

	/* Maps the segment that the probe has sent. */
	static void take_segment()
	{
		struct stat status;
		int connection = accept(listener, nullptr, nullptr);
		int memory = receive_descriptor(connection);
		void *base;

		close(connection);
		require(fstat(memory, &status) == 0);
		base = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE, memory, 0);
		require(base != MAP_FAILED);
		close(memory);
		header = static_cast<struct ctp_header *>(base);
		require(header->magic == CTP_MAGIC);
	}

	/* The events since the last call, in order of time; the events of a thread keep their order. */
	static std::vector<event> take()
	{
		std::vector<event> events;

		for (std::uint32_t i = 0; i < ctp_load_acquire(&header->rings_used); i++)
			drain(i, events);
		std::stable_sort(events.begin(), events.end(),
			[](const event &a, const event &b) { return a.place < b.place; });
		return events;
	}

	/* The same, without the probe's events about threads. */
	static std::vector<event> take_coroutines()
	{
		std::vector<event> events = take();

		std::erase_if(events, [](const event &e) {
			return e.kind == CTP_KIND_THREAD_START || e.kind == CTP_KIND_THREAD_STOP;
		});
		return events;
	}

	/* All events that were ever dropped, for any reason. */
	static std::uint64_t lost()
	{
		std::uint64_t count = ctp_load_relaxed(&header->untraced_events);

		for (std::uint32_t i = 0; i < ctp_load_acquire(&header->rings_used); i++)
			count += ring(i)->dropped + ring(i)->nested;
		return count;
	}

	/* Drops the events since the last call; for measuring. */
	static void discard()
	{
		for (std::uint32_t i = 0; i < ctp_load_acquire(&header->rings_used); i++)
			ctp_store_release(&ring(i)->tail, ctp_load_acquire(&ring(i)->head));
	}

	/* The same, but reads each record first, as an engine does. Returns a value that depends on all records. */
	static std::uint64_t copy()
	{
		std::uint64_t sum = 0;

		for (std::uint32_t i = 0; i < ctp_load_acquire(&header->rings_used); i++) {
			std::uint64_t head = ctp_load_acquire(&ring(i)->head);

			for (std::uint64_t p = ring(i)->tail; p < head; p++)
				sum += ctp_load_relaxed(&record_at(ring(i), p)->tail);
			ctp_store_release(&ring(i)->tail, head);
		}
		return sum;
	}

      private:
	static void require(bool condition)
	{
		if (condition)
			return;
		std::perror("the test's recording");
		std::exit(1);
	}

	static int receive_descriptor(int connection)
	{
		struct ctp_hello hello;
		alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
		struct iovec part = {&hello, sizeof(hello)};
		struct msghdr message = {};
		struct cmsghdr *head;
		int memory = -1;

		message.msg_iov = &part;
		message.msg_iovlen = 1;
		message.msg_control = control;
		message.msg_controllen = sizeof(control);
		require(recvmsg(connection, &message, 0) == sizeof(hello));
		head = CMSG_FIRSTHDR(&message);
		require(head != nullptr && head->cmsg_type == SCM_RIGHTS);
		std::memcpy(&memory, CMSG_DATA(head), sizeof(memory));
		require(hello.magic == CTP_MAGIC && hello.role == CTP_ROLE_PROBE);
		return memory;
	}

	static char *at(std::uint64_t offset)
	{
		return reinterpret_cast<char *>(header) + offset;
	}

	static struct ctp_ring *ring(std::uint32_t index)
	{
		return reinterpret_cast<struct ctp_ring *>(
			at(header->ring_offset + std::uint64_t{index} * CTP_RING_STRIDE));
	}

	static const struct ctp_record *record_at(
		const struct ctp_ring *from, std::uint64_t position)
	{
		std::uint64_t chunk = from->chunk[(position / CTP_CHUNK_RECORDS) % CTP_RING_CHUNKS];

		return reinterpret_cast<const struct ctp_record *>(
			at(header->chunk_offset + chunk * CTP_CHUNK_BYTES +
				position % CTP_CHUNK_RECORDS * CTP_RECORD_BYTES));
	}

	static std::string name(std::uint32_t offset)
	{
		const char *place = at(header->name_offset + offset);
		std::uint32_t length;

		if (offset == 0)
			return "";
		std::memcpy(&length, place, sizeof(length));
		return std::string(place + sizeof(length), length);
	}

	static void resolve(event &e)
	{
		const struct ctp_site *site = reinterpret_cast<const struct ctp_site *>(
			at(header->site_offset + std::uint64_t{e.site} * sizeof(*site)));

		if (e.site == 0)
			return;
		e.site_kind = CTP_SITE_KIND(ctp_load_acquire(&site->ready));
		e.site_form = CTP_SITE_FORM(site->ready);
		e.line = site->line;
		e.column = site->column;
		e.address = site->address;
		e.file = name(site->file);
		e.function = name(site->function);
		e.reason = name(site->reason);
	}

	static void drain(std::uint32_t index, std::vector<event> &events)
	{
		struct ctp_ring *from = ring(index);
		std::uint64_t head = ctp_load_acquire(&from->head);
		std::uint64_t position = from->tail;
		std::uint64_t place = 0;

		for (; position < head; position++) {
			const struct ctp_record *record = record_at(from, position);
			event e = {};

			e.time = record->time;
			e.place = place = std::max(place, e.time);
			e.coro = record->coro;
			e.object = record->object;
			e.kind = CTP_TAIL_KIND(record->tail);
			e.argument = CTP_TAIL_ARGUMENT(record->tail);
			e.site = CTP_TAIL_SITE(record->tail);
			e.ring = index;
			resolve(e);
			events.push_back(e);
		}
		ctp_store_release(&from->tail, head);
	}

	static inline int listener = -1;
	static inline struct ctp_header *header = nullptr;
};

inline const char *kind_name(unsigned kind)
{
	switch (kind) {
#define X(name, number, text, category, object, argument, meaning) \
	case number:                                               \
		return text;
#include "corotracer/def/kinds.def"
#undef X
	default:
		return "?";
	}
}

/* The kinds of events in one string, "create frame suspend resume", for comparing whole lives. */
inline std::string kinds(const std::vector<event> &events, std::uint64_t coro = 0)
{
	std::string text;

	for (const event &e : events) {
		if (coro != 0 && e.coro != coro)
			continue;
		text += text.empty() ? "" : " ";
		text += kind_name(e.kind);
	}
	return text;
}

/* The nth event of a kind, from 0; ends the test if there is none. */
inline const event &nth(const std::vector<event> &events, unsigned kind, unsigned n = 0)
{
	for (const event &e : events) {
		if (e.kind == kind && n-- == 0)
			return e;
	}
	std::fprintf(stderr, "no such event of kind %u among: %s\n", kind, kinds(events).c_str());
	std::exit(1);
}

inline void check_string(
	int line, const char *text, const std::string &actual, const std::string &expected)
{
	check_count++;
	if (actual == expected)
		return;
	check_failures++;
	std::fprintf(stderr, "line %d: %s is \"%s\", expected \"%s\"\n", line, text, actual.c_str(),
		expected.c_str());
}

#define CHECK_STRING(actual, expected) check_string(__LINE__, #actual, actual, expected)

#endif
