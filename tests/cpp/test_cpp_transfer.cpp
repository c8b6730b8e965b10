/* SPDX-License-Identifier: MIT */
/*
 * Symmetric transfer still works: a chain of coroutines that pass the thread to one another does not grow the stack if
 * it does not grow without tracing (gcc makes tail calls only at -O2).
 */
#include "recording.h"
#include "tasks.h"

constexpr int chain = 100000;
constexpr int short_chain = 500;

enum flavour { untraced, base_class, wrapper };

/* The stack may grow by this much, whatever the length of the chain: far less than a byte for each link. */
constexpr std::ptrdiff_t stack_allowed = 64 * 1024;

static std::uintptr_t deepest;

__attribute__((noinline)) static void look_at_stack()
{
	std::uintptr_t here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));

	if (deepest == 0 || here < deepest)
		deepest = here;
}

/* A lazy task: awaiting it starts it, and its end transfers to the coroutine that awaited it. */
template <flavour how> struct step;
struct step_base {
	std::coroutine_handle<> waiting = std::noop_coroutine();

	struct back {
		std::coroutine_handle<> waiting;
		bool await_ready() const noexcept
		{
			return false;
		}
		std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept
		{
			return waiting;
		}
		void await_resume() const noexcept
		{
		}
	};
	std::suspend_always initial_suspend() noexcept
	{
		return {};
	}
	back final_suspend() noexcept
	{
		return {waiting};
	}
	void return_void()
	{
	}
	void unhandled_exception()
	{
		std::abort();
	}
};
template <flavour how> struct step_promise;
template <> struct step_promise<untraced> : step_base {
	step<untraced> get_return_object();
};
template <> struct step_promise<base_class> : step_base, corotracer::PromiseMixin {
	step<base_class> get_return_object();
};
template <> struct step_promise<wrapper> : step_base {
	step<wrapper> get_return_object();
};
template <flavour how> struct step : owned<step_promise<how>> {
	using promise_type = std::conditional_t<how == wrapper,
		corotracer::traced<step_promise<wrapper>>, step_promise<how>>;
	using owned<step_promise<how>>::owned;

	struct awaiter {
		std::coroutine_handle<step_promise<how>> handle;
		bool await_ready() const noexcept
		{
			return false;
		}
		std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept
		{
			look_at_stack();
			handle.promise().waiting = waiting;
			return handle;
		}
		void await_resume() const noexcept
		{
		}
	};
	awaiter operator co_await() const noexcept
	{
		return {this->handle};
	}
};
step<untraced> step_promise<untraced>::get_return_object()
{
	return step<untraced>(std::coroutine_handle<step_promise<untraced>>::from_promise(*this));
}
step<base_class> step_promise<base_class>::get_return_object()
{
	return step<base_class>(
		std::coroutine_handle<step_promise<base_class>>::from_promise(*this));
}
step<wrapper> step_promise<wrapper>::get_return_object()
{
	return step<wrapper>(std::coroutine_handle<step_promise<wrapper>>::from_promise(*this));
}

template <flavour how> static step<how> nothing()
{
	co_return;
}

/* One after the other: each start and each end is a transfer. */
template <flavour how> static step<how> repeats(int times)
{
	for (int i = 0; i < times; i++)
		co_await nothing<how>();
}

/* One within the other, so that all ends follow each other. */
template <flavour how> static step<how> nests(int depth)
{
	if (depth > 0)
		co_await nests<how>(depth - 1);
}

/* Runs the coroutine to its end; returns how deep the stack became. */
template <flavour how> static std::ptrdiff_t stack_of(step<how> first)
{
	std::uintptr_t top = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));

	deepest = 0;
	first.resume();
	CHECK(first.handle.done());
	return static_cast<std::ptrdiff_t>(top - deepest);
}

static long count(const std::vector<event> &events, unsigned kind)
{
	return std::count_if(events.begin(), events.end(),
		[kind](const event &e) { return e.kind == kind && e.argument == CTP_POINT_AWAIT; });
}

template <flavour how> static void test_chains(bool has_tail_calls, int length)
{
	std::vector<event> events;
	std::ptrdiff_t stack = stack_of(repeats<how>(length));

	if (has_tail_calls)
		CHECK(stack < stack_allowed);
	events = recording::take_coroutines();
	CHECK_EQUAL(count(events, CTP_KIND_SUSPEND), length);
	CHECK_EQUAL(count(events, CTP_KIND_RESUME), length);
	/* This chain is shorter, because the destructors of nested coroutines recurse in the program's own code. */
	stack = stack_of(nests<how>(short_chain));
	if (has_tail_calls)
		CHECK(stack < stack_allowed);
	events = recording::take_coroutines();
	CHECK_EQUAL(count(events, CTP_KIND_SUSPEND), short_chain);
	CHECK_EQUAL(count(events, CTP_KIND_RESUME), short_chain);
	CHECK_EQUAL(recording::lost(), 0);
}

int main()
{
	std::ptrdiff_t shorter = stack_of(repeats<untraced>(short_chain / 2));
	bool has_tail_calls = stack_of(repeats<untraced>(short_chain)) - shorter < short_chain;

	recording::attach();
	test_chains<base_class>(has_tail_calls, has_tail_calls ? chain : short_chain);
	test_chains<wrapper>(has_tail_calls, has_tail_calls ? chain / 2 : short_chain);
	if (has_tail_calls)
		CHECK(stack_of(repeats<untraced>(chain)) < stack_allowed);
	return check_result();
}
