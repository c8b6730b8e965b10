/* SPDX-License-Identifier: MIT */
/* The model: the state after a text trace, read from its arrays. */
#include <string.h>

#include "folded.h"

#define TABLES                             \
	"trace from=0 until=2s\n"          \
	"process 1 pid=100 probe ledger\n" \
	"thread 1 tid=101 name=a\n"        \
	"thread 2 tid=102 name=b\n"

static struct ct_source *source;

static struct model *fold_all(const char *tables, const char *events)
{
	struct model *model;
	struct text text = {0};

	text_add(&text, tables);
	text_add(&text, events);
	model = fold_text(text_peek(&text), &source);
	text_fini(&text);
	return model;
}

static struct model *fold(const char *events)
{
	return fold_all(TABLES, events);
}

static void end(struct model *model)
{
	model_free(model);
	source_close(source);
}

static const struct model_coro *coro(struct model *model, uint64_t id)
{
	return &model->coros.at[model_find(model, 1, id)];
}

/* ---------------------------------------------------------------- states */

static void test_life(void)
{
	struct model *model = fold("1ms t1 create c1 0x1010\n"
				   "2ms t1 resume c1 point=initial\n"
				   "3ms t1 suspend c1 channel:5\n"
				   "4ms t2 wake coroutine:1\n"
				   "5ms t2 resume c1\n"
				   "6ms t2 return c1\n"
				   "7ms t2 destroy c1\n"
				   "8ms t1 create c2 0x2010\n"
				   "9ms t1 suspend c3 point=await\n");

	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_DESTROYED);
	CHECK_EQUAL(coro(model, 1)->nr_resumes, 2);
	CHECK_EQUAL(coro(model, 1)->turns->nr_wakes, 1);
	CHECK_EQUAL(coro(model, 1)->rare->destroyed, 7000000);
	CHECK_EQUAL(coro(model, 1)->rare->destroy_thread, 2);
	CHECK_EQUAL(coro(model, 2)->state, CT_STATE_UNSEEN);
	CHECK_EQUAL(coro(model, 3)->state, CT_STATE_WAITING);
	CHECK_EQUAL(coro(model, 3)->created, CT_NO_TIME);
	CHECK_EQUAL(model_find(model, 1, 4), 0);
	CHECK_EQUAL(model->nr_broken, 0);
	CHECK_EQUAL(model->processes[1].nr_ready, 0);
	end(model);
}

static void test_ready(void)
{
	struct model *model = fold("1ms t1 create c1 0x1010\n"
				   "2ms t1 suspend c1 point=initial\n"
				   "3ms t1 wake coroutine:1\n"
				   "1ms t2 create c2 0x2010\n"
				   "3ms t2 wake coroutine:2\n"
				   "1ms t2 create c3 0x3010\n"
				   "2ms t2 suspend c3 event:1\n"
				   "3ms t2 wake coroutine:3 outcome=dropped\n");

	/*
	 * Coroutine 1 was seen suspended, so its resume will be seen, too; a coroutine never seen allows no conclusion.
	 */
	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_READY);
	CHECK_EQUAL(coro(model, 2)->state, CT_STATE_UNSEEN);
	CHECK_EQUAL(coro(model, 3)->state, CT_STATE_WAITING);
	CHECK_EQUAL(model->processes[1].nr_ready, 1);
	end(model);
}

/*
 * The wake that ended the previous wait is not a second wake for the next one, although it has the time of the resume.
 */
static void test_woken_at_the_time_of_the_resume(void)
{
	struct model *model = fold("1ms t1 create c1 0x1010\n"
				   "2ms t1 resume c1 point=initial\n"
				   "3ms t1 suspend c1 event:1\n"
				   "4ms t1 wake coroutine:1\n"
				   "5ms t1 resume c1\n"
				   "6ms t1 suspend c1 event:1\n"
				   "7ms t1 wake coroutine:1\n"
				   "7ms t1 resume c1\n"
				   "8ms t1 suspend c1 event:1\n"
				   "1ms t2 create c2 0x2010\n"
				   "2ms t2 resume c2 point=initial\n"
				   "2ms t2 wake c2 coroutine:2\n"
				   "3ms t2 suspend c2 event:2\n");

	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_WAITING);
	CHECK_EQUAL(coro(model, 2)->state, CT_STATE_READY);
	end(model);
}

