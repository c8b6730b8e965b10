// SPDX-License-Identifier: MIT
// A program that nobody prepared, with stackful coroutines by swapcontext(3), no probe. The output is how many wait at
// which line, as JSON on one line: {"40": 330, "52": 10}. Line 0: coroutines that were never begun.
//
// unprepared_stackful [busy|end]: busy: a thread switches to other coroutines, and makes and ends some, all the time.
// end: abort() after the line.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace
{

constexpr size_t stack_bytes = 65536;

struct Coroutine;

struct Loop {
	ucontext_t context{};
	Coroutine *current = nullptr;
};

struct Coroutine {
	ucontext_t context{};
	Loop *loop = nullptr;
	std::unique_ptr<char[]> stack{new char[stack_bytes]};
	int number = 0;
	int line = 0;
	bool has_ended = false;
};

// A macro, so that the switch is at the line where it stands.
#define YIELD(loop) \
	((loop)->current->line = __LINE__, swapcontext(&(loop)->current->context, &(loop)->context))

__attribute__((noinline)) void descend(Loop *loop, int depth)
{
	std::string text = std::to_string(depth);
	if (depth == 0)
		YIELD(loop);
	else
		descend(loop, depth - 1);
	std::puts(text.c_str());
}

__attribute__((noinline)) void work(Loop *loop, int number)
{
	for (int i = 0; i < 3; i++)
		YIELD(loop);
	switch (number % 4) {
	case 0:
		descend(loop, 6);
		break;
	case 1:
		YIELD(loop);
		YIELD(loop);
		break;
	case 2:
		return;
	default:
		for (;;)
			YIELD(loop);
	}
}

void enter(unsigned high, unsigned low)
{
	auto address = static_cast<unsigned long>(high) << 32 | low;
	auto *self = reinterpret_cast<Coroutine *>(address);
	work(self->loop, self->number);
	self->has_ended = true;
	setcontext(&self->loop->context);
}

std::unique_ptr<Coroutine> make(Loop *loop, int number)
{
	auto made = std::make_unique<Coroutine>();
	auto address = reinterpret_cast<unsigned long>(made.get());
	made->number = number;
	made->loop = loop;
	getcontext(&made->context);
	made->context.uc_stack.ss_sp = made->stack.get();
	made->context.uc_stack.ss_size = stack_bytes;
	makecontext(&made->context, reinterpret_cast<void (*)()>(enter), 2,
		static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
	return made;
}

void run(Loop *loop, std::unique_ptr<Coroutine> &coroutine)
{
	loop->current = coroutine.get();
	swapcontext(&loop->context, &coroutine->context);
	if (coroutine->has_ended)
		coroutine.reset();
}

void switch_for_ever()
{
	Loop loop;
	for (;;) {
		auto made = make(&loop, 2);
		while (made)
			run(&loop, made);
	}
}

} // namespace

int main(int argc, char **argv)
{
	const std::string how = argc > 1 ? argv[1] : "";
	Loop loop;
	std::vector<std::unique_ptr<Coroutine>> all;
	std::map<int, int> lines;
	for (int i = 0; i < 1000; i++)
		all.push_back(make(&loop, i));
	for (int turn = 0; turn < 4; turn++)
		for (size_t i = 0; i < all.size() - 10; i++)
			if (all[i])
				run(&loop, all[i]);
	for (auto &coroutine : all)
		if (coroutine)
			lines[coroutine->line]++;
	std::thread other;
	if (how == "busy")
		other = std::thread(switch_for_ever);
	const char *comma = "{";
	for (auto [line, count] : lines) {
		std::printf("%s\"%d\": %d", comma, line, count);
		comma = ", ";
	}
	std::puts("}");
	std::fflush(stdout);
	if (how == "end")
		std::abort();
	for (;;)
		pause();
}
