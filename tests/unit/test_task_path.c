/* SPDX-License-Identifier: MIT */
/*
 * A task's critical path through small traces, whose stretches can be determined by hand.
 */
#include <string.h>

#include "rules/rules.h"
#include "text_form.h"

#define MS INT64_C(1000000)

static struct ct_source *source;
static const struct ct_report *report;

static const struct ct_path *path_of(const char *trace, const char *task)
{
	struct ct_analyze_options options = {.size = sizeof(options), .path_task = task};

	source = open_text(trace);
	CHECK_EQUAL(rules_judge(source, &options, NULL, &report, NULL), CT_OK);
	return report->path;
}

static void end(void)
{
	analyze_report_free(report);
	source_close(source);
}

#define TABLES                                                               \
	"trace from=0 until=200ms\n"                                         \
	"process 1 pid=100 probe ledger\n"                                   \
	"thread 1 tid=101 name=a\n"                                          \
	"thread 2 tid=102 name=b\n"                                          \
	"site 1 kind=source file=a.c line=10 function=main\n"                \
	"site 2 kind=source file=a.c line=20 function=take reason=request\n" \
	"site 3 kind=source file=a.c line=30 function=give reason=put\n"     \
	"site 4 kind=source file=a.c line=40 function=hold\n"

static void expect(const struct ct_path *path, uint32_t index, unsigned depth, uint64_t coro,
	enum ct_state state, int64_t ms)
{
	const struct ct_stretch *stretch = &path->stretches[index];

	CHECK(index < path->nr_stretches);
	if (index >= path->nr_stretches)
		return;
	CHECK_EQUAL(stretch->depth, depth);
	CHECK_EQUAL(stretch->coro, coro);
	CHECK_EQUAL(stretch->state, state);
	CHECK_EQUAL(stretch->until - stretch->from, ms * MS);
}

/* The task waits for a lock, whose owner sleeps meanwhile. */
static void test_lock(void)
{
	const struct ct_path *path = path_of(TABLES "1ms t2 create c2 0x2010 @1\n"
						    "2ms t2 resume c2\n"
						    "3ms t2 acquire c2 lock:5 @4\n"
						    "4ms t1 create c1 0x1010 @1\n"
						    "5ms t1 resume c1\n"
						    "5ms t1 task-begin c1 7 @2\n"
						    "8ms t1 suspend c1 lock:5 @2\n"
						    "20ms t2 suspend c2 timer:3 @3\n"
						    "100ms t1 wake coroutine:2 @1\n"
						    "104ms t2 resume c2\n"
						    "140ms t2 release c2 lock:5 @3\n"
						    "141ms t2 wake c2 coroutine:1 @3\n"
						    "150ms t1 resume c1\n"
						    "155ms t1 task-end 7\n"
						    "170ms t1 suspend c1 channel:6 @2\n",
		"request");

	CHECK_EQUAL(path->task.id, 7);
	CHECK_EQUAL(path->task.duration_ns, 150 * MS);
	CHECK(!path->task.is_open);
	CHECK_EQUAL(path->nr_stretches, 8);
	expect(path, 0, 0, 1, CT_STATE_RUNNING, 3);
	expect(path, 1, 0, 1, CT_STATE_WAITING, 133);
	expect(path, 2, 1, 2, CT_STATE_RUNNING, 12);
	expect(path, 3, 1, 2, CT_STATE_WAITING, 80);
	expect(path, 4, 1, 2, CT_STATE_READY, 4);
	expect(path, 5, 1, 2, CT_STATE_RUNNING, 37);
	expect(path, 6, 0, 1, CT_STATE_READY, 9);
	expect(path, 7, 0, 1, CT_STATE_RUNNING, 5);
	CHECK_EQUAL(path->times.waiting_ns, 133 * MS);
	CHECK_EQUAL(path->times.running_ns, 8 * MS);
	CHECK_EQUAL(path->nr_waits, 1);
	CHECK_EQUAL(path->waits[0].total_ns, 133 * MS);
	CHECK_EQUAL(path->waits[0].longest.holder, 2);
	CHECK_EQUAL(path->waits[0].longest.holder_site, 4);
	CHECK_EQUAL(path->waits[0].longest.waker, 2);
	CHECK_EQUAL(path->waits[0].longest.waker_site, 3);
	CHECK_TEXT(path->waits[0].resource, "lock 0x5");
	/* The longest wait that is not followed: the owner's sleep, which a thread ended. */
	CHECK_EQUAL(path->parts[0].total_ns, 80 * MS);
	CHECK_EQUAL(path->parts[0].longest.coro, 2);
	CHECK_EQUAL(path->parts[0].longest.waker, 0);
	CHECK_EQUAL(path->parts[0].longest.waker_thread, 1);
	end();
}