static void test_queue(void)
{
	struct model *model = fold("1ms t1 create c1 0x1010\n"
				   "2ms t1 suspend c1 event:1\n"
				   "3ms t1 enqueue c1 queue:1\n"
				   "1ms t2 create c2 0x2010\n"
				   "2ms t2 enqueue c2 queue:1\n");

	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_READY);
	CHECK_EQUAL(coro(model, 2)->state, CT_STATE_UNSEEN);
	CHECK_EQUAL(model->nr_broken, 0);
	end(model);
}

static void test_cancel(void)
{
	struct model *model = fold("1ms t1 create c1 0x1010\n"
				   "2ms t1 resume c1\n"
				   "3ms t1 suspend c1 channel:5\n"
				   "4ms t1 cancel c1\n");

	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_RUNNING);
	CHECK_EQUAL(model->threads[1].top, model_find(model, 1, 1));
	CHECK_EQUAL(model->nr_broken, 0);
	end(model);
}

/* ---------------------------------------------------------------- the coroutine on a thread */

static void test_nested(void)
{
	struct model *model = fold("1ms t1 resume c1\n"
				   "2ms t1 resume c2\n"
				   "3ms t1 create c3 0x3010\n"
				   "4ms t1 resume c4\n"
				   "5ms t1 destroy c2\n"
				   "6ms t1 suspend c4 event:1\n"
				   "7ms t1 create c5 0x5010\n");

	CHECK_EQUAL(coro(model, 3)->parent, model_find(model, 1, 2));
	CHECK_EQUAL(coro(model, 5)->parent, model_find(model, 1, 1));
	CHECK_EQUAL(model->threads[1].top, model_find(model, 1, 1));
	end(model);
}

static void test_stack_of_idle_thread(void)
{
	struct model *model = fold("1ms t1 resume c1\n"
				   "2ms t1 park\n"
				   "3ms t1 unpark\n"
				   "4ms t1 create c3 0x3010\n");

	/* The coroutine ended unseen: later events are not its own. */
	CHECK_EQUAL(coro(model, 3)->parent, 0);
	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_RUNNING);
	end(model);
}

static void test_switch(void)
{
	struct model *model = fold("1ms t1 switch c0 c1\n"
				   "2ms t1 switch c1 c2\n"
				   "3ms t1 switch c2 c0\n");

	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_WAITING);
	CHECK_EQUAL(coro(model, 2)->state, CT_STATE_WAITING);
	CHECK_EQUAL(coro(model, 2)->nr_resumes, 1);
	CHECK_EQUAL(model->threads[1].top, 0);
	CHECK_EQUAL(model->nr_broken, 0);
	end(model);
}

/* P-36: the next resume ends a run recorded by hooks, and the late record of its end changes nothing. */
static void test_told_around(void)
{
	struct model *model = fold("1ms t1 create c1 0x1010\n"
				   "2ms t1 resume c1 flags=0x1\n"
				   "5ms t2 resume c1 flags=0x1\n"
				   "6ms t1 suspend c1 event:1 flags=0x1\n"
				   "7ms t2 suspend c1 event:2 flags=0x1\n"
				   "8ms t1 resume c1 flags=0x1\n"
				   "9ms t2 resume c1 flags=0x1\n"
				   "10ms t2 suspend c1 event:2 flags=0x1\n"
				   "12ms t1 suspend c1 event:1 flags=0x1\n"
				   "1ms t2 create c2 0x2010\n"
				   "13ms t1 resume c2 flags=0x1\n"
				   "14ms t2 destroy c2\n"
				   "15ms t1 suspend c2 event:1 flags=0x1\n"
				   "16ms t2 resume c2 flags=0x1\n");

	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_WAITING);
	CHECK_EQUAL(coro(model, 1)->suspended, 10000000);
	CHECK_EQUAL(coro(model, 1)->wait_object, CTP_HANDLE(CTP_RESOURCE_EVENT, 2));
	CHECK_EQUAL(coro(model, 1)->nr_resumes, 4);
	CHECK_EQUAL(model_spent(model, coro(model, 1), CT_STATE_RUNNING), 7000000);
	CHECK_EQUAL(coro(model, 2)->state, CT_STATE_DESTROYED);
	CHECK_EQUAL(coro(model, 2)->rare->destroyed, 14000000);
	CHECK_EQUAL(model->threads[1].top, 0);
	CHECK_EQUAL(model->threads[2].top, 0);
	CHECK_EQUAL(model->nr_late_ends, 2);
	CHECK_EQUAL(model->nr_broken, 0);
	CHECK_EQUAL(model->ghosts.count, 0);
	end(model);
}

