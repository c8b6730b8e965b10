// SPDX-License-Identifier: MIT
// A program that nobody prepared, with coroutines that swapcontext(3) begins and longjmp(3) switches, as QEMU's are; no
// probe. The output is how many wait at which line, as JSON on one line: {"40": 330, "52": 10}.
//
// Each has come back after a failure before, too, so that its stack holds a jmp_buf that nobody left it by.
#include <csetjmp>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace
{

constexpr size_t stack_bytes = 65536;
constexpr int count = 300;

struct Coroutine {
	sigjmp_buf inside;
	sigjmp_buf outside;
	std::unique_ptr<char[]> stack{new char[stack_bytes]};
	int number = 0;
	int line = 0;
};

// The two of the switch are next to each other, as in libraries that switch so.
__attribute__((noinline)) void leave(sigjmp_buf &from, sigjmp_buf &to)
{
	if (sigsetjmp(from, 0) == 0)
		siglongjmp(to, 1);
}

// Compilers make one call of those that are alike: a line in each keeps them apart.
#define YIELD(self)                                        \
	do {                                               \
		(self)->line = __LINE__;                   \
		leave((self)->inside, (self)->outside);    \
		asm volatile("# line %0" ::"i"(__LINE__)); \
	} while (0)

__attribute__((noinline)) void fail(sigjmp_buf &back)
{
	siglongjmp(back, 1);
}

// What is saved here stays on the stack.
__attribute__((noinline)) void try_first(Coroutine *self, int depth)
{
	sigjmp_buf back;
	if (depth > 0)
		return try_first(self, depth - 1);
	if (sigsetjmp(back, 0) == 0)
		fail(back);
	std::fprintf(stderr, "%s", self->number < 0 ? "never" : "");
	YIELD(self);
}

void work(Coroutine *self)
{
	YIELD(self);
	switch (self->number % 3) {
	case 0:
		try_first(self, 3);
		break;
	case 1:
		YIELD(self);
		break;
	default:
		YIELD(self);
	}
	for (;;)
		YIELD(self);
}

void enter(unsigned high, unsigned low)
{
	work(reinterpret_cast<Coroutine *>(static_cast<unsigned long>(high) << 32 | low));
}

// The contexts are on the stack, and left there.
__attribute__((noinline)) void begin(Coroutine *coroutine)
{
	ucontext_t now{}, first{};
	auto address = reinterpret_cast<unsigned long>(coroutine);
	getcontext(&first);
	first.uc_stack.ss_sp = coroutine->stack.get();
	first.uc_stack.ss_size = stack_bytes;
	makecontext(&first, reinterpret_cast<void (*)()>(enter), 2,
		static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
	if (sigsetjmp(coroutine->outside, 0) == 0)
		swapcontext(&now, &first);
}

} // namespace

int main()
{
	std::vector<std::unique_ptr<Coroutine>> all;
	std::map<int, int> lines;

	for (int i = 0; i < count; i++) {
		all.push_back(std::make_unique<Coroutine>());
		all.back()->number = i;
		begin(all.back().get());
		leave(all.back()->outside, all.back()->inside);
		lines[all.back()->line]++;
	}
	std::string said;
	for (auto [line, number] : lines)
		said += (said.empty() ? "{\"" : ", \"") + std::to_string(line) +
			"\": " + std::to_string(number);
	std::printf("%s}\n", said.c_str());
	std::fflush(stdout);
	char byte;
	while (read(0, &byte, 1) > 0)
		;
}
