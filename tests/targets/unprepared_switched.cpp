// SPDX-License-Identifier: MIT
// A program that nobody prepared, with stackful coroutines that it switches by code of its own. The output is how many
// wait at which line, as JSON on one line: {"40": 330, "52": 10}.
//
// unprepared_switched label|return|push [busy]: which of three ways to leave a stack; busy: a thread switches to other
// coroutines, and makes and ends some, all the time.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

// What is saved of a stack that is left; the ways store it in another order.
struct Saved {
	uint64_t words[8];
};

extern "C" void switch_by_label(Saved *from, Saved *to);
extern "C" void switch_by_return(Saved *from, Saved *to);
extern "C" void switch_by_push(Saved *from, Saved *to);
extern "C" void begin_stack();

// By label: goes on at an instruction of its own, which returns. By return: saves where it returns to. By push: has
// the registers on the stack, and saves the stack pointer.
asm(R"(
	.text
	.globl switch_by_label
	.type switch_by_label, @function
switch_by_label:
	movq %rbx, 16(%rdi)
	movq %r12, 24(%rdi)
	movq %r13, 32(%rdi)
	movq %r14, 40(%rdi)
	movq %r15, 48(%rdi)
	movq %rbp, 56(%rdi)
	movq %rsp, (%rdi)
	leaq 1f(%rip), %rax
	movq %rax, 8(%rdi)
	movq 16(%rsi), %rbx
	movq 24(%rsi), %r12
	movq 32(%rsi), %r13
	movq 40(%rsi), %r14
	movq 48(%rsi), %r15
	movq 56(%rsi), %rbp
	movq (%rsi), %rsp
	jmpq *8(%rsi)
1:	ret
	.size switch_by_label, .-switch_by_label
	.globl switch_by_return
	.type switch_by_return, @function
switch_by_return:
	movq (%rsp), %rdx
	leaq 8(%rsp), %rcx
	movq %rdx, (%rdi)
	movq %rcx, 8(%rdi)
	movq %rbp, 16(%rdi)
	movq %rbx, 24(%rdi)
	movq %r15, 32(%rdi)
	movq %r14, 40(%rdi)
	movq %r13, 48(%rdi)
	movq %r12, 56(%rdi)
	movq 16(%rsi), %rbp
	movq 24(%rsi), %rbx
	movq 32(%rsi), %r15
	movq 40(%rsi), %r14
	movq 48(%rsi), %r13
	movq 56(%rsi), %r12
	movq 8(%rsi), %rsp
	jmpq *(%rsi)
	.size switch_by_return, .-switch_by_return
	.globl switch_by_push
	.type switch_by_push, @function
switch_by_push:
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq %rsp, 8(%rdi)
	movq 8(%rsi), %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	ret
	.size switch_by_push, .-switch_by_push
	.globl begin_stack
	.type begin_stack, @function
begin_stack:
	movq %r12, %rdi
	call *%r13
	ud2
	.size begin_stack, .-begin_stack
)");

namespace
{

constexpr size_t stack_words = 8192;

void (*switch_stack)(Saved *, Saved *);

struct Coroutine;

struct Loop {
	Saved saved{};
	Coroutine *current = nullptr;
};

struct Coroutine {
	Saved saved{};
	Loop *loop = nullptr;
	std::unique_ptr<uint64_t[]> stack{new uint64_t[stack_words]};
	int number = 0;
	int line = 0;
	bool has_ended = false;
};

// Macros, so that the switch is at the line where it stands. Which function is called through a pointer, no code says.
#define LEAVE(from, to) \
	(switch_stack == switch_by_push ? switch_by_push(from, to) : switch_stack(from, to))
#define YIELD(loop) \
	((loop)->current->line = __LINE__, LEAVE(&(loop)->current->saved, &(loop)->saved))

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

void enter(Coroutine *self)
{
	work(self->loop, self->number);
	self->has_ended = true;
	LEAVE(&self->saved, &self->loop->saved);
}

std::unique_ptr<Coroutine> make(Loop *loop, int number)
{
	auto made = std::make_unique<Coroutine>();
	auto top = reinterpret_cast<uint64_t>(made->stack.get() + stack_words - 8) & ~UINT64_C(15);
	auto begin = reinterpret_cast<uint64_t>(begin_stack);
	auto self = reinterpret_cast<uint64_t>(made.get()),
	     first = reinterpret_cast<uint64_t>(enter);
	made->number = number;
	made->loop = loop;
	if (switch_stack == switch_by_label)
		made->saved = {{top, begin, 0, self, first, 0, 0, 0}};
	else if (switch_stack == switch_by_return)
		made->saved = {{begin, top, 0, 0, 0, 0, first, self}};
	else
		made->saved = {{0, top - 7 * sizeof(uint64_t), 0, 0, 0, 0, 0, 0}};
	// R13 and R12 among the six that are pushed, and where begin_stack goes on.
	auto *pushed = reinterpret_cast<uint64_t *>(top);
	pushed[-5] = first;
	pushed[-4] = self;
	pushed[-1] = begin;
	return made;
}

void run(Loop *loop, std::unique_ptr<Coroutine> &coroutine)
{
	loop->current = coroutine.get();
	LEAVE(&loop->saved, &coroutine->saved);
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
	const std::string way = argc > 1 ? argv[1] : "", how = argc > 2 ? argv[2] : "";
	Loop loop;
	std::vector<std::unique_ptr<Coroutine>> all;
	std::map<int, int> lines;
	switch_stack = way == "label"  ? switch_by_label
		       : way == "push" ? switch_by_push
				       : switch_by_return;
	for (int i = 0; i < 1000; i++)
		all.push_back(make(&loop, i));
	for (int turn = 0; turn < 4; turn++)
		for (auto &coroutine : all)
			if (coroutine)
				run(&loop, coroutine);
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
	for (;;)
		pause();
}
