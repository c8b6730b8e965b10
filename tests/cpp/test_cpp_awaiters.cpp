/* SPDX-License-Identifier: MIT */
/*
 * Every kind of awaiter still works under the wrapper and leaves the right events: results, value categories, noexcept,
 * exceptions, operator co_await. That the program compiles is also a test.
 */
#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include "recording.h"
#include "tasks.h"

using corotracer::PromiseMixin;

/* Operations must be called on this one object; it must not be copied on the way. */
struct pinned {
	pinned() = default;
	pinned(const pinned &) = delete;
	pinned &operator=(const pinned &) = delete;
};

/* await_suspend in its three forms. */

struct suspends_void : pinned {
	std::coroutine_handle<> *out;
	explicit suspends_void(std::coroutine_handle<> *to) : out(to)
	{
	}
	bool await_ready() const noexcept
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<> handle) noexcept
	{
		*out = handle;
	}
	int await_resume()
	{
		return 7;
	}
};

struct suspends_bool {
	bool answer;
	bool await_ready()
	{
		return false;
	}
	bool await_suspend(std::coroutine_handle<>)
	{
		return answer;
	}
	int await_resume()
	{
		return 8;
	}
};

struct suspends_to {
	std::coroutine_handle<> next;
	bool await_ready()
	{
		return false;
	}
	std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept
	{
		return next;
	}
	int await_resume()
	{
		return 9;
	}
};

struct suspends_to_itself {
	bool await_ready()
	{
		return false;
	}
	template <class Promise>
	std::coroutine_handle<Promise> await_suspend(std::coroutine_handle<Promise> handle)
	{
		return handle;
	}
	void await_resume()
	{
	}
};

template <class Task> static Task three_forms(std::coroutine_handle<> *out, int *sum)
{
	*sum += co_await suspends_void(out);
	*sum += co_await suspends_bool{true};
	*sum += co_await suspends_bool{false};
	*sum += co_await suspends_to{std::noop_coroutine()};
	co_await suspends_to_itself{};
	co_await std::suspend_never{};
}

template <class Task> static void test_three_forms(const char *before, const char *after)
{
	std::coroutine_handle<> out;
	std::vector<event> events;
	std::uint64_t id;
	int sum = 0;

	{
		Task t = three_forms<Task>(&out, &sum);
		id = t.handle.promise().corotracer_id();
		CHECK(out == t.handle);
		t.resume();
		t.resume();
		t.resume();
		CHECK_EQUAL(sum, 7 + 8 + 8 + 9);
		CHECK(t.handle.done());
	}
	events = recording::take_coroutines();
	CHECK(id != 0);
	CHECK_STRING(kinds(events, id), (std::string(before) +
						"suspend resume suspend resume suspend cancel "
						"suspend resume suspend resume " +
						after + "destroy"));
	CHECK_STRING(kinds(events, id), kinds(events));
	CHECK_EQUAL(nth(events, CTP_KIND_DESTROY).argument, CTP_LIFE_DONE);
}

/* Exceptions. */

struct throws_in_suspend {
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<>)
	{
		throw std::runtime_error("in await_suspend");
	}
	void await_resume()
	{
		std::abort();
	}
};

struct throws_in_resume {
	bool is_ready;
	bool await_ready()
	{
		return is_ready;
	}
	void await_suspend(std::coroutine_handle<>)
	{
	}
	void await_resume()
	{
		throw std::runtime_error("in await_resume");
	}
};

struct throws_in_ready {
	bool await_ready()
	{
		throw std::runtime_error("in await_ready");
	}
	void await_suspend(std::coroutine_handle<>)
	{
	}
	void await_resume()
	{
	}
};

struct throws_in_operator {
	std::suspend_always operator co_await() const
	{
		throw std::runtime_error("in operator co_await");
	}
};

template <class Awaitable> static task caught(Awaitable awaitable, std::string *what)
{
	try {
		co_await awaitable;
	} catch (const std::runtime_error &error) {
		*what = error.what();
	}
	co_await std::suspend_always{};
}

template <class Awaitable>
static void test_throwing(Awaitable awaitable, const char *what, const char *expected)
{
	std::string message;

	{
		task t = caught(awaitable, &message);
		if (message.empty())
			t.resume();
	}
	CHECK_STRING(message, what);
	CHECK_STRING(kinds(recording::take_coroutines()), expected);
}

/* An exception that leaves the body still reaches unhandled_exception. */
static task uncaught()
{
	co_await throws_in_suspend{};
}

static void test_uncaught()
{
	{
		task t = uncaught();
		CHECK(t.handle.done());
		CHECK(t.handle.promise().failure != nullptr);
	}
	CHECK_STRING(kinds(recording::take_coroutines()), "create frame suspend cancel destroy");
}

