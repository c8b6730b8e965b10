// SPDX-License-Identifier: MIT
// A program that nobody prepared, whose stackful coroutines wait within calls for a lock and for a channel. The output
// is "{}"; it ends when it is killed.
#include <cstdio>
#include <ucontext.h>
#include <unistd.h>

namespace
{

constexpr size_t stack_bytes = 65536;
constexpr int nr_fibers = 6;

struct Fiber {
	ucontext_t context{};
	Fiber *next = nullptr;
	char stack[stack_bytes];
};

struct Waiters {
	Fiber *first = nullptr;
	int count = 0;
};

struct Mutex {
	Fiber *owner = nullptr;
	bool locked = false;
	Waiters waiters;
};

struct Channel {
	unsigned room = 8;
	unsigned used = 3;
	bool closed = true;
	Waiters receivers;
};

struct Scheduler {
	ucontext_t context{};
	Fiber *current = nullptr;
};

Scheduler scheduler;
Mutex accounts;
Channel mails;
// Which ones the calls get, is not known to the compiler.
Mutex *volatile asked_mutex = &accounts;
Channel *volatile asked_channel = &mails;

__attribute__((noinline)) void park(Scheduler *where)
{
	Fiber *self = where->current;

	swapcontext(&self->context, &where->context);
}

__attribute__((noinline)) void wait_in(Waiters *waiters)
{
	scheduler.current->next = waiters->first;
	waiters->first = scheduler.current;
	waiters->count++;
	park(&scheduler);
}

__attribute__((noinline)) void lock(Mutex *mutex)
{
	while (mutex->locked)
		wait_in(&mutex->waiters);
	mutex->locked = true;
	mutex->owner = scheduler.current;
}

__attribute__((noinline)) void receive(Channel *channel)
{
	while (channel->used == 0 || channel->closed)
		wait_in(&channel->receivers);
	channel->used--;
}

void work(int number)
{
	if (number < 4) {
		lock(asked_mutex);
		park(&scheduler);
	} else
		receive(asked_channel);
	std::puts("not reached");
}

void start(Fiber *fiber, int number)
{
	getcontext(&fiber->context);
	fiber->context.uc_stack.ss_sp = fiber->stack;
	fiber->context.uc_stack.ss_size = stack_bytes;
	makecontext(&fiber->context, reinterpret_cast<void (*)()>(work), 1, number);
	scheduler.current = fiber;
	swapcontext(&scheduler.context, &fiber->context);
}

} // namespace

int main()
{
	for (int i = 0; i < nr_fibers; i++)
		start(new Fiber, i);
	std::puts("{}");
	std::fflush(stdout);
	for (;;)
		pause();
}
