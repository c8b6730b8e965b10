/* SPDX-License-Identifier: MIT */
/*
 * What only corotracer::traced<Promise> can record: generators, promises with an await_transform of their own, the
 * initial and the final suspension. The wrapped promise must still behave as its author wrote it.
 */
#include <new>
#include <string>
#include <tuple>
#include <utility>

#include "recording.h"
#include "tasks.h"

/* A generator that yields pairs: braces, lvalues and temporaries. */
struct generator;
struct generator_promise {
	std::pair<int, int> current;

	generator get_return_object();
	std::suspend_always initial_suspend() noexcept
	{
		return {};
	}
	std::suspend_always final_suspend() noexcept
	{
		return {};
	}
	std::suspend_always yield_value(std::pair<int, int> value)
	{
		current = value;
		return {};
	}
	void return_void()
	{
	}
	void unhandled_exception()
	{
	}
	/* Like in std::generator: nothing may be awaited. */
	void await_transform() = delete;
};
struct generator : owned<generator_promise> {
	using promise_type = corotracer::traced<generator_promise>;
	using owned::owned;
};
generator generator_promise::get_return_object()
{
	return generator(std::coroutine_handle<generator_promise>::from_promise(*this));
}

template <class Promise, class Operand>
concept can_await = requires(Promise &promise, Operand &&operand)
{
	promise.await_transform(std::forward<Operand>(operand));
};
static_assert(!can_await<generator::promise_type, std::suspend_always>);

static generator yields_pairs()
{
	std::pair<int, int> named(3, 4);

	co_yield {1, 2};
	co_yield named;
	co_yield std::pair<int, int>(5, 6);
}

static void test_generator()
{
	std::vector<event> events;
	int sum = 0;

	{
		generator g = yields_pairs();
		for (g.resume(); !g.handle.done(); g.resume())
			sum = sum * 100 + g.handle.promise().current.first * 10 +
			      g.handle.promise().current.second;
	}
	CHECK_EQUAL(sum, 123456);
	events = recording::take_coroutines();
	CHECK_STRING(kinds(events),
		"create frame suspend resume suspend resume suspend resume suspend resume "
		"return suspend destroy");
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 1).argument, CTP_POINT_YIELD);
	CHECK_EQUAL(nth(events, CTP_KIND_RESUME, 1).argument, CTP_POINT_YIELD);
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 4).argument, CTP_POINT_FINAL);
	{
		generator g = yields_pairs();
		g.resume();
	}
	CHECK_EQUAL(nth(recording::take(), CTP_KIND_DESTROY).argument, CTP_LIFE_SUSPENDED);
}

/* Overloaded yield_value, each with another type of result; co_yield has a value. */
struct overloads;
struct overloads_promise : promise_parts {
	std::string text;

	struct answer {
		int number;
		bool await_ready() const noexcept
		{
			return true;
		}
		void await_suspend(std::coroutine_handle<>) const noexcept
		{
		}
		int await_resume() const noexcept
		{
			return number;
		}
	};
	overloads get_return_object();
	answer yield_value(int)
	{
		text += "int ";
		return {1};
	}
	answer yield_value(const std::string &)
	{
		text += "const& ";
		return {2};
	}
	answer yield_value(std::string &&)
	{
		text += "&& ";
		return {3};
	}
	template <class... Parts> answer yield_value(std::tuple<Parts...>)
	{
		text += "template ";
		return {4};
	}
};
struct overloads : owned<overloads_promise> {
	using promise_type = corotracer::traced<overloads_promise>;
	using owned::owned;
};
overloads overloads_promise::get_return_object()
{
	return overloads(std::coroutine_handle<overloads_promise>::from_promise(*this));
}

static overloads yields_overloads(int *sum)
{
	std::string named = "named";

	*sum = *sum * 10 + (co_yield 1);
	*sum = *sum * 10 + (co_yield named);
	*sum = *sum * 10 + (co_yield std::string("temporary"));
	*sum = *sum * 10 + (co_yield std::tuple<int, long>(1, 2));
}

