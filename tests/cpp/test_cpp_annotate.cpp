/* SPDX-License-Identifier: MIT */
/*
 * Annotations in C++: names are interned once, with the place where they stand; a region ends with its scope, also when
 * an exception leaves the scope, and may contain co_await (P-60 to P-65).
 */
#include <cerrno>
#include <string>

#include "recording.h"
#include "tasks.h"

static void annotate(int round)
{
	corotracer::region outer{"outer"};
	corotracer::region inner{corotracer::of(7), "inner"};

	corotracer::log("plain");
	corotracer::log("number {}", -5);
	corotracer::log("text {}", std::string("abcdefghij"));
	corotracer::log(corotracer::of(7), "of seven", round);
	corotracer::counter("open", round);
}

static void test_names()
{
	std::vector<event> events;
	std::uint32_t outer, inner;

	errno = ENXIO;
	annotate(1);
	annotate(2);
	CHECK_EQUAL(errno, ENXIO);
	events = recording::take_coroutines();
	outer = nth(events, CTP_KIND_REGION_BEGIN, 0).site;
	inner = nth(events, CTP_KIND_REGION_BEGIN, 1).site;
	CHECK(outer != 0 && inner != 0 && outer != inner);
	CHECK_STRING(nth(events, CTP_KIND_REGION_BEGIN).reason, "outer");
	CHECK_STRING(nth(events, CTP_KIND_REGION_BEGIN).function, "annotate");
	CHECK(nth(events, CTP_KIND_REGION_BEGIN).line > 0);
	CHECK_EQUAL(nth(events, CTP_KIND_REGION_BEGIN, 1).coro, 7);
	CHECK_EQUAL(nth(events, CTP_KIND_REGION_END, 0).site, inner);
	CHECK_EQUAL(nth(events, CTP_KIND_REGION_END, 1).site, outer);
	CHECK_EQUAL(nth(events, CTP_KIND_REGION_BEGIN, 2).site, outer);
	CHECK_STRING(nth(events, CTP_KIND_LOG, 0).reason, "plain");
	CHECK_EQUAL(nth(events, CTP_KIND_LOG, 1).object, static_cast<std::uint64_t>(-5));
	CHECK_EQUAL(nth(events, CTP_KIND_DETAIL, 0).argument, CTP_DETAIL_TEXT);
	CHECK_EQUAL(nth(events, CTP_KIND_DETAIL, 1).object, 0x6a69u); /* "ij" */
	CHECK_EQUAL(nth(events, CTP_KIND_LOG, 3).coro, 7);
	CHECK_EQUAL(nth(events, CTP_KIND_COUNTER, 1).object, 2);
	CHECK_EQUAL(nth(events, CTP_KIND_COUNTER, 0).site, nth(events, CTP_KIND_COUNTER, 1).site);
}

static void test_exception()
{
	std::vector<event> events;

	try {
		corotracer::region all{"all"};
		throw 1;
	} catch (int) {
	}
	events = recording::take_coroutines();
	CHECK_EQUAL(nth(events, CTP_KIND_REGION_END).site, nth(events, CTP_KIND_REGION_BEGIN).site);
}

static task crosses()
{
	corotracer::region whole{"whole"};

	co_await std::suspend_always{};
	corotracer::log("after");
}

static void test_crossing()
{
	task t = crosses();

	CHECK_STRING(kinds(recording::take_coroutines()), "create region-begin frame suspend");
	t.resume();
	CHECK_STRING(kinds(recording::take_coroutines()), "resume log region-end");
	t.destroy();
	recording::take();
}

static void test_tasks()
{
	std::vector<event> events;
	std::uint64_t own, made;

	own = corotracer::task_begin("request", 4711);
	made = corotracer::task_begin(corotracer::of(7), "request");
	corotracer::task_set(corotracer::of(8), made);
	corotracer::task_set(corotracer::of(8), 0);
	corotracer::task_end(own);
	events = recording::take_coroutines();
	CHECK_EQUAL(own, 4711);
	CHECK(made != 0 && made != own);
	CHECK_EQUAL(nth(events, CTP_KIND_TASK_BEGIN).object, 4711);
	CHECK_EQUAL(nth(events, CTP_KIND_TASK_BEGIN, 1).object, made);
	CHECK_EQUAL(nth(events, CTP_KIND_TASK_BEGIN, 1).coro, 7);
	CHECK_EQUAL(nth(events, CTP_KIND_TASK_SET).coro, 8);
	CHECK_EQUAL(nth(events, CTP_KIND_TASK_SET).object, made);
	CHECK_EQUAL(nth(events, CTP_KIND_TASK_SET, 1).object, 0);
	CHECK_EQUAL(nth(events, CTP_KIND_TASK_END).object, 4711);
}

static void test_given_names()
{
	std::vector<event> events;

	corotracer::name_coroutine(5, "acceptor");
	corotracer::name_coroutine(6, std::string_view(std::string("session ") + "6"));
	corotracer::name_thread("worker");
	corotracer::name_resource(corotracer::lock(&events), "accounts");
	corotracer::phase("serving");
	corotracer::dump("slow");
	corotracer::start();
	corotracer::stop();
	events = recording::take_coroutines();
	CHECK_EQUAL(nth(events, CTP_KIND_NAME, 0).object, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 5));
	CHECK_STRING(nth(events, CTP_KIND_NAME, 0).reason, "acceptor");
	CHECK_STRING(nth(events, CTP_KIND_NAME, 1).reason, "session 6");
	CHECK_EQUAL(nth(events, CTP_KIND_NAME, 2).object, 0);
	CHECK_STRING(nth(events, CTP_KIND_NAME, 2).reason, "worker");
	CHECK_STRING(nth(events, CTP_KIND_NAME, 3).reason, "accounts");
	CHECK_STRING(nth(events, CTP_KIND_MARK, 0).reason, "serving");
	CHECK_EQUAL(nth(events, CTP_KIND_MARK, 1).argument, CTP_MARK_DUMP);
	CHECK_EQUAL(nth(events, CTP_KIND_MARK, 2).argument, CTP_MARK_START);
	CHECK_EQUAL(nth(events, CTP_KIND_MARK, 3).argument, CTP_MARK_STOP);
}

static void test_not_attached()
{
	unsetenv(CTP_ENVIRONMENT);
	annotate(0);
	CHECK_EQUAL(corotracer::task_begin("request"), 0);
	CHECK_EQUAL(corotracer::task_begin("request", 4711), 4711);
}

int main()
{
	test_not_attached();
	recording::attach();
	test_names();
	test_exception();
	test_crossing();
	test_tasks();
	test_given_names();
	CHECK_EQUAL(recording::lost(), 0);
	return check_result();
}
