// SPDX-License-Identifier: MIT
// A program that nobody prepared, whose stackful coroutines are kept when their function has returned, to be used
// again; no probe. All that wait do so in one function, by the same row of calls; its name has words that functions
// have, too, by which coroutines leave their stacks. The output is how many wait at which line, and how many have
// ended, as JSON on one line: {"40": 60, "ended": 40}. With a number, it then sleeps for so many seconds at most; a
// second one is its exit status.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <poll.h>
#include <ucontext.h>
#include <vector>

namespace
{

constexpr size_t stack_bytes = 65536;
constexpr int count = 100;

struct Coroutine {
	ucontext_t inside;
	ucontext_t outside;
	std::unique_ptr<char[]> stack{new char[stack_bytes]};
	void (*function)(Coroutine *) = nullptr;
	int number = 0;
};

int waiting_line;

__attribute__((noinline)) void coroutine_switch(ucontext_t *from, ucontext_t *to)
{
	swapcontext(from, to);
	asm volatile("");
}

__attribute__((noinline)) void coroutine_yield(Coroutine *self)
{
	coroutine_switch(&self->inside, &self->outside);
	asm volatile("");
}

__attribute__((noinline)) void suspend_transfer(Coroutine *self)
{
	waiting_line = __LINE__ + 1;
	coroutine_yield(self);
	asm volatile("");
}

__attribute__((noinline)) void request(Coroutine *self)
{
	if (self->number % 5 < 2)
		return;
	for (;;)
		suspend_transfer(self);
}

void begin(unsigned high, unsigned low)
{
	auto *self = reinterpret_cast<Coroutine *>(static_cast<unsigned long>(high) << 32 | low);
	for (;;) {
		self->function(self);
		coroutine_switch(&self->inside, &self->outside);
	}
}

} // namespace

int main(int argc, char **argv)
{
	std::vector<Coroutine> all(count);
	for (int i = 0; i < count; i++) {
		Coroutine &one = all[i];
		auto address = reinterpret_cast<unsigned long>(&one);
		one.number = i;
		one.function = request;
		getcontext(&one.inside);
		one.inside.uc_stack.ss_sp = one.stack.get();
		one.inside.uc_stack.ss_size = stack_bytes;
		makecontext(&one.inside, reinterpret_cast<void (*)()>(begin), 2,
			static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
		swapcontext(&one.outside, &one.inside);
	}
	std::printf("{\"%d\": %d, \"ended\": %d}\n", waiting_line, count * 3 / 5, count * 2 / 5);
	std::fflush(stdout);
	pollfd end{0, POLLIN, 0};
	poll(&end, 1, argc > 1 ? std::atoi(argv[1]) * 1000 : -1);
	if (argc <= 2)
		return 0;
	poll(nullptr, 0, 150); // the engine sees that something has moved before the end
	return std::atoi(argv[2]);
}