static void test_overloads()
{
	int sum = 0;
	overloads o = yields_overloads(&sum);

	CHECK_EQUAL(sum, 1234);
	CHECK_STRING(o.handle.promise().text, "int const& && template ");
	o.destroy();
	CHECK_STRING(
		kinds(recording::take_coroutines()), "create resume return frame suspend destroy");
}

/* A promise with an await_transform of its own besides the base class: it hides the base class's. */
struct sleep_for {
	int ticks;
};
struct sleeper {
	int ticks;
	bool await_ready() const noexcept
	{
		return ticks == 0;
	}
	void await_suspend(std::coroutine_handle<>) const noexcept
	{
	}
	int await_resume() const noexcept
	{
		return ticks;
	}
	std::uint64_t corotracer_resource() const noexcept
	{
		return corotracer::timer(static_cast<std::uint64_t>(ticks));
	}
};

struct transforming;
struct transforming_promise : promise_parts, corotracer::PromiseMixin {
	transforming get_return_object();
	sleeper await_transform(sleep_for time) noexcept
	{
		return {time.ticks};
	}
	const sleeper &await_transform(const sleeper &kept)
	{
		return kept;
	}
	/* With a place: that of the co_await. */
	sleeper await_transform(
		const char *, corotracer::location where = corotracer::location::current())
	{
		return {static_cast<int>(where.line())};
	}
};
struct transforming : owned<transforming_promise> {
	using promise_type = corotracer::traced<transforming_promise>;
	using owned::owned;
};
transforming transforming_promise::get_return_object()
{
	return transforming(std::coroutine_handle<transforming_promise>::from_promise(*this));
}
static_assert(sizeof(transforming::promise_type) == sizeof(transforming_promise));
static_assert(can_await<transforming::promise_type, sleep_for>);
static_assert(!can_await<transforming::promise_type, std::suspend_always>);
static_assert(noexcept(
	std::declval<transforming::promise_type &>().await_transform(std::declval<sleep_for>())));
static_assert(!noexcept(std::declval<transforming::promise_type &>().await_transform(
	std::declval<const sleeper &>())));

static transforming awaits_transformed(int *sum, int *line)
{
	const sleeper kept{3};

	*sum += co_await sleep_for{1};
	*sum += co_await kept;
	*sum += co_await sleep_for{0};
	*line = co_await "here";
	CHECK_EQUAL(*line, __LINE__ - 1);
}

static void test_own_transform()
{
	std::vector<event> events;
	int sum = 0;
	int line = 0;

	{
		transforming t = awaits_transformed(&sum, &line);
		std::uint64_t id = t.handle.promise().corotracer_id();

		while (!t.handle.done())
			t.resume();
		events = recording::take_coroutines();
		CHECK_EQUAL(nth(events, CTP_KIND_CREATE).coro, id);
	}
	CHECK_EQUAL(sum, 4);
	CHECK_STRING(kinds(events),
		"create resume frame suspend resume suspend resume suspend resume return suspend");
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 0).object, corotracer::timer(1));
	CHECK_EQUAL(nth(events, CTP_KIND_SUSPEND, 1).object, corotracer::timer(3));
	CHECK_STRING(nth(events, CTP_KIND_SUSPEND, 0).reason, "sleeper");
	recording::take();
}

/* An awaiter that await_transform makes for this promise alone: any handle fits, until it is compiled. */
template <class Promise> struct made_for_promise : std::suspend_always {
	template <class Other>
	void await_suspend(std::coroutine_handle<Other> handle) const noexcept
	{
		static_assert(std::is_same_v<Other, Promise>);
		handle.promise().awaits++;
	}
};
struct choosy;
struct choosy_promise : promise_parts {
	int awaits = 0;

	choosy get_return_object();
	made_for_promise<choosy_promise> await_transform(sleep_for) noexcept
	{
		return {};
	}
};
struct choosy : owned<choosy_promise> {
	using promise_type = corotracer::traced<choosy_promise>;
	using owned::owned;
};
choosy choosy_promise::get_return_object()
{
	return choosy(std::coroutine_handle<choosy_promise>::from_promise(*this));
}

