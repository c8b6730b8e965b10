/* SPDX-License-Identifier: MIT */
/*
 * Crashes at places where few functions may still be called, with the flight recorder inside.
 *
 *	crash_places FILE PLACE
 *
 * Before it crashes it writes 10,000 numbered counter events. PLACE is one of those below; "child": a child crashes,
 * and the parent goes on and exits with 0.
 */
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

#include "coroTracer.h"

namespace
{
constexpr std::uint64_t nr_counters = 10000;
void *volatile nowhere = reinterpret_cast<void *>(std::uintptr_t{16});

void touch_nothing(int)
{
	*static_cast<volatile int *>(nowhere) = 1;
}

void in_handler()
{
	std::signal(SIGUSR1, touch_nothing);
	std::raise(SIGUSR1);
}

void on_alternate_stack()
{
	static char room[1 << 16];
	stack_t stack = {};
	struct sigaction action = {};

	stack.ss_sp = room;
	stack.ss_size = sizeof(room);
	sigaltstack(&stack, nullptr);
	action.sa_handler = touch_nothing;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &action, nullptr);
	std::raise(SIGUSR1);
}

/* The C library finds its lists damaged, and aborts inside malloc or free. */
void in_malloc()
{
	char *volatile block = static_cast<char *>(std::malloc(64));

	std::memset(block - 16, 0x41, 16);
	std::free(block);
	for (int i = 0; i < 1000; i++)
		(void)!std::malloc(64);
	std::abort();
}

int overflow(volatile int *from)
{
	volatile int room[1024];

	room[0] = *from + 1;
	return overflow(room) + room[0];
}

void in_stack()
{
	volatile int first = 0;

	std::exit(overflow(&first));
}

void in_child()
{
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		ctp_emit(1, nr_counters + 1, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
		touch_nothing(0);
	}
	waitpid(child, &status, 0);
	ctp_emit(1, nr_counters, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
	_exit(WIFSIGNALED(status) ? 0 : 1);
}

void at_exit()
{
	std::atexit([] { touch_nothing(0); });
	std::exit(0);
}

const struct {
	const char *name;
	void (*crash)();
} places[] = {
	{"handler", in_handler},
	{"alternate", on_alternate_stack},
	{"malloc", in_malloc},
	{"stack", in_stack},
	{"child", in_child},
	{"exit", at_exit},
};
} // namespace

int main(int argc, char **argv)
{
	if (argc != 3 || !corotracer::InitTracer({argv[1], 2u << 20}))
		return 2;
	for (std::uint64_t number = 1; number <= nr_counters; number++)
		ctp_emit(1, number, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
	for (const auto &place : places)
		if (std::strcmp(place.name, argv[2]) == 0)
			place.crash();
	return 2;
}