/* ---------------------------------------------------------------- addresses */

static void test_addresses(void)
{
	struct model *model = fold("1ms t1 wake frame:0x2000\n"
				   "1ms t1 create c1 0x1048\n"
				   "2ms t1 create c2 0x2048\n"
				   "3ms t1 wake frame:0x2000\n"
				   "4ms t1 frame c1 0x1000\n"
				   "5ms t1 wake frame:0x2000\n"
				   "6ms t1 destroy c1\n"
				   "7ms t1 create c3 0x1048\n"
				   "8ms t1 frame c3 0x1000\n"
				   "9ms t1 wake frame:0x1000\n"
				   "9ms t1 create c4 0x2048\n");

	/* The wake at 1 ms came before the coroutine existed; the wake at 3 ms was matched later. */
	CHECK_EQUAL(model->nr_unmatched_wakes, 1);
	CHECK_EQUAL(coro(model, 2)->turns->nr_wakes, 2);
	CHECK_EQUAL(coro(model, 1)->turns->nr_wakes, 0);
	CHECK_EQUAL(coro(model, 3)->turns->nr_wakes, 1);
	CHECK_EQUAL(model->nr_frames_reused, 1);
	CHECK_EQUAL(model_find_frame(model, 1, 0x1000), model_find(model, 1, 3));
	/* Another coroutine uses its memory, so it is gone. */
	CHECK_EQUAL(coro(model, 2)->state, CT_STATE_DESTROYED);
	CHECK_EQUAL(model->nr_broken, 1);
	end(model);
}

static void test_ghosts(void)
{
	struct model *model = fold("1ms t1 create c1 0x1010\n"
				   "1ms t1 frame c1 0x1000\n"
				   "2ms t1 destroy c1\n"
				   "3ms t2 wake frame:0x1000\n"
				   "4ms t2 resume c1\n");

	CHECK_EQUAL(model->ghosts.count, 2);
	CHECK_EQUAL(model->ghosts.at[0].kind, CTP_KIND_WAKE);
	CHECK_EQUAL(model->ghosts.at[1].thread, 2);
	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_DESTROYED);
	end(model);
}

/* ---------------------------------------------------------------- descriptors */

static void test_generations(void)
{
	struct model *model = fold("1ms t1 descriptor-open descriptor:7.1\n"
				   "2ms t1 suspend c1 descriptor:7\n"
				   "3ms t2 descriptor-close descriptor:7.1\n"
				   "4ms t2 descriptor-open descriptor:7.2\n"
				   "5ms t1 suspend c2 descriptor:7\n"
				   "6ms t1 suspend c3 descriptor:7.1\n"
				   "7ms t1 suspend c4 descriptor:3\n");
	const struct model_descriptor *at = model->descriptors.at;

	CHECK_EQUAL(at[coro(model, 1)->rare->descriptor].generation, 1);
	CHECK_EQUAL(at[coro(model, 1)->rare->descriptor].closed, 3000000);
	CHECK_EQUAL(at[coro(model, 1)->rare->descriptor].close_thread, 2);
	CHECK_EQUAL(at[coro(model, 2)->rare->descriptor].generation, 2);
	CHECK_EQUAL(at[coro(model, 2)->rare->descriptor].closed, CT_NO_TIME);
	CHECK_EQUAL(coro(model, 3)->rare->descriptor, coro(model, 1)->rare->descriptor);
	CHECK_EQUAL(at[coro(model, 4)->rare->descriptor].opened, CT_NO_TIME);
	CHECK_EQUAL(model->processes[1].nr_open, 2);
	end(model);
}