/*
 * One coroutine hands the task to another, which had waited for something else: before that the time is the first
 * one's.
 */
static void test_handed_on(void)
{
	const struct ct_path *path = path_of(TABLES "1ms t2 create c2 0x2010 @1\n"
						    "2ms t2 resume c2\n"
						    "3ms t2 suspend c2 channel:5 @2\n"
						    "4ms t1 create c1 0x1010 @1\n"
						    "5ms t1 resume c1\n"
						    "10ms t1 task-begin c1 7 @2\n"
						    "50ms t1 wake c1 coroutine:2 @3\n"
						    "60ms t1 suspend c1 channel:6 @2\n"
						    "62ms t2 resume c2\n"
						    "63ms t2 task-set c2 7\n"
						    "70ms t2 task-end 7\n",
		"7");

	CHECK_EQUAL(path->task.duration_ns, 60 * MS);
	CHECK_EQUAL(path->nr_stretches, 3);
	expect(path, 0, 0, 1, CT_STATE_RUNNING, 40);
	expect(path, 1, 0, 2, CT_STATE_READY, 12);
	expect(path, 2, 0, 2, CT_STATE_RUNNING, 8);
	end();
}

/* A child that is started on the way does the rest. A coroutine that is handed the thread is woken by that. */
static void test_child(void)
{
	const struct ct_path *path = path_of(TABLES "1ms t1 create c1 0x1010 @1\n"
						    "2ms t1 resume c1\n"
						    "10ms t1 task-begin c1 7 @2\n"
						    "20ms t1 create c2 0x2010 @3\n"
						    "25ms t1 suspend c1 channel:6 @2\n"
						    "30ms t2 resume c2\n"
						    "40ms t2 create c3 0x3010 @3\n"
						    "45ms t2 switch c2 3 @4\n"
						    "60ms t2 switch c3 2 @4\n"
						    "70ms t2 task-end 7\n",
		"request");

	CHECK_EQUAL(path->nr_stretches, 6);
	expect(path, 0, 0, 1, CT_STATE_RUNNING, 10);
	expect(path, 1, 0, 2, CT_STATE_UNSEEN, 10);
	expect(path, 2, 0, 2, CT_STATE_RUNNING, 15);
	expect(path, 3, 0, 2, CT_STATE_WAITING, 15);
	expect(path, 4, 1, 3, CT_STATE_RUNNING, 15);
	expect(path, 5, 0, 2, CT_STATE_RUNNING, 10);
	end();
}

/*
 * A thread began the task, which goes on: the coroutine that works for it waits to the end, for a lock that has an
 * owner.
 */
static void test_open(void)
{
	const struct ct_path *path = path_of(TABLES "1ms t2 create c2 0x2010 @1\n"
						    "2ms t2 resume c2\n"
						    "3ms t2 acquire c2 lock:5 @4\n"
						    "10ms t1 task-begin 7 @2\n"
						    "20ms t1 create c1 0x1010 @1\n"
						    "21ms t1 resume c1\n"
						    "25ms t1 suspend c1 lock:5 @2\n"
						    "30ms t1 task-begin 8 @3\n"
						    "31ms t1 task-end 8\n",
		"request");

	CHECK(path->task.is_open);
	CHECK_EQUAL(path->task.duration_ns, 190 * MS);
	CHECK_EQUAL(path->untold_ns, 10 * MS);
	CHECK_EQUAL(path->nr_stretches, 4);
	expect(path, 0, 0, 0, CT_STATE_UNSEEN, 10);
	expect(path, 1, 0, 1, CT_STATE_UNSEEN, 1);
	expect(path, 2, 0, 1, CT_STATE_RUNNING, 4);
	expect(path, 3, 0, 1, CT_STATE_WAITING, 175);
	CHECK_EQUAL(path->stretches[3].holder, 2);
	CHECK_EQUAL(path->stretches[3].holder_site, 4);
	CHECK_EQUAL(path->stretches[3].waker_thread, 0);
	end();
}

