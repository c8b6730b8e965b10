/* SPDX-License-Identifier: MIT */
/*
 * The judgement as a whole: options, a source that fails, and memory that runs out at every single allocation: the
 * result is then "out of memory" or the whole report, never a part of one.
 *
 * Linked with malloc, calloc and realloc wrapped.
 */
#include <stdbool.h>
#include <stdio.h>

#include "rules/rules.h"
#include "check.h"
#include "failing_memory.h"
#include "base/failure.h"
#include "text_form.h"

static const char trace[] =
	"trace from=0 until=2s\n"
	"process 1 pid=100 program=/bin/server probe ledger\n"
	"end 1 signaled 11 at=1500ms\n"
	"process 2 pid=200 ledger\n"
	"thread 1 process=1 tid=101 name=worker\n"
	"thread 2 process=2 tid=201\n"
	"site 1 process=1 kind=source file=server.cpp line=120 reason=AsyncRead\n"
	"loss process=1 thread=1 reason=corrupt count=3 first=1ms last=2ms\n"
	"note \"cut short\" count=1\n"
	"1ms t1 create c1 0x1010\n"
	"1ms t1 frame c1 0x1000\n"
	"2ms t1 descriptor-open descriptor:7.1\n"
	"3ms t1 descriptor-dup descriptor:8.1\n"
	"3ms t1 detail descriptor:7.1 detail=resource\n"
	"4ms t1 descriptor-arm c7 descriptor:7.1 argument=1\n"
	"5ms t1 suspend c1 descriptor:7 @1\n"
	"6ms t1 wake frame:0x9000\n"
	"7ms t1 descriptor-close descriptor:7.1\n"
	"8ms t1 descriptor-close descriptor:8.1\n"
	"9ms t1 acquire c2 lock:1\n"
	"10ms t1 destroy c2\n"
	"11ms t1 resume c2\n"
	"12ms t1 lost 3 first=11ms loss=nested\n"
	"1s t1 park\n"
	"1s t2 block-begin -1 call=epoll_wait\n"
	"1400ms t1 crash 0xdead argument=11\n";

static struct ct_source *open_trace(void)
{
	return open_text(trace);
}

static void test_memory(void)
{
	struct ct_source *source = open_trace();
	const struct ct_report *report;
	enum ct_status status = CT_ERR_NO_MEMORY;
	long n;

	for (n = 1; status == CT_ERR_NO_MEMORY && n < 1000; n++) {
		struct ct_error error;

		fail_at = n;
		status = rules_judge(source, NULL, NULL, &report, &error);
		if (status != CT_OK)
			CHECK_EQUAL(error.status, CT_ERR_NO_MEMORY);
	}
	fail_at = 0;
	CHECK_EQUAL(status, CT_OK);
	CHECK(n > 20);
	CHECK_EQUAL(report->nr_findings, 2);
	CHECK_EQUAL(report->nr_remarks, 1);
	analyze_report_free(report);
	source_close(source);
}

