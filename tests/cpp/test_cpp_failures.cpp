/* SPDX-License-Identifier: MIT */
/*
 * Exceptions that leave the body of a coroutine: the wrapper tells that end as a failure, with the function, before the
 * promise sees the exception.
 */
#include <stdexcept>

#include "recording.h"
#include "tasks.h"

static wrapped fails()
{
	co_await std::suspend_always{};
	throw std::runtime_error("no route");
}

static void test_kept()
{
	std::vector<event> events;

	{
		wrapped w = fails();

		w.resume();
		CHECK(w.handle.done());
		CHECK(w.handle.promise().failure != nullptr);
	}
	events = recording::take_coroutines();
	CHECK_STRING(kinds(events), "create resume frame suspend resume return suspend destroy");
	CHECK(nth(events, CTP_KIND_RETURN).function.find("fails") != std::string::npos);
	CHECK_EQUAL(nth(events, CTP_KIND_DESTROY).argument, CTP_LIFE_DONE);
}

/* A promise that lets the exception pass: the coroutine is over, and comes to no final suspension. */
struct passing;
struct passing_promise : promise_parts {
	passing get_return_object();
	void unhandled_exception()
	{
		throw;
	}
};
struct passing : owned<corotracer::traced<passing_promise>> {
	using promise_type = corotracer::traced<passing_promise>;
	using owned::owned;
};
passing passing_promise::get_return_object()
{
	return passing(std::coroutine_handle<passing::promise_type>::from_promise(
		static_cast<passing::promise_type &>(*this)));
}
static_assert(!noexcept(std::declval<passing::promise_type &>().unhandled_exception()));

static passing passes_on()
{
	co_await std::suspend_always{};
	throw std::runtime_error("no route");
}

static void test_passed_on()
{
	std::string message;

	{
		passing p = passes_on();

		try {
			p.resume();
		} catch (const std::exception &exception) {
			message = exception.what();
		}
	}
	CHECK_STRING(message, "no route");
	CHECK_STRING(kinds(recording::take_coroutines()),
		"create resume frame suspend resume return destroy");
}

int main()
{
	recording::attach();
	test_kept();
	test_passed_on();
	CHECK_EQUAL(recording::lost(), 0);
	return check_result();
}