static void test_made_for_promise()
{
	{
		choosy twice = []() -> choosy {
			co_await sleep_for{1};
			co_await sleep_for{2};
		}();

		while (!twice.handle.done())
			twice.resume();
		CHECK_EQUAL(twice.handle.promise().awaits, 2);
	}
	CHECK_STRING(kinds(recording::take_coroutines()),
		"create resume frame suspend resume suspend resume return suspend destroy");
}

/* A promise whose await_transform is the base class's own: wrapped once, not twice. */
struct both;
struct both_promise : promise_parts, corotracer::PromiseMixin {
	both get_return_object();
};
struct both : owned<both_promise> {
	using promise_type = corotracer::traced<both_promise>;
	using owned::owned;
};
both both_promise::get_return_object()
{
	return both(std::coroutine_handle<both_promise>::from_promise(*this));
}

static both awaits_once()
{
	co_await std::suspend_always{};
}

static void test_both()
{
	both b = awaits_once();

	CHECK_STRING(kinds(recording::take_coroutines()), "create resume frame suspend");
	b.destroy();
	recording::take();
}

/* Promises that are constructed with the coroutine's parameters, and that allocate their frames. */
struct particular;
struct particular_promise : promise_parts {
	int number;
	static inline int allocated = 0;

	particular_promise(int first, const std::string &second)
	    : number(first + static_cast<int>(second.size()))
	{
	}
	particular get_return_object();
	static void *operator new(std::size_t size, int, const std::string &)
	{
		allocated++;
		return ::operator new(size);
	}
	static void operator delete(void *memory, std::size_t)
	{
		allocated--;
		::operator delete(memory);
	}
};
struct particular : owned<particular_promise> {
	using promise_type = corotracer::traced<particular_promise>;
	using owned::owned;
};
particular particular_promise::get_return_object()
{
	return particular(std::coroutine_handle<particular_promise>::from_promise(*this));
}

static particular takes_parameters(int, std::string)
{
	co_await std::suspend_always{};
}

static void test_parameters()
{
	particular p = takes_parameters(40, "ab");

	CHECK_EQUAL(p.handle.promise().number, 42);
	CHECK_EQUAL(particular_promise::allocated, 1);
	p.destroy();
	CHECK_EQUAL(particular_promise::allocated, 0);
	recording::take();
}

/* Larger alignment: the promise stays where its author's handles expect it. */
struct aligned;
struct alignas(64) aligned_promise : promise_parts {
	int number = 77;
	aligned get_return_object();
	/* Frames are allocated with an alignment of 16 bytes; compilers leave larger alignments to the promise. */
	static void *operator new(std::size_t nr_bytes)
	{
		return ::operator new(nr_bytes, std::align_val_t(alignof(aligned_promise)));
	}
	static void operator delete(void *frame)
	{
		::operator delete(frame, std::align_val_t(alignof(aligned_promise)));
	}
};
struct aligned : owned<aligned_promise> {
	using promise_type = corotracer::traced<aligned_promise>;
	using owned::owned;
};
aligned aligned_promise::get_return_object()
{
	return aligned(std::coroutine_handle<aligned_promise>::from_promise(*this));
}

struct looks_at_promise {
	int *number;
	bool await_ready() const noexcept
	{
		return false;
	}
	bool await_suspend(std::coroutine_handle<aligned_promise> handle) const noexcept
	{
		*number = handle.promise().number;
		return false;
	}
	void await_resume() const noexcept
	{
	}
};

static aligned is_aligned(int *number)
{
	co_await looks_at_promise{number};
	co_await std::suspend_always{};
}

static void test_alignment()
{
	int number = 0;
	aligned a = is_aligned(&number);

	CHECK_EQUAL(number, 77);
	CHECK_EQUAL(a.handle.promise().number, 77);
	CHECK(!a.handle.done());
	a.resume();
	CHECK(a.handle.done());
	a.destroy();
	recording::take();
}

