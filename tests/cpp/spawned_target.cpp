/* SPDX-License-Identifier: MIT */
/*
 * Creates coroutines at lines that a test knows: by a function that the compiler inlines into its caller, and by one
 * that it must not inline. Destroys both while they are suspended, by their owner's destructor and by the handle.
 * Prints the lines, and waits until its input ends, so that the test can look at it.
 */
#include <cstdio>
#include <sched.h>

#include "coroTracer.h"

template <class Promise> struct handle_of {
	using promise_type = Promise;
	std::coroutine_handle<> handle;
};
struct parts {
	std::suspend_never initial_suspend() noexcept
	{
		return {};
	}
	std::suspend_always final_suspend() noexcept
	{
		return {};
	}
	void return_void() noexcept
	{
	}
	void unhandled_exception() noexcept
	{
	}
};
namespace
{
struct with_base : parts, corotracer::PromiseMixin {
	handle_of<with_base> get_return_object() noexcept
	{
		return {std::coroutine_handle<with_base>::from_promise(*this)};
	}
};
} /* namespace */
template <class Number> struct inner : parts {
	handle_of<corotracer::traced<inner>> get_return_object() noexcept
	{
		return {std::coroutine_handle<inner>::from_promise(*this)};
	}
};

/* Owns the coroutine, like a task. */
struct owner {
	std::coroutine_handle<> handle;
	~owner()
	{
		handle.destroy();
	}
};

static int taken_in_line, apart_line, owned_line, by_handle_line;
static std::coroutine_handle<> kept[2];

/* Called only once, so any optimisation inlines it into its caller. */
static handle_of<with_base> taken_in()
{
	co_await std::suspend_always{};
}

__attribute__((noinline)) static handle_of<corotracer::traced<inner<int>>> apart()
{
	co_await std::suspend_always{};
}

__attribute__((noinline)) static void creates_taken_in()
{
	taken_in_line = __LINE__ + 1;
	kept[0] = taken_in().handle;
	__asm__ volatile("");
}

__attribute__((noinline)) static void creates_apart()
{
	apart_line = __LINE__ + 1;
	kept[1] = apart().handle;
	__asm__ volatile("");
}

__attribute__((noinline)) static void destroys_owned(std::coroutine_handle<> handle)
{
	owner task{handle};

	__asm__ volatile("");
	owned_line = __LINE__ + 1;
}

__attribute__((noinline)) static void destroys_by_handle(std::coroutine_handle<> handle)
{
	by_handle_line = __LINE__ + 1;
	handle.destroy();
	__asm__ volatile("");
}

/* Waits until the engine has looked at this program once more, so that it knows the mappings. */
static void wait_for_a_look()
{
	const struct ctp_ring *ring = ctp_thread_self()->ring;

	for (int i = 0; i < 2; i++) {
		corotracer::unpark();
		while (ctp_load_acquire(&ring->tail) < ctp_load_relaxed(&ring->head))
			sched_yield();
	}
}

int main()
{
	if (!corotracer::InitTracer())
		return 1;
	creates_taken_in();
	creates_apart();
	destroys_owned(kept[0]);
	destroys_by_handle(kept[1]);
	std::printf("creates_taken_in %d\ncreates_apart %d\n", taken_in_line, apart_line);
	std::printf("destroys_owned %d\ndestroys_by_handle %d\n", owned_line, by_handle_line);
	wait_for_a_look();
	return 0;
}