/* Events that cannot be true neither begin nor end a task. */
static void test_impossible(void)
{
	const struct ct_path *path = path_of(TABLES "1ms t1 create c1 0x1010 @1\n"
						    "2ms t1 resume c1\n"
						    "72057594037927936 t1 task-begin c1 7 @2\n"
						    "10ms t1 task-begin c1 7 @2\n"
						    "72057594037927936 t1 task-end 7\n"
						    "30ms t1 suspend c1 channel:6 @2\n",
		"7");

	CHECK_EQUAL(path->task.begun, 10 * MS);
	CHECK(path->task.is_open);
	CHECK_EQUAL(path->task.duration_ns, 190 * MS);
	CHECK_EQUAL(path->nr_stretches, 2);
	expect(path, 0, 0, 1, CT_STATE_RUNNING, 20);
	expect(path, 1, 0, 1, CT_STATE_WAITING, 170);
	end();
}

static void test_not_there(void)
{
	static const char *const names[] = {"nothing", "9", "7x", ""};
	struct ct_analyze_options options = {.size = sizeof(options)};
	struct ct_error error;
	size_t i;

	source = open_text(TABLES "10ms t1 task-begin 7 @2\n");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		options.path_task = names[i];
		CHECK_EQUAL(rules_judge(source, &options, NULL, &report, &error), CT_ERR_NOT_FOUND);
		CHECK(strstr(error.text, "no task '") != NULL);
	}
	source_close(source);
}

/* The coroutine yields twice, once with a wake of itself and once at a yield; the wait in between is no yield. */
static void test_yields(void)
{
	const struct ct_path *path = path_of(TABLES "1ms t1 create c1 0x1010 @1\n"
						    "5ms t1 resume c1\n"
						    "5ms t1 task-begin c1 7 @2\n"
						    "7ms t1 wake c1 coroutine:1 @3\n"
						    "8ms t1 suspend c1 @3\n"
						    "18ms t1 resume c1\n"
						    "20ms t1 suspend c1 channel:5 @2\n"
						    "30ms t2 wake coroutine:1 @3\n"
						    "33ms t1 resume c1\n"
						    "34ms t1 suspend c1 @3 point=yield\n"
						    "35ms t2 enqueue c1 queue:1 flags=0\n"
						    "41ms t1 resume c1\n"
						    "50ms t1 task-end 7\n",
		"request");

	CHECK_EQUAL(path->nr_stretches, 9);
	expect(path, 1, 0, 1, CT_STATE_READY, 10);
	expect(path, 3, 0, 1, CT_STATE_WAITING, 10);
	expect(path, 4, 0, 1, CT_STATE_READY, 3);
	expect(path, 6, 0, 1, CT_STATE_WAITING, 1);
	expect(path, 7, 0, 1, CT_STATE_READY, 6);
	CHECK(path->stretches[1].has_yielded);
	CHECK(!path->stretches[3].has_yielded);
	CHECK(!path->stretches[4].has_yielded);
	CHECK(path->stretches[6].has_yielded);
	CHECK(path->stretches[7].has_yielded);
	CHECK_EQUAL(path->nr_yields, 2);
	CHECK_EQUAL(path->yielded_ns, 17 * MS);
	end();
}

int main(void)
{
	test_lock();
	test_yields();
	test_handed_on();
	test_child();
	test_open();
	test_impossible();
	test_not_there();
	return check_result();
}
