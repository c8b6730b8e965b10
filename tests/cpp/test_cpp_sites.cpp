/* SPDX-License-Identifier: MIT */
/*
 * Places and names: the line in a report is the line of the co_await, under each name that awaiters can have; resources
 * come from the trait or the member; a wake has its own line.
 */
#include <iterator>

#include "recording.h"
#include "tasks.h"

/* The names of types are the same with both compilers. */
namespace app
{
namespace io
{
struct AsyncRead {
	int fd;
	bool await_ready() const noexcept
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<>) const noexcept
	{
	}
	void await_resume() const noexcept
	{
	}
	std::uint64_t corotracer_resource() const noexcept
	{
		return corotracer::descriptor(fd);
	}
	struct Nested : std::suspend_always {
	};
};
template <class... Types> struct Of : std::suspend_always {
};
template <int number> struct Number : std::suspend_always {
};
} /* namespace io */
namespace
{
struct Hidden : std::suspend_always {
};
} /* namespace */
inline namespace __detail
{
struct Inlined : std::suspend_always {
};
} /* namespace __detail */
} /* namespace app */
enum class Colour { red };
class __Reserved : public std::suspend_always
{
};

template <class Type> constexpr std::string_view name_of = corotracer::detail::type_name<Type>;
static_assert(name_of<int> == "int");
static_assert(name_of<app::io::AsyncRead> == "app::io::AsyncRead");
static_assert(name_of<app::io::AsyncRead::Nested> == "app::io::AsyncRead::Nested");
static_assert(name_of<app::Hidden> == "app::Hidden");
static_assert(name_of<app::Inlined> == "app::Inlined");
static_assert(name_of<__Reserved> == "__Reserved");
static_assert(name_of<std::suspend_always> == "std::suspend_always");
static_assert(name_of<app::io::Number<7>> == "app::io::Number<7>");
static_assert(name_of<app::io::Of<app::io::Of<int>>> == "app::io::Of<app::io::Of<int>>");
static_assert(name_of<app::io::Of<app::Hidden, Colour>> == "app::io::Of<app::Hidden, Colour>");
static_assert(name_of<app::io::Of<std::suspend_never>> == "app::io::Of<std::suspend_never>");

/* The names of functions, in the form of each compiler. */
constexpr std::string_view plain(std::string_view text)
{
	return corotracer::detail::plain_function_name(text);
}
static_assert(plain("serve") == "serve");
static_assert(plain("operator()") == "operator()");
static_assert(plain("int main()") == "main");
static_assert(plain("task Server::serve(int)") == "Server::serve");
static_assert(plain("void app::serve(serve(int)::_Z5servei.Frame*)") == "app::serve");
static_assert(plain("std::coroutine_handle<void> Queue::take() const") == "Queue::take");
static_assert(plain("Pair<int, long int> f(void (*)(int)) [with T = int]") == "f");
static_assert(plain("static X Y<T>::f(T) [with T = a b]") == "Y<T>::f");
static_assert(plain("main()::<lambda(int)>") == "main()::<lambda(int)>");
static_assert(plain("Flag::operator bool() const") == "Flag::operator bool");
static_assert(plain("void Work::operator()(int) &&") == "Work::operator()");
static_assert(plain("Server::Server(int)") == "Server::Server");
static_assert(plain("").empty() && plain(")").empty() && plain("(") == "(");

/* Named and described from outside, by the trait. */
struct Lock {
	bool is_held;
};
struct LockAwaiter : std::suspend_always {
	const Lock *lock;
};
struct Channel {
	int depth;
	std::suspend_always operator co_await() const noexcept
	{
		return {};
	}
};

template <> struct corotracer::wait_traits<LockAwaiter> {
	static std::uint64_t resource(const LockAwaiter &awaiter) noexcept
	{
		return corotracer::lock(awaiter.lock);
	}
	static constexpr std::string_view name = "lock";
};
template <> struct corotracer::wait_traits<Channel> {
	static std::uint64_t resource(const Channel &channel) noexcept
	{
		return corotracer::channel(&channel);
	}
};