/* The final suspension transfers to the waiting coroutine, as in tasks that await tasks. */
struct chained;
struct chained_promise {
	std::coroutine_handle<> waiting = std::noop_coroutine();
	int value = 0;

	struct hand_over {
		bool await_ready() const noexcept
		{
			return false;
		}
		std::coroutine_handle<> await_suspend(
			std::coroutine_handle<chained_promise> handle) const noexcept
		{
			return handle.promise().waiting;
		}
		void await_resume() const noexcept
		{
		}
	};
	chained get_return_object();
	std::suspend_always initial_suspend() noexcept
	{
		return {};
	}
	hand_over final_suspend() noexcept
	{
		return {};
	}
	void return_value(int v)
	{
		value = v;
	}
	void unhandled_exception()
	{
	}
};
struct chained : owned<chained_promise> {
	using promise_type = corotracer::traced<chained_promise>;
	using owned::owned;

	struct awaiter {
		std::coroutine_handle<chained_promise> handle;
		bool await_ready() const noexcept
		{
			return false;
		}
		std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept
		{
			handle.promise().waiting = waiting;
			return handle;
		}
		int await_resume()
		{
			return handle.promise().value;
		}
		std::uint64_t corotracer_resource() const noexcept
		{
			return corotracer::child(handle);
		}
	};
	awaiter operator co_await() const noexcept
	{
		return {handle};
	}
};
chained chained_promise::get_return_object()
{
	return chained(std::coroutine_handle<chained_promise>::from_promise(*this));
}
static_assert(noexcept(std::declval<chained::promise_type &>().final_suspend()));

static chained leaf(int number)
{
	co_return number;
}

static chained parent()
{
	int first = co_await leaf(4);

	co_return first + co_await leaf(5);
}

static void test_final_transfer()
{
	std::vector<event> events;
	chained p = parent();

	p.resume();
	CHECK(p.handle.done());
	CHECK_EQUAL(p.handle.promise().value, 9);
	events = recording::take_coroutines();
	CHECK_STRING(kinds(events, nth(events, CTP_KIND_CREATE, 1).coro),
		"create frame suspend resume return suspend destroy");
	CHECK_STRING(nth(events, CTP_KIND_SUSPEND, 2).reason, "chained");
	CHECK_EQUAL(
		CTP_HANDLE_RESOURCE(nth(events, CTP_KIND_SUSPEND, 2).object), CTP_RESOURCE_FRAME);
	CHECK_EQUAL(CTP_HANDLE_IDENTITY(nth(events, CTP_KIND_SUSPEND, 2).object),
		nth(events, CTP_KIND_FRAME, 1).object);
	p.destroy();
	recording::take();
}

/* An initial awaiter that does not suspend, or says so late, leaves no suspend event. */
struct changes_mind {
	bool await_ready() const noexcept
	{
		return false;
	}
	bool await_suspend(std::coroutine_handle<>) const noexcept
	{
		return false;
	}
	void await_resume() const noexcept
	{
	}
};
struct undecided;
struct undecided_promise : promise_parts {
	undecided get_return_object();
	changes_mind initial_suspend() noexcept
	{
		return {};
	}
};
struct undecided : owned<undecided_promise> {
	using promise_type = corotracer::traced<undecided_promise>;
	using owned::owned;
};
undecided undecided_promise::get_return_object()
{
	return undecided(std::coroutine_handle<undecided_promise>::from_promise(*this));
}

static undecided starts_late()
{
	co_return;
}

static void test_initial_cancel()
{
	undecided u = starts_late();

	CHECK_STRING(kinds(recording::take_coroutines()),
		"create frame suspend cancel resume return suspend");
	u.destroy();
	recording::take();
}

int main()
{
	recording::attach();
	test_generator();
	test_overloads();
	test_own_transform();
	test_made_for_promise();
	test_both();
	test_parameters();
	test_alignment();
	test_final_transfer();
	test_initial_cancel();
	CHECK_EQUAL(recording::lost(), 0);
	return check_result();
}