static void test_exceptions()
{
	test_throwing(throws_in_suspend{}, "in await_suspend",
		"create frame suspend cancel suspend destroy");
	test_throwing(throws_in_resume{true}, "in await_resume", "create frame suspend destroy");
	test_throwing(throws_in_resume{false}, "in await_resume",
		"create frame suspend resume suspend destroy");
	test_throwing(throws_in_ready{}, "in await_ready", "create frame suspend destroy");
	test_throwing(throws_in_operator{}, "in operator co_await", "create frame suspend destroy");
	test_uncaught();
}

/* Value categories: the wrapper passes on exactly what the awaiter got and returned. */

struct counts_categories {
	std::string *seen;

	struct answer {
		std::string *seen;
		bool await_ready()
		{
			return true;
		}
		void await_suspend(std::coroutine_handle<>)
		{
		}
		void await_resume()
		{
		}
	};
	answer operator co_await() &
	{
		*seen += "& ";
		return {seen};
	}
	answer operator co_await() const &
	{
		*seen += "const& ";
		return {seen};
	}
	answer operator co_await() &&
	{
		*seen += "&& ";
		return {seen};
	}
};

static task awaits_categories(std::string *seen)
{
	counts_categories value{seen};
	const counts_categories constant{seen};

	co_await value;
	co_await constant;
	co_await std::move(value);
	co_await counts_categories{seen};
}

struct reference_result {
	std::unique_ptr<int> *box;
	bool await_ready() const
	{
		return true;
	}
	void await_suspend(std::coroutine_handle<>) const
	{
	}
	std::unique_ptr<int> &await_resume() const
	{
		return *box;
	}
};

struct rvalue_result {
	std::unique_ptr<int> *box;
	bool await_ready()
	{
		return true;
	}
	void await_suspend(std::coroutine_handle<>)
	{
	}
	std::unique_ptr<int> &&await_resume()
	{
		return std::move(*box);
	}
};

struct immovable_result {
	struct made : pinned {
		int number;
		explicit made(int n) : number(n)
		{
		}
	};
	bool await_ready()
	{
		return true;
	}
	void await_suspend(std::coroutine_handle<>)
	{
	}
	made await_resume()
	{
		return made(11);
	}
};

/* Not an aggregate: gcc 12 destroys the parts of an awaited aggregate twice, traced or not. */
struct move_only_awaiter {
	std::unique_ptr<int> held;
	explicit move_only_awaiter(std::unique_ptr<int> box) : held(std::move(box))
	{
	}
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<>)
	{
	}
	std::unique_ptr<int> await_resume()
	{
		return std::move(held);
	}
};

struct immovable_awaiter : pinned {
	immovable_awaiter *self;
	immovable_awaiter() : self(this)
	{
	}
	bool await_ready() noexcept
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<>) noexcept
	{
	}
	bool await_resume() noexcept
	{
		return self == this;
	}
};

static immovable_awaiter make_immovable()
{
	return {};
}

/* An operator co_await whose awaiter cannot be moved, and one that returns a reference. */
struct gives_immovable {
	immovable_awaiter operator co_await() const
	{
		return {};
	}
};

struct gives_reference {
	immovable_awaiter inner;
	immovable_awaiter &operator co_await()
	{
		return inner;
	}
};

namespace elsewhere
{
struct by_free_operator {
	int number;
};
struct free_awaiter {
	int number;
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<>)
	{
	}
	int await_resume()
	{
		return number;
	}
};
free_awaiter operator co_await(const by_free_operator &value)
{
	return {value.number};
}

} /* namespace elsewhere */

/* This operator accepts anything that its namespace is searched for: it must not be found for the wrapper. */
namespace greedy
{
struct thing {
	int value;
};
template <class Type> elsewhere::free_awaiter operator co_await(Type &&thing)
{
	return {thing.value};
}
} /* namespace greedy */

/* An operator that is visible only at the co_await: it works, and is not traced. */
elsewhere::free_awaiter operator co_await(std::array<int, 3> numbers)
{
	return {numbers[0] + numbers[1] + numbers[2]};
}

