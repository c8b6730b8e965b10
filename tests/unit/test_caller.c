/* SPDX-License-Identifier: MIT */
/*
 * Which names are names of constructors: code between the probe and the code that created a coroutine. The rest is
 * tested with real programs (tests/cpp/spawned.py).
 */
#include "check.h"
#include "session/caller.h"

static void test_constructors(void)
{
	CHECK(caller_is_constructor("Task::promise_type::promise_type()"));
	CHECK(caller_is_constructor("with_base::with_base"));
	CHECK(caller_is_constructor("a::b::b(int, std::string const&)"));
	CHECK(caller_is_constructor("corotracer::traced<inner<int> >::traced()"));
	CHECK(caller_is_constructor("ns::Box<std::pair<a::b, c> >::Box<int>(int)"));
	CHECK(caller_is_constructor("(anonymous namespace)::promise::promise()"));
	CHECK(caller_is_constructor("Task<void (*)(int)>::promise_type::promise_type()"));
}

static void test_others(void)
{
	CHECK(!caller_is_constructor(""));
	CHECK(!caller_is_constructor("main"));
	CHECK(!caller_is_constructor("handler(int)"));
	CHECK(!caller_is_constructor("Server::serve(int)"));
	CHECK(!caller_is_constructor("Server::Server::start()"));
	CHECK(!caller_is_constructor("task::task_promise::get()"));
	CHECK(!caller_is_constructor("(anonymous namespace)::accept(std::string::value_type)"));
	CHECK(!caller_is_constructor("spawn<a::a>(int)"));
	CHECK(!caller_is_constructor("run(b::b)"));
	CHECK(!caller_is_constructor("promise::~promise()"));
	CHECK(!caller_is_constructor("promises::promise()"));
}

/* Names come from files that may be hostile. */
static void test_destructors(void)
{
	CHECK(caller_is_destructor("Task::promise_type::~promise_type()"));
	CHECK(caller_is_destructor("corotracer::traced<inner<int> >::~traced()"));
	CHECK(caller_is_destructor("(anonymous namespace)::promise::~promise()"));
	CHECK(!caller_is_destructor("Task::promise_type::promise_type()"));
	CHECK(!caller_is_destructor("promises::~promise()"));
	CHECK(!caller_is_destructor("~promise()"));
	CHECK(!caller_is_destructor("promise::~"));
	CHECK(!caller_is_destructor("~"));
	CHECK(!caller_is_destructor(""));
}

static void test_broken_names(void)
{
	CHECK(!caller_is_constructor("::"));
	CHECK(!caller_is_constructor(":"));
	CHECK(!caller_is_constructor("a::"));
	CHECK(!caller_is_constructor("<<<"));
	CHECK(!caller_is_constructor("a<b::c"));
	CHECK(!caller_is_constructor("(((a::a"));
	CHECK(!caller_is_constructor(">)>)"));
}

int main(void)
{
	test_constructors();
	test_others();
	test_destructors();
	test_broken_names();
	return check_result();
}
