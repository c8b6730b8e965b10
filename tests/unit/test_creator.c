/* SPDX-License-Identifier: MIT */
/*
 * Which names are constructors' names: what stands between the probe and the code that created a
 * coroutine. The rest is tested with real programs (tests/cpp/spawned.py).
 */
#include "check.h"
#include "session/creator.h"

static void test_constructors(void)
{
	CHECK(creator_is_constructor("Task::promise_type::promise_type()"));
	CHECK(creator_is_constructor("with_base::with_base"));
	CHECK(creator_is_constructor("a::b::b(int, std::string const&)"));
	CHECK(creator_is_constructor("corotracer::traced<inner<int> >::traced()"));
	CHECK(creator_is_constructor("ns::Box<std::pair<a::b, c> >::Box<int>(int)"));
	CHECK(creator_is_constructor("(anonymous namespace)::promise::promise()"));
	CHECK(creator_is_constructor("Task<void (*)(int)>::promise_type::promise_type()"));
}

static void test_others(void)
{
	CHECK(!creator_is_constructor(""));
	CHECK(!creator_is_constructor("main"));
	CHECK(!creator_is_constructor("handler(int)"));
	CHECK(!creator_is_constructor("Server::serve(int)"));
	CHECK(!creator_is_constructor("Server::Server::start()"));
	CHECK(!creator_is_constructor("task::task_promise::get()"));
	CHECK(!creator_is_constructor("(anonymous namespace)::accept(std::string::value_type)"));
	CHECK(!creator_is_constructor("spawn<a::a>(int)"));
	CHECK(!creator_is_constructor("run(b::b)"));
	CHECK(!creator_is_constructor("promise::~promise()"));
	CHECK(!creator_is_constructor("promises::promise()"));
}

/* Names come from files that anyone may have written. */
static void test_broken_names(void)
{
	CHECK(!creator_is_constructor("::"));
	CHECK(!creator_is_constructor(":"));
	CHECK(!creator_is_constructor("a::"));
	CHECK(!creator_is_constructor("<<<"));
	CHECK(!creator_is_constructor("a<b::c"));
	CHECK(!creator_is_constructor("(((a::a"));
	CHECK(!creator_is_constructor(">)>)"));
}

int main(void)
{
	test_constructors();
	test_others();
	test_broken_names();
	return check_result();
}