template <class Task> static Task awaits_all(int *passed)
{
	auto box = std::make_unique<int>(5);
	immovable_awaiter named;
	const reference_result constant{&box};
	gives_reference gives;

	*passed += &co_await reference_result{&box} == &box;
	*passed += &co_await constant == &box;
	auto moved = co_await rvalue_result{&box};
	*passed += box == nullptr && *moved == 5;
	auto made = co_await immovable_result{};
	*passed += made.number == 11;
	*passed += *co_await move_only_awaiter(std::make_unique<int>(6)) == 6;
	*passed += co_await immovable_awaiter{};
	*passed += co_await make_immovable();
	*passed += co_await named;
	*passed += co_await gives_immovable{};
	*passed += co_await gives;
	*passed += co_await elsewhere::by_free_operator{3} == 3;
	*passed += co_await greedy::thing{4} == 4;
	*passed += co_await std::array<int, 3>{1, 2, 3} == 6;
}

template <class Task> static void test_categories()
{
	std::vector<event> events;
	int passed = 0;

	{
		Task t = awaits_all<Task>(&passed);
		while (!t.handle.done())
			t.resume();
		if (t.handle.promise().failure)
			std::rethrow_exception(t.handle.promise().failure);
	}
	CHECK_EQUAL(passed, 13);
	events = recording::take_coroutines();
	/*
	 * Eight of them suspend and are recorded; the one whose operator is not visible to the probe is not.
	 */
	CHECK_EQUAL(std::count_if(events.begin(), events.end(),
			    [](const event &e) {
				    return e.kind == CTP_KIND_SUSPEND &&
					   e.argument == CTP_POINT_AWAIT;
			    }),
		8);
}

static void test_operator_categories()
{
	std::string seen;

	awaits_categories(&seen);
	CHECK_STRING(seen, "& const& && && ");
	recording::take();
}

/* Temporaries of the operand live to the end of the full expression. */
struct told_death {
	bool *is_dead;
	explicit told_death(bool *flag) : is_dead(flag)
	{
	}
	told_death(const told_death &) = delete;
	~told_death()
	{
		*is_dead = true;
	}
	bool await_ready()
	{
		return false;
	}
	void await_suspend(std::coroutine_handle<>)
	{
	}
	bool *await_resume()
	{
		return is_dead;
	}
};

static task keeps_temporary(bool *is_dead, bool *was_dead)
{
	*was_dead = *co_await told_death(is_dead);
	co_await std::suspend_always{};
}

static void test_lifetime()
{
	bool is_dead = false;
	bool was_dead = true;
	task t = keeps_temporary(&is_dead, &was_dead);

	CHECK(!is_dead);
	t.resume();
	CHECK(!was_dead);
	CHECK(is_dead);
	t.destroy();
	recording::take();
}

/* The noexcept of each operation is that of the awaiter's operation. */
template <class Awaitable>
using wait_for =
	decltype(std::declval<PromiseMixin &>().await_transform(std::declval<Awaitable>()));
template <class Awaitable>
constexpr bool is_suspend_noexcept = noexcept(
	std::declval<wait_for<Awaitable> &>().await_suspend(std::coroutine_handle<task_promise>()));
template <class Awaitable>
constexpr bool is_resume_noexcept = noexcept(std::declval<wait_for<Awaitable> &>().await_resume());
template <class Awaitable>
constexpr bool is_ready_noexcept = noexcept(std::declval<wait_for<Awaitable> &>().await_ready());
template <class Awaitable>
constexpr bool is_transform_noexcept = noexcept(
	std::declval<PromiseMixin &>().await_transform(std::declval<Awaitable>()));

static_assert(is_suspend_noexcept<suspends_void> && !is_suspend_noexcept<suspends_bool>);
static_assert(is_ready_noexcept<suspends_void> && !is_ready_noexcept<suspends_bool>);
static_assert(is_resume_noexcept<immovable_awaiter> && !is_resume_noexcept<suspends_void>);
static_assert(is_transform_noexcept<suspends_bool> && is_transform_noexcept<immovable_awaiter &>);
static_assert(!is_transform_noexcept<throws_in_operator>);

/* The same holds for the types that the compiler inspects. */
template <class Awaitable>
using suspend_type = decltype(std::declval<wait_for<Awaitable> &>().await_suspend(
	std::coroutine_handle<task_promise>()));
static_assert(std::is_same_v<suspend_type<suspends_void>, void>);
static_assert(std::is_same_v<suspend_type<suspends_bool>, bool>);
static_assert(std::is_same_v<suspend_type<suspends_to>, std::coroutine_handle<>>);
static_assert(
	std::is_same_v<suspend_type<suspends_to_itself>, std::coroutine_handle<task_promise>>);

int main()
{
	recording::attach();
	test_three_forms<task>("create frame ", "");
	test_three_forms<wrapped>("create resume frame ", "return suspend ");
	test_exceptions();
	test_operator_categories();
	test_categories<task>();
	test_categories<wrapped>();
	test_lifetime();
	CHECK_EQUAL(recording::lost(), 0);
	return check_result();
}