static bool ends_with(const std::string &text, std::string_view end)
{
	return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

static int lines[8];

namespace app
{
static task reads(const Lock *lock, const Channel *channel)
{
	LockAwaiter awaiter;

	awaiter.lock = lock;
	lines[0] = __LINE__ + 1;
	co_await io::AsyncRead{5};
	lines[1] = __LINE__ + 1;
	co_await awaiter;
	lines[2] = __LINE__ + 1;
	co_await *channel;
	lines[3] = __LINE__ + 1;
	co_await Hidden();
}
} /* namespace app */

static void check_wait(const event &e, int line, std::string_view reason, std::uint64_t resource)
{
	CHECK_EQUAL(e.site_kind, CTP_SITE_SOURCE);
	CHECK_EQUAL(e.site_form, CTP_FORM_CO_AWAIT);
	CHECK_EQUAL(e.line, line);
	CHECK(e.column > 0);
	CHECK(ends_with(e.file, "test_cpp_sites.cpp"));
	CHECK(ends_with(e.function, "reads"));
	CHECK_STRING(e.reason, std::string(reason));
	CHECK_EQUAL(e.object, resource);
}

static void test_waits()
{
	const Lock lock = {true};
	const Channel channel = {3};
	std::vector<event> events;
	task t = app::reads(&lock, &channel);

	for (int i = 0; i < 4; i++)
		t.resume();
	events = recording::take_coroutines();
	check_wait(nth(events, CTP_KIND_SUSPEND, 0), lines[0], "app::io::AsyncRead",
		CTP_DESCRIPTOR(5, 0));
	check_wait(nth(events, CTP_KIND_SUSPEND, 1), lines[1], "lock",
		CTP_HANDLE(CTP_RESOURCE_LOCK, reinterpret_cast<std::uintptr_t>(&lock)));
	check_wait(nth(events, CTP_KIND_SUSPEND, 2), lines[2], "Channel",
		CTP_HANDLE(CTP_RESOURCE_CHANNEL, reinterpret_cast<std::uintptr_t>(&channel)));
	check_wait(nth(events, CTP_KIND_SUSPEND, 3), lines[3], "app::Hidden", 0);
	t.destroy();
	recording::take();
}

/*
 * A co_await over several lines: gcc reports the line on which it ends, clang the line on which it begins. Either is a
 * line of the expression; this test fixes which.
 */
static std::suspend_always several(int, int)
{
	return {};
}

static int first_line, last_line;

static task awaits_over_lines()
{
	/* clang-format off */
	first_line = __LINE__ + 1;
	co_await several(
		1,
		2);
	last_line = __LINE__ - 1;
	/* clang-format on */
}

static void test_several_lines()
{
	task t = awaits_over_lines();
	std::vector<event> events = recording::take_coroutines();

	t.resume();
	CHECK(first_line < last_line);
#ifdef __clang__
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND).line, first_line);
#else
	CHECK(static_cast<int>(nth(events, CTP_KIND_SUSPEND).line) >= first_line);
	CHECK(static_cast<int>(nth(events, CTP_KIND_SUSPEND).line) <= last_line);
#endif
	t.destroy();
	recording::take();
}

/* One place has one number, however often it is passed; two waits on one line are two places. */
static task awaits_often(int times)
{
	for (int i = 0; i < times; i++)
		co_await std::suspend_always{};
	/* clang-format off */
	co_await std::suspend_always{}; co_await std::suspend_always{};
	/* clang-format on */
}

static void test_numbers()
{
	std::vector<event> events;
	task t = awaits_often(3);

	while (!t.handle.done())
		t.resume();
	events = recording::take_coroutines();
	CHECK(nth(events, CTP_KIND_SUSPEND, 0).site != 0);
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 0).site, nth(events, CTP_KIND_SUSPEND, 2).site);
	CHECK(nth(events, CTP_KIND_SUSPEND, 2).site != nth(events, CTP_KIND_SUSPEND, 3).site);
	CHECK(nth(events, CTP_KIND_SUSPEND, 3).site != nth(events, CTP_KIND_SUSPEND, 4).site);
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 3).line, nth(events, CTP_KIND_SUSPEND, 4).line);
	t.destroy();
	recording::take();
}

/* A template awaits different things on one line. */
template <class Awaitable> static task awaits_any(Awaitable awaitable)
{
	co_await awaitable;
}

static void test_templates()
{
	std::vector<event> events;

	awaits_any(app::io::Number<1>());
	awaits_any(app::io::Number<2>());
	events = recording::take_coroutines();
	CHECK_STRING(nth(events, CTP_KIND_SUSPEND, 0).reason, "app::io::Number<1>");
	CHECK_STRING(nth(events, CTP_KIND_SUSPEND, 1).reason, "app::io::Number<2>");
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 0).line, nth(events, CTP_KIND_SUSPEND, 1).line);
}

/* The function of a lambda, and of a member. */
struct object {
	task method(int) const
	{
		co_await std::suspend_always{};
	}
};

static void test_functions()
{
	auto lambda = [](int) -> task { co_await std::suspend_always{}; };
	std::vector<event> events;
	const object o;

	lambda(1);
	o.method(2);
	events = recording::take_coroutines();
	CHECK(ends_with(nth(events, CTP_KIND_SUSPEND, 0).function, "operator()"));
	CHECK(ends_with(nth(events, CTP_KIND_SUSPEND, 1).function, "method"));
}