static void test_copies(void)
{
	struct model *model = fold("1ms t1 descriptor-open descriptor:7.1\n"
				   "2ms t1 descriptor-dup descriptor:8.1\n"
				   "2ms t1 detail descriptor:7.1 detail=resource\n"
				   "3ms t1 descriptor-dup descriptor:9.1\n"
				   "3ms t1 detail descriptor:8.1 detail=resource\n"
				   "4ms t1 suspend c1 descriptor:7\n"
				   "5ms t1 descriptor-close descriptor:7.1\n"
				   "6ms t1 descriptor-close descriptor:8.1\n");
	const struct model_descriptor *first =
		&model->descriptors.at[coro(model, 1)->rare->descriptor];

	CHECK_EQUAL(first->closed, 5000000);
	CHECK_EQUAL(model->descriptors.at[first->file].nr_copies, 1);
	CHECK_EQUAL(model->descriptors.at[first->file].file_closed, CT_NO_TIME);
	end(model);
}

/* ---------------------------------------------------------------- quiescence */

static void test_quiet(void)
{
	struct model *model = fold("1ms t1 suspend c1 event:1\n"
				   "1ms t2 suspend c2 event:1\n"
				   "10ms t1 park\n"
				   "20ms t2 park\n"
				   "30ms t1 unpark\n"
				   "31ms t1 resume c1\n");

	/* Thread 1 was last idle at 30 ms; thread 2 is idle now. */
	CHECK(model_quiet_since(model, 1, 29000000, model->now));
	CHECK(!model_quiet_since(model, 1, 31000000, model->now));
	CHECK_EQUAL(model_quiet_time(model, 1, model->now), 30000000);
	end(model);
}

static void test_quiet_with_ready(void)
{
	struct model *model = fold("1ms t1 suspend c1 event:1\n"
				   "1ms t2 suspend c2 event:1\n"
				   "10ms t1 park\n"
				   "11ms t2 wake coroutine:1\n"
				   "12ms t2 park\n");

	/* Idle, but with a coroutine in a queue: for thread 1 only the time before the wake counts. */
	CHECK_EQUAL(model_quiet_time(model, 1, model->now), INT64_MIN);
	CHECK_EQUAL(model_thread_quiet_time(model, 1, model->now), 11000000);
	end(model);
}

static void test_quiet_with_timeout(void)
{
	struct model *model = fold("1ms t1 suspend c1 event:1\n"
				   "10ms t1 block-begin 50 call=epoll_wait\n"
				   "60ms t1 block-end 0 call=epoll_wait\n"
				   "61ms t1 block-begin 50 call=epoll_wait\n");

	CHECK_EQUAL(model_quiet_time(model, 1, model->now), 60000000);
	end(model);
}

static void test_quiet_by_look(void)
{
	/* 202 is futex on x86-64; the numbers in this test are that machine's. */
	struct model *model = fold("1ms t1 suspend c1 event:1\n"
				   "500ms t1 thread-state c101 0xca53 argument=1\n");

#ifdef __x86_64__
	CHECK_EQUAL(model_quiet_time(model, 1, model->now), model->now);
#endif
	CHECK(model->threads[1].seen_untimed);
	end(model);
}

/* ---------------------------------------------------------------- faulty input */

static void test_gaps(void)
{
	struct model *model = fold("1ms t1 lost 5 first=500us loss=\"ring full\"\n"
				   "20ms t2 lost 7 first=10ms loss=\"ring full\"\n");

	CHECK_EQUAL(model->nr_lost, 12);
	CHECK_EQUAL(model_lost_between(model, 1, 0, 100), 0);
	CHECK_EQUAL(model_lost_between(model, 1, 0, 600000), 5);
	CHECK_EQUAL(model_lost_between(model, 1, 2000000, 1000000000), 7);
	CHECK_EQUAL(model_lost_between(model, 1, 21000000, 1000000000), 0);
	end(model);
}

static void test_impossible(void)
{
	struct model *model = fold("1ms t1 create c1 0x1010\n"
				   "72057594037927936ns t2 resume c1\n");

	CHECK_EQUAL(model->nr_impossible, 1);
	CHECK_EQUAL(model->now, 2000000000);
	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_UNSEEN);
	end(model);
}

/* Whatever a trace says about itself, the difference of two times that are believed fits into a number. */
static void test_window(void)
{
	struct model *model = fold_all("trace from=-9223372036854775807 until=9223372036854775807\n"
				       "process 1 pid=100 probe\n"
				       "thread 1 tid=101\n",
		"-9223372036854775806 t1 create c1\n"
		"1ms t1 create c2\n"
		"9223372036854775806 t1 create c3\n");
	int64_t longest;

	CHECK(!__builtin_sub_overflow(model->highest, model->lowest, &longest));
	CHECK_EQUAL(model->nr_impossible, 2);
	CHECK(coro(model, 2)->flags & MODEL_CORO_WAS_CREATED);
	end(model);
}