static void test_options(void)
{
	struct ct_analyze_options options = {.size = sizeof(options.size), .why_coro = 1};
	struct ct_source *source = open_trace();
	const struct ct_report *report;

	CHECK_EQUAL(rules_judge(source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->findings[0].rule, CT_RULE_CRASH);
	CHECK_EQUAL(report->findings[1].rule, CT_RULE_CLOSED_DESCRIPTOR);
	CHECK_EQUAL(report->findings[1].grade, CT_GRADE_LIKELY);
	CHECK_EQUAL(report->findings[1].nr_lost_nearby, 6);
	CHECK_EQUAL(report->findings[1].cause_site, 0);
	CHECK_EQUAL(report->findings[1].wait_site, 1);
	analyze_report_free(report);

	/* An older caller's options end before members that it does not know. */
	CHECK_EQUAL(rules_judge(source, &options, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->nr_findings, 2);
	CHECK_EQUAL(report->nr_why, 0);
	analyze_report_free(report);
	source_close(source);
}

/* ---------------------------------------------------------------- a source that fails */

struct failing {
	struct ct_source source;
	struct ct_source *inner;
	int left;
};

static enum ct_status failing_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct failing *failing = (struct failing *)source;
	const struct ct_event *event = NULL;
	enum ct_status status;

	if (failing->left-- == 0)
		return ct_fail(reterr, CT_ERR_CORRUPT, "the source broke");
	status = source_next(failing->inner, &event, reterr);
	*events = (struct ct_events){.at = event, .count = 1};
	return status;
}

static enum ct_status failing_reset(struct ct_source *source, struct ct_error *reterr)
{
	return source_reset(((struct failing *)source)->inner, reterr);
}

static void failing_close(struct ct_source *source)
{
	(void)source;
}

static const struct ct_source_ops failing_ops = {
	.next = failing_next, .reset = failing_reset, .close = failing_close};

static void test_failing_source(int after)
{
	struct ct_source *inner = open_trace();
	struct failing failing = {{.ops = &failing_ops, .tables = inner->tables}, inner, after};
	const struct ct_report *report = NULL;
	struct ct_error error;

	CHECK_EQUAL(rules_judge(&failing.source, NULL, NULL, &report, &error), CT_ERR_CORRUPT);
	CHECK_TEXT(error.text, "the source broke");
	CHECK(report == NULL);
	source_close(inner);
}

static const char waiting_trace[] = "trace from=0 until=2s\n"
				    "process 1 pid=100 program=/bin/server probe\n"
				    "thread 1 process=1 tid=101\n"
				    "site 1 process=1 kind=source file=server.cpp line=120\n"
				    "site 2 process=1 kind=source file=server.cpp line=130\n"
				    "1ms t1 suspend c1 timer:1 @1\n"
				    "2ms t1 suspend c2 timer:2 @2\n"
				    "3ms t1 suspend c3 timer:3 @2\n"
				    "4ms t1 suspend c4 timer:4\n"
				    "5ms t1 resume c4\n"
				    "6ms t1 suspend c4 point=final\n";

/* By place, in order of the number of waiting coroutines, with the one that has waited longest. */
static void test_waiting(void)
{
	const struct ct_report *report;
	struct ct_source *source;

	source = open_text(waiting_trace);
	CHECK_EQUAL(rules_judge(source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->nr_waiting, 2);
	CHECK_EQUAL(report->waiting[0].site, 2);
	CHECK_EQUAL(report->waiting[0].nr_coros, 2);
	CHECK_EQUAL(report->waiting[0].coro, 2);
	CHECK_EQUAL(report->waiting[0].since, 2000000);
	CHECK_EQUAL(report->waiting[1].site, 1);
	CHECK_EQUAL(report->waiting[1].nr_coros, 1);
	CHECK_EQUAL(report->waiting[1].coro, 1);
	analyze_report_free(report);
	source_close(source);
}

/*
 * A place at which no wait has ended, of a coroutine whose earlier waits were short; one at which all were shorter. Two
 * that wait for the clock, and one that has hardly waited before, are as usual.
 */
static void test_unusual_waits(void)
{
	static const char begin[] = "trace from=0 until=9s\n"
				    "process 1 pid=100 program=/bin/server probe\n"
				    "thread 1 process=1 tid=101\n"
				    "site 1 process=1 kind=source file=server.cpp line=10\n"
				    "site 2 process=1 kind=source file=server.cpp line=20\n"
				    "site 3 process=1 kind=source file=server.cpp line=30\n"
				    "site 4 process=1 kind=source file=server.cpp line=40\n"
				    "100us t1 create c1 0x11010\n"
				    "101us t1 resume c1\n";
	const struct ct_report *report;
	struct ct_source *source;
	char text[4096];
	size_t length = (size_t)snprintf(text, sizeof(text), "%s", begin);
	int i;

	for (i = 0; i < 12; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
			"%dms t1 suspend c1 @1\n%dms t1 resume c1\n"
			"%dms t1 suspend c2 timer:1 @3\n%dms t1 resume c2\n",
			10 * i + 1, 10 * i + 2, 10 * i + 3, 10 * i + 4);
	snprintf(text + length, sizeof(text) - length,
		"201ms t1 suspend c1 @2\n202ms t1 suspend c2 timer:1 @3\n"
		"203ms t1 suspend c3 @1\n204ms t1 suspend c4 @4\n");
	source = open_text(text);
	CHECK_EQUAL(rules_judge(source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->nr_waiting, 4);
	for (i = 0; i < 4; i++)
		CHECK_EQUAL(report->waiting[i].is_unusual, report->waiting[i].coro % 2);
	CHECK_EQUAL(report->waiting[1].mean_before_ns, 1000000);
	analyze_report_free(report);
	source_close(source);
}

/* A child that is not in the sample does not count as a coroutine that never ran; without a sample it does. */
static void check_awaited(const char *loss, uint64_t nr_coros, uint64_t nr_unseen)
{
	const struct ct_report *report;
	struct ct_source *source;
	char text[400];

	snprintf(text, sizeof(text),
		"trace from=0 until=2s\n"
		"process 1 pid=100 program=/bin/server probe\n"
		"thread 1 process=1 tid=101\n"
		"%s"
		"1ms t1 create c4\n"
		"2ms t1 resume c4\n"
		"3ms t1 await c4 c5\n"
		"3ms t1 suspend c4 coroutine:5\n",
		loss);
	source = open_text(text);
	CHECK_EQUAL(rules_judge(source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->quality.nr_coros, nr_coros);
	CHECK_EQUAL(report->quality.nr_unseen, nr_unseen);
	CHECK_EQUAL(report->quality.nr_coros_mid_life, nr_unseen);
	analyze_report_free(report);
	source_close(source);
}

static void test_awaited(void)
{
	check_awaited(
		"loss process=1 reason=\"not in the sample\" count=7 first=0 last=2s\n", 1, 0);
	check_awaited("", 2, 1);
}

static const char naming_trace[] = "trace from=0 until=2s\n"
				   "process 1 pid=100 program=/bin/server probe\n"
				   "thread 1 process=1 tid=101 name=server\n"
				   "thread 2 process=1 tid=102 name=server\n"
				   "site 1 process=1 reason=\"reactor 7\"\n"
				   "1ms t2 name @1\n";

/* The program's name for a thread takes precedence over the kernel's. */
static void test_thread_name(void)
{
	const struct ct_report *report;
	struct ct_source *source;

	source = open_text(naming_trace);
	CHECK_EQUAL(rules_judge(source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_TEXT(report->tables->threads[1].name, "server");
	CHECK_TEXT(report->tables->threads[2].name, "reactor 7");
	CHECK_TEXT(source->tables->threads[2].name, "server");
	analyze_report_free(report);
	source_close(source);
}

/* ---------------------------------------------------------------- what is needed to judge a wait */

#define ADVISING                                                                                \
	"trace from=0 until=2s\n"                                                               \
	"process 1 pid=100 program=/bin/client probe\n"                                         \
	"thread 1 process=1 tid=101 name=worker\n"                                              \
	"thread 2 process=1 tid=102 name=pool\n"                                                \
	"site 1 process=1 kind=source file=client.cpp line=7 function=call reason=Reply\n"      \
	"site 2 process=1 kind=source file=client.c line=9 function=call reason=reply\n"        \
	"site 3 process=1 kind=source form=c file=src/client.rs line=5\n"                       \
	"site 4 process=1 kind=source file=client.py line=6 function=call\n"                    \
	"site 5 process=1 kind=source form=c++ file=pool.cpp line=8 function=take reason=pop\n" \
	"site 6 process=1 kind=source form=c file=proxy.lua line=14\n"                          \
	"1ms t1 create c1 0x1010\n"                                                             \
	"1ms t1 create c2 0x2010\n"                                                             \
	"2ms t1 wake c2 coroutine:1\n"                                                          \
	"3ms t1 resume c1\n"

/* `rest`: what the program does next; `lack`, `text`: the first advice; LACK_NONE: there is none. */
static void check_advice(const char *rest, enum ct_lack lack, const char *text)
{
	char trace_text[2048];
	const struct ct_report *report;
	struct ct_source *source;

	snprintf(trace_text, sizeof(trace_text), ADVISING "%s", rest);
	source = open_text(trace_text);
	CHECK_EQUAL(rules_judge(source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->nr_advice > 0, lack != CT_LACK_NONE);
	if (report->nr_advice > 0) {
		CHECK_EQUAL(report->advice[0].lack, lack);
		CHECK_TEXT(report->advice[0].text, text);
	}
	analyze_report_free(report);
	source_close(source);
}

static void test_advice_beside_unbegun(void)
{
	/* One that it has created just before has never begun; or has. */
	check_advice("4ms t1 create c3 0x3010 @5\n4ms t1 suspend c1 @1\n5ms t1 park\n",
		CT_LACK_RESOURCE,
		"1 coroutine waits at co_await Reply in call, client.cpp:7, and what for is not "
		"recorded: add "
		"`corotracer_resource()` to Reply, and `corotracer::notify()` where it is set, "
		"and then this wait can be judged; coroutine 3, which coroutine 1 had created just "
		"before, at pop in take, pool.cpp:8, has never begun: it may be what is waited "
		"for");
	check_advice("4ms t1 create c3 0x3010 @5\n4ms t1 resume c3\n4ms t1 suspend c3 @1\n"
		     "4ms t1 suspend c1 @1\n5ms t1 park\n",
		CT_LACK_RESOURCE,
		"2 coroutines wait at co_await Reply in call, client.cpp:7, and what for is not "
		"recorded: add "
		"`corotracer_resource()` to Reply, and `corotracer::notify()` where it is set, "
		"and then this wait can be judged");
}

#define NAME_IT                                                                           \
	"at src/client.rs:5, and what for is not recorded: await it by a traced form of " \
	"`corotracer::with_tokio`, as `traced_lock(&mutex)`, or put "                     \
	"`corotracer::on(resource, ...)` around what is awaited there, and call "         \
	"`Resource::notify()` where it is set, and then this wait can be judged"

/* What has to do with the wait, besides: whom it had woken, and who sleeps until its end. */
static void test_advice_besides(void)
{
	check_advice("3ms t1 wake c1 coroutine:2\n4ms t1 suspend c1 @3\n5ms t1 resume c2\n",
		CT_LACK_RESOURCE,
		"1 coroutine waits " NAME_IT
		"; just before that it had woken coroutine 2, which has run since, and has not "
		"woken it");
	check_advice("3ms t1 wake c1 coroutine:2\n4ms t1 suspend c1 @3\n", CT_LACK_RESOURCE,
		"1 coroutine waits " NAME_IT);
	check_advice("4ms t1 suspend c1 @3\n5ms t2 create c3 0x0 @3\n6ms t1 resume c3\n"
		     "7ms t1 suspend c3 @3\n1900ms t2 thread-state c102 0xca53 argument=1\n",
		CT_LACK_RESOURCE,
		"2 coroutines wait " NAME_IT
		"; one was started outside of coroutines by thread pool (102), which is in futex "
		"since, and may wait for its end");
	/* a sleep that ends by itself */
	check_advice("4ms t1 suspend c1 @3\n5ms t2 create c3 0x0 @3\n6ms t1 resume c3\n"
		     "7ms t1 suspend c3 @3\n1900ms t2 thread-state c102 0xe653\n",
		CT_LACK_RESOURCE, "2 coroutines wait " NAME_IT);
}

/* A place in Lua of a coroutine that a program in C, or one in Lua, has started. */
static void test_advice_of_script(void)
{
	check_advice("4ms t1 create c3 0x3010 @2\n5ms t1 resume c3\n6ms t1 suspend c3 @6\n"
		     "7ms t1 destroy c1 life=suspended\n",
		CT_LACK_RESOURCE,
		"1 coroutine waits at proxy.lua:14, and what for is not recorded: name it in the "
		"second argument of `ctp_suspend()` there, and call `ctp_notify()` where it is "
		"set, and then this wait can be judged");
	check_advice("4ms t1 create c3 0x3010 @6\n5ms t1 resume c3\n6ms t1 suspend c3 @6\n"
		     "7ms t1 destroy c1 life=suspended\n",
		CT_LACK_RESOURCE,
		"1 coroutine waits at proxy.lua:14, and what for is not recorded: call "
		"`corotracer.waits_for(thing)` in front of the yield there, and "
		"`corotracer.notify()` where it is set, and then this wait can be judged");
}

static void test_advice(void)
{
	test_advice_besides();
	test_advice_of_script();
	/* no awaiter: the wait is a call */
	check_advice("4ms t1 suspend c1 @5\n5ms t1 park\n", CT_LACK_RESOURCE,
		"1 coroutine waits at pop in take, pool.cpp:8, and what for is not recorded: name "
		"it "
		"in the second argument of `ctp_suspend()` there or, with the adapter of "
		"Boost.Fiber, by a `corotracer::fiber_wait` in front of the wait, and call "
		"`corotracer::notify()` where it is set, and then this wait can be judged");
	check_advice("4ms t1 suspend c1 @1\n5ms t1 park\n", CT_LACK_RESOURCE,
		"1 coroutine waits at co_await Reply in call, client.cpp:7, and what for is not "
		"recorded: add "
		"`corotracer_resource()` to Reply, and `corotracer::notify()` where it is set, "
		"and then this wait can be judged");
	check_advice("4ms t1 suspend c1 @2\n5ms t1 park\n", CT_LACK_RESOURCE,
		"1 coroutine waits at reply in call, client.c:9, and what for is not recorded: "
		"name it "
		"in the "
		"second "
		"argument of `ctp_suspend()` there, and call `ctp_notify()` where it is set, and "
		"then "
		"this wait can be judged");
	/* Coroutines of two functions, at one place. */
	check_advice("3ms t1 frame c1 0x11010 @3\n4ms t1 suspend c1 @2\n4ms t1 create c3 0x0 @1\n"
		     "4ms t1 frame c3 0x11030 @4\n4ms t1 resume c3\n5ms t1 suspend c3 @2\n"
		     "6ms t1 park\n",
		CT_LACK_RESOURCE,
		"2 coroutines wait at reply in call, client.c:9, and what for is not recorded: "
		"name it "
		"in the second argument of `ctp_suspend()` there, and call `ctp_notify()` where it "
		"is set, and then this wait can be judged; coroutines of several functions wait "
		"there: "
		"hand "
		"the place of each call down to it, as by `CTP_SITE()` in a macro, so that their "
		"waits can be distinguished");
	check_advice("4ms t1 suspend c1 @3\n5ms t1 park\n", CT_LACK_RESOURCE,
		"1 coroutine waits at src/client.rs:5, and what for is not recorded: await it by a "
		"traced form of `corotracer::with_tokio`, as `traced_lock(&mutex)`, or put "
		"`corotracer::on(resource, ...)` around what is awaited there, and call "
		"`Resource::notify()` where it is set, and then this wait can be judged");
	check_advice("4ms t1 suspend c1 @3\n5ms t1 wake coroutine:1 outcome=no-waker\n",
		CT_LACK_WAKER,
		"1 coroutine waits at src/client.rs:5, and nobody can wake it: its last poll found "
		"nothing there yet, and kept no clone of its waker; if what it awaits is to come "
		"one day, keep `context.waker().clone()`, and wake it then");
	check_advice("4ms t1 suspend c1 channel:0x5000 @3\n", CT_LACK_CHANGE,
		"1 coroutine waits at src/client.rs:5, for channel 0x5000, about which nothing "
		"else is recorded: call `Resource::notify()` where it is set or filled, and then "
		"this wait "
		"can be judged");
	/* Others that wait there, for other things of the kind. */
	check_advice("3ms t1 create c3 0x0 @1\n4ms t1 suspend c1 channel:0x5000 @3\n"
		     "4ms t1 resume c3\n5ms t1 suspend c3 channel:0x5001 @3\n",
		CT_LACK_CHANGE,
		"2 coroutines wait at src/client.rs:5, for channel 0x5000 and others, about which "
		"nothing else is recorded: call `Resource::notify()` where it is set or filled, "
		"and "
		"then this wait can be judged");
	/* A language that has no such call. */
	check_advice("4ms t1 suspend c1 lock:0x5000 @4\n5ms t1 park\n", CT_LACK_NONE, "");
	check_advice("4ms t1 suspend c1 channel:0x5000 @1\n5ms t1 park\n", CT_LACK_CHANGE,
		"1 coroutine waits at co_await Reply in call, client.cpp:7, for channel 0x5000, "
		"about which nothing else is recorded"
		": call `corotracer::notify()` where it is set or filled, and then this "
		"wait can be judged");
	check_advice("3ms t1 notify c1 channel:0x5000\n4ms t1 suspend c1 channel:0x5000 @1\n4ms t1 "
		     "park\n",
		CT_LACK_NONE, "");
	check_advice(
		"4ms t1 suspend c1 channel:0x5000 @1\n5ms t1 notify c1 channel:0x5000 argument=1\n",
		CT_LACK_PARK,
		"the sleep of workers is not recorded: call `corotracer::park()` and "
		"`corotracer::unpark()` around the wait for work");
	/* A recorded wait for a time, and a wait that is too short. */
	check_advice(
		"4ms t1 suspend c1 @1\n4ms t1 detail 3000000000 detail=deadline\n5ms t1 park\n",
		CT_LACK_NONE, "");
	check_advice("1900ms t1 suspend c1 @1\n1900ms t1 park\n", CT_LACK_NONE, "");
}

static void test_empty(void)
{
	struct ct_source *source;
	const struct ct_report *report;

	source = open_text("");
	CHECK_EQUAL(rules_judge(source, NULL, NULL, &report, NULL), CT_OK);
	CHECK_EQUAL(report->nr_findings, 0);
	CHECK_EQUAL(report->quality.nr_events, 0);
	CHECK_EQUAL(report->quality.nr_coros, 0);
	analyze_report_free(report);
	analyze_report_free(NULL);
	source_close(source);
}

int main(void)
{
	test_memory();
	test_options();
	test_failing_source(0);
	test_failing_source(5);
	test_failing_source(20); /* fails during the second reading */
	test_waiting();
	test_unusual_waits();
	test_awaited();
	test_thread_name();
	test_advice();
	test_advice_beside_unbegun();
	test_empty();
	return check_result();
}