/* Yields have a place; the initial and the final suspension have only the awaiter's name. */
struct numbers;
struct numbers_promise : promise_parts {
	numbers get_return_object();
	std::suspend_always initial_suspend() noexcept
	{
		return {};
	}
	app::Hidden yield_value(int) noexcept
	{
		return {};
	}
};
struct numbers : owned<numbers_promise> {
	using promise_type = corotracer::traced<numbers_promise>;
	using owned::owned;
};
numbers numbers_promise::get_return_object()
{
	return numbers(std::coroutine_handle<numbers_promise>::from_promise(*this));
}

static int yield_line;

static numbers yields_number()
{
	yield_line = __LINE__ + 1;
	co_yield 1;
}

static void test_points()
{
	std::vector<event> events;
	numbers n = yields_number();

	n.resume();
	n.resume();
	events = recording::take_coroutines();
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 0).site_kind, CTP_SITE_NAME);
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 0).site_form, CTP_FORM_CO_AWAIT);
	CHECK_STRING(nth(events, CTP_KIND_SUSPEND, 0).reason, "std::suspend_always");
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 1).site_kind, CTP_SITE_SOURCE);
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 1).line, yield_line);
	CHECK_STRING(nth(events, CTP_KIND_SUSPEND, 1).reason, "app::Hidden");
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 2).site_kind, CTP_SITE_NAME);
	n.destroy();
	recording::take();
}

/* Wakes by any handle or address, with any outcome, each with its own line. */
static void test_wakes()
{
	std::vector<event> events;
	task t = awaits_often(1);
	std::coroutine_handle<> erased = t.handle;
	std::uint64_t target = corotracer::frame(erased.address());
	int line = __LINE__ + 2;

	corotracer::wake(t.handle);
	corotracer::wake(erased, corotracer::outcome::already_queued);
	corotracer::wake(erased.address(), corotracer::outcome::dropped);
	recording::take().swap(events);
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQUAL(nth(events, CTP_KIND_WAKE, i).object, target);
		CHECK_EQUAL(nth(events, CTP_KIND_WAKE, i).coro, 0);
		CHECK_EQUAL(nth(events, CTP_KIND_WAKE, i).line, line + static_cast<int>(i));
		CHECK_STRING(nth(events, CTP_KIND_WAKE, i).function, "test_wakes");
	}
	CHECK_EQUAL(nth(events, CTP_KIND_WAKE, 0).argument, CTP_OUTCOME_QUEUED);
	CHECK_EQUAL(nth(events, CTP_KIND_WAKE, 1).argument, CTP_OUTCOME_ALREADY_QUEUED);
	CHECK_EQUAL(nth(events, CTP_KIND_WAKE, 2).argument, CTP_OUTCOME_DROPPED);
	t.destroy();
	recording::take();
}

/* The list of outcomes must equal the protocol's. */
constexpr corotracer::outcome outcomes[] = {corotracer::outcome::queued,
	corotracer::outcome::already_queued, corotracer::outcome::target_running,
	corotracer::outcome::dropped, corotracer::outcome::no_target, corotracer::outcome::resumed,
	corotracer::outcome::no_waker, corotracer::outcome::passed_on};

constexpr bool are_outcomes_complete()
{
	std::size_t i = 0;

#define X(name, number, text, meaning)                                                         \
	if (i >= std::size(outcomes) || static_cast<int>(outcomes[i++]) != CTP_OUTCOME_##name) \
		return false;
#include "corotracer/def/outcomes.def"
#undef X
	return i == std::size(outcomes);
}
static_assert(are_outcomes_complete());

/*
 * The spawn site is an address in the program's code, the same each time the same code spawns. The compiler does not
 * know the count, so it does not split the loop's body.
 */
__attribute__((noinline)) static void spawns_here(int times)
{
	for (int i = 0; i < times; i++) {
		awaits_often(0);
		__asm__ volatile("" : "+r"(i));
	}
}

static void test_spawn_site()
{
	std::vector<event> events;

	spawns_here(2);
	events = recording::take_coroutines();
	CHECK_EQUAL(nth(events, CTP_KIND_CREATE, 0).site_kind, CTP_SITE_CALLER);
	CHECK(nth(events, CTP_KIND_CREATE, 0).address != 0);
	CHECK_EQUAL(nth(events, CTP_KIND_CREATE, 0).site, nth(events, CTP_KIND_CREATE, 1).site);
}

int main()
{
	recording::attach();
	test_waits();
	test_several_lines();
	test_numbers();
	test_templates();
	test_functions();
	test_points();
	test_wakes();
	test_spawn_site();
	CHECK_EQUAL(recording::lost(), 0);
	return check_result();
}