/* A wake for somebody else at the address of one that has ended is no broken step, however many there are. */
static void test_broken(void)
{
	struct text text = {0};
	struct model *model;
	unsigned i;

	text_add(&text, "1ms t1 create c1 0x1010\n2ms t1 create c1 0x1010\n"
			"3ms t1 resume c1\n4ms t2 resume c1\n5ms t2 destroy c1\n"
			"6ms t2 destroy c1\n7ms t2 suspend c1\n");
	for (i = 0; i < MODEL_GHOSTS; i++)
		text_add(&text, "+1us t1 wake coroutine:1\n");
	model = fold(text_peek(&text));
	text_fini(&text);
	CHECK_EQUAL(model->nr_broken, 4);
	CHECK_EQUAL(model->nr_unmatched_wakes, 1);
	end(model);
}

/* ---------------------------------------------------------------- annotations */

#define NAMED                                                                   \
	TABLES "site 1 kind=source file=a.c line=1 function=f reason=request\n" \
	       "site 2 kind=source file=a.c line=2 function=f reason=query\n"   \
	       "site 3 kind=source file=a.c line=3 function=f reason=query\n"   \
	       "site 4 kind=source file=a.c line=4 function=f reason=load\n"

static const struct model_span *span(struct model *model, unsigned kind, const char *name)
{
	size_t i;

	for (i = 1; i < model->spans.count; i++)
		if (model->spans.at[i].kind == kind && !strcmp(model->spans.at[i].name, name))
			return &model->spans.at[i];
	return &model->spans.at[0];
}

static uint64_t task_of(struct model *model, uint64_t id)
{
	const struct model_task *task = model_task_of(model, model_find(model, 1, id));

	return task ? task->id : 0;
}

/* P-60, P-61: the task moves with its coroutines, to children, by hand, and ends on any thread. */
static void test_tasks(void)
{
	struct model *model = fold_all(NAMED, "1ms t1 create c1 0x1010\n"
					      "2ms t1 resume c1\n"
					      "3ms t1 task-begin 4711 @1\n"
					      "4ms t1 create c2 0x2010\n"
					      "5ms t1 suspend c1\n"
					      "6ms t2 resume c1\n"
					      "7ms t2 create c3 0x3010\n"
					      "8ms t2 task-set c4 4711\n"
					      "8ms t2 create c4 0x4010\n"
					      "9ms t2 task-begin c3 4712 @1\n"
					      "10ms t1 task-set c4 4712\n"
					      "11ms t1 task-set c2 0\n");

	CHECK_EQUAL(task_of(model, 1), 4711);
	CHECK_EQUAL(task_of(model, 2), 0);
	CHECK_EQUAL(task_of(model, 3), 4712);
	CHECK_EQUAL(task_of(model, 4), 4712);
	CHECK_EQUAL(span(model, CTP_KIND_TASK_BEGIN, "request")->open.count, 2);
	CHECK_EQUAL(model->nr_slowest, 2);
	CHECK_EQUAL(model->slowest[0].task.id, 4711);
	CHECK_EQUAL(model->slowest[0].duration, 1997000000);
	end(model);
	model = fold_all(NAMED, "1ms t1 task-begin c1 7 @1\n"
				"2ms t1 create c1 0x1010\n"
				"3ms t1 task-set c1 7\n"
				"4ms t2 task-end 7\n"
				"5ms t2 task-end 7\n"
				"6ms t2 task-begin 7 @1\n"
				"8ms t2 task-begin 7 @1\n");
	CHECK_EQUAL(span(model, CTP_KIND_TASK_BEGIN, "request")->nr_begun, 3);
	CHECK_EQUAL(span(model, CTP_KIND_TASK_BEGIN, "request")->open.count, 1);
	CHECK_EQUAL(span(model, CTP_KIND_TASK_BEGIN, "request")->durations->max, 3000000);
	CHECK_EQUAL(model->slowest[1].duration, 3000000);
	CHECK(model_is_task_open(model, &model->slowest[0].task));
	CHECK(!model_is_task_open(model, &model->slowest[1].task));
	end(model);
}

/* P-62: regions nest, follow their coroutine, and end together with the regions inside; P-65: counters. */
static void test_regions(void)
{
	struct model *model = fold_all(NAMED, "1ms t1 create c1 0x1010\n"
					      "1ms t1 resume c1\n"
					      "2ms t1 region-begin @1\n"
					      "3ms t1 region-begin c1 @2\n"
					      "4ms t1 suspend c1\n"
					      "5ms t1 region-begin @3\n"
					      "7ms t1 region-end @3\n"
					      "8ms t2 resume c1\n"
					      "9ms t2 region-end @1\n"
					      "10ms t2 region-end @1\n"
					      "11ms t2 region-begin @2\n"
					      "12ms t2 destroy c1\n"
					      "13ms t1 counter -5 @4\n"
					      "14ms t2 counter 9 @4\n"
					      "15ms t2 counter 2 @4\n");
	const struct model_span *query = span(model, CTP_KIND_REGION_BEGIN, "query");

	CHECK_EQUAL(query->nr_begun, 3);
	CHECK_EQUAL(query->open.count, 0);
	CHECK_EQUAL(query->durations->count, 2);
	CHECK_EQUAL(query->durations->max, 6000000);
	CHECK_EQUAL(query->durations->sum, 8000000);
	CHECK_EQUAL(span(model, CTP_KIND_REGION_BEGIN, "request")->durations->max, 7000000);
	CHECK_EQUAL(span(model, CTP_KIND_COUNTER, "load")->last, 2);
	CHECK_EQUAL(span(model, CTP_KIND_COUNTER, "load")->least, -5);
	CHECK_EQUAL(span(model, CTP_KIND_COUNTER, "load")->greatest, 9);
	end(model);
}

/* A task without a number, or with no name left, does not displace an open one. */
static void test_refused_annotations(void)
{
	struct text tables = {0}, events = {0};
	struct model *model;
	unsigned i;

	text_add(&tables, TABLES);
	for (i = 1; i <= MODEL_SPANS + 2; i++) {
		text_format(&tables, "site %u kind=name reason=n%u\n", i, i);
		text_format(
			&events, "%ums t1 counter 1 @%u\n", i / 2, i <= MODEL_SPANS - 1 ? i : 1);
	}
	text_add(&events, "900ms t1 task-begin 0 @1\n"
			  "900ms t1 task-begin 7 @1\n"
			  "901ms t1 task-begin 8 @2\n"
			  "901ms t1 task-begin 9 @3\n"
			  "902ms t1 region-begin @2\n"
			  "902ms t1 region-begin @3\n");
	model = fold_all(text_peek(&tables), text_peek(&events));
	CHECK_EQUAL(model->spans.count, MODEL_SPANS + 1);
	CHECK_EQUAL(model->tasks.count, 2);
	CHECK_EQUAL(model->regions.count, 1);
	CHECK_EQUAL(model->nr_spans_refused, 4);
	end(model);
	text_fini(&tables);
	text_fini(&events);
}

/* Events that were left out are counted separately, and the coroutine does not count as running. */
static void test_left_out(void)
{
	struct model *model = fold("loss process=1 thread=0 reason=\"not in the sample\" count=5 "
				   "first=0 last=1s\n"
				   "1ms t1 create c1 0x1010\n"
				   "2ms t1 resume c1\n"
				   "3ms t1 mark c1 0 mark=left-out\n");

	CHECK_EQUAL(model->nr_lost, 0);
	CHECK_EQUAL(model->nr_left_out, 5);
	CHECK_EQUAL(coro(model, 1)->state, CT_STATE_UNSEEN);
	CHECK_EQUAL(model->threads[1].top, 0);
	end(model);
}

int main(void)
{
	test_life();
	test_ready();
	test_woken_at_the_time_of_the_resume();
	test_queue();
	test_cancel();
	test_nested();
	test_stack_of_idle_thread();
	test_switch();
	test_told_around();
	test_addresses();
	test_ghosts();
	test_generations();
	test_copies();
	test_quiet();
	test_quiet_with_ready();
	test_quiet_with_timeout();
	test_quiet_by_look();
	test_gaps();
	test_impossible();
	test_broken();
	test_window();
	test_tasks();
	test_regions();
	test_refused_annotations();
	test_left_out();
	return check_result();
}
