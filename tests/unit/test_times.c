/* SPDX-License-Identifier: MIT */
/*
 * Durations: the times of a small trace by coroutine, by worker and by place, in numbers that can be counted by hand.
 */
#include <string.h>

#include "folded.h"

#define MS INT64_C(1000000)

static struct ct_source *source;

static struct model *fold(const char *trace)
{
	return fold_text(trace, &source);
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

/* The place whose line is `line`: sites have indexes in the order of their definition. */
static const struct model_place_times *place(const struct model *model, uint32_t line)
{
	uint32_t i;

	for (i = 1; i < model->tables->nr_sites; i++)
		if (model->tables->sites[i].line == line)
			return model->place_times[i];
	return NULL;
}

#define TABLES                                                           \
	"trace from=0 until=100ms\n"                                     \
	"process 1 pid=100 probe ledger\n"                               \
	"thread 1 tid=101 name=a\n"                                      \
	"thread 2 tid=102 name=b\n"                                      \
	"site 1 kind=source file=a.c line=10 function=main\n"            \
	"site 2 kind=source file=a.c line=20 function=take reason=get\n" \
	"site 3 kind=source file=a.c line=30 function=give reason=put\n"

/* A coroutine is started, runs, waits, is woken by another coroutine, runs on the other thread, and ends. */
static void test_one_life(void)
{
	struct model *model = fold(TABLES "1ms t1 create c1 0x1010 @1\n"
					  "3ms t1 resume c1\n"
					  "7ms t1 suspend c1 channel:5 @2\n"
					  "10ms t2 create c2 0x2010 @1\n"
					  "10ms t2 resume c2\n"
					  "20ms t2 wake c2 coroutine:1 @3\n"
					  "25ms t2 suspend c2 channel:6 @3\n"
					  "29ms t2 resume c1\n"
					  "40ms t2 return c1\n"
					  "45ms t2 destroy c1\n");
	const struct model_coro *one = coro(model, 1), *two = coro(model, 2);

	CHECK_EQUAL(model_spent(model, one, CT_STATE_UNSEEN), 2 * MS);
	CHECK_EQUAL(model_spent(model, one, CT_STATE_RUNNING), (4 + 11) * MS);
	CHECK_EQUAL(model_spent(model, one, CT_STATE_WAITING), 13 * MS);
	CHECK_EQUAL(model_spent(model, one, CT_STATE_READY), 9 * MS);
	CHECK_EQUAL(one->nr_resumes, 2);
	CHECK_EQUAL(one->turns->nr_migrations, 1);
	CHECK_EQUAL(model_nr_events(one), 6);
	CHECK_EQUAL(model_spent(model, two, CT_STATE_RUNNING), 15 * MS);
	CHECK_EQUAL(model_spent(model, two, CT_STATE_WAITING), 75 * MS);

	CHECK_EQUAL(model_histogram(place(model, 20)->waits)->sum, 13 * MS);
	CHECK_EQUAL(model_histogram(place(model, 20)->delays)->sum, 9 * MS);
	CHECK_EQUAL(model_histogram(place(model, 20)->runs)->sum, 11 * MS);
	CHECK_EQUAL(place(model, 20)->waiting.count, 0);
	CHECK_EQUAL(model_histogram(place(model, 10)->runs)->count, 2);
	CHECK_EQUAL(model_histogram(place(model, 10)->runs)->sum, (4 + 15) * MS);
	CHECK_EQUAL(model_histogram(place(model, 10)->runs)->max, 15 * MS);
	CHECK_EQUAL(model->coros.at[place(model, 10)->longest.coro].id, 2);
	CHECK_EQUAL(place(model, 10)->longest.until, 25 * MS);
	CHECK_EQUAL(place(model, 10)->nr_started, 2);
	CHECK_EQUAL(place(model, 10)->living.count, 1);
	CHECK_EQUAL(model_histogram(place(model, 10)->lives)->sum, 39 * MS);
	CHECK_EQUAL(place(model, 10)->nr_events, 6 + 4);
	CHECK_EQUAL(model_histogram(place(model, 30)->delays_caused)->sum, 9 * MS);
	CHECK_EQUAL(model_histogram(place(model, 30)->waits)->count, 0);
	CHECK_EQUAL(place(model, 30)->waiting.count, 1);
	CHECK_EQUAL(place(model, 30)->waiting.total_ns, 75 * MS);
	CHECK_EQUAL(place(model, 30)->waiting.longest_ns, 75 * MS);
	CHECK_EQUAL(model->processes[1].delays.sum, 9 * MS);
	end(model);
}

/* A coroutine that has returned is no longer run, though nothing says what the thread does next. */
static void test_workers_after_return(void)
{
	struct model *model = fold(TABLES "1ms t1 create c1 0x1010 @1\n"
					  "1ms t1 create c2 0x2010 @1\n"
					  "4ms t1 resume c1\n"
					  "5ms t1 resume c2\n"
					  "7ms t1 return c2\n"
					  "10ms t1 return c1\n"
					  "30ms t1 park\n");
	const struct model_thread *thread = &model->threads[1];

	CHECK_EQUAL(thread->spent[MODEL_ACTIVITY_RUNNING], 6 * MS);
	CHECK_EQUAL(thread->spent[MODEL_ACTIVITY_SCHEDULING], (3 + 20) * MS);
	end(model);
}

/*
 * A thread is outside of coroutines, in a call, or asleep: each instant from its first event to the end counts as one
 * of these.
 */
static void test_workers(void)
{
	struct model *model = fold(TABLES "1ms t1 create c1 0x1010 @1\n"
					  "4ms t1 resume c1\n"
					  "10ms t1 block-begin -1 call=read\n"
					  "13ms t1 block-end\n"
					  "15ms t1 suspend c1 channel:5 @2\n"
					  "16ms t1 park\n"
					  "36ms t1 unpark\n"
					  "38ms t1 thread-stop\n"
					  "50ms t2 park\n");
	const struct model_thread *first = &model->threads[1], *second = &model->threads[2];

	CHECK_EQUAL(first->spent[MODEL_ACTIVITY_SCHEDULING], (3 + 1 + 2) * MS);
	CHECK_EQUAL(first->spent[MODEL_ACTIVITY_RUNNING], (6 + 2) * MS);
	CHECK_EQUAL(first->spent[MODEL_ACTIVITY_BLOCKED], 3 * MS);
	CHECK_EQUAL(first->spent[MODEL_ACTIVITY_IDLE], 20 * MS);
	CHECK_EQUAL(first->counted_from, 1 * MS);
	CHECK_EQUAL(first->counted, 38 * MS);
	CHECK_EQUAL(first->nr_resumes, 1);
	CHECK_EQUAL(second->spent[MODEL_ACTIVITY_IDLE], 50 * MS);
	CHECK_EQUAL(second->counted, 100 * MS);
	end(model);
}

/* A thread that creates a coroutine whose first event is a suspend has not run that coroutine. */
static void test_creator(void)
{
	struct model *model = fold(TABLES "1ms t1 create c1 0x1010 @1\n"
					  "1ms t1 suspend c1 point=initial\n"
					  "2ms t2 resume c1\n"
					  "3ms t2 suspend c1 channel:5 @2\n");

	CHECK(!model->threads[1].is_worker);
	CHECK(model->threads[2].is_worker);
	end(model);
}

/* The number of ready coroutines is weighted with the time for which there were so many, from the first event on. */
static void test_ready(void)
{
	struct model *model = fold(TABLES "1ms t1 create c1 0x1010 @1\n"
					  "1ms t1 resume c1\n"
					  "2ms t1 suspend c1 channel:5 @2\n"
					  "3ms t2 create c2 0x2010 @1\n"
					  "3ms t2 resume c2\n"
					  "4ms t2 suspend c2 channel:5 @2\n"
					  "10ms t2 wake coroutine:1 @3\n"
					  "20ms t2 wake coroutine:2 @3\n"
					  "25ms t1 resume c1\n"
					  "40ms t2 resume c2\n");
	const struct histogram *ready = &model->processes[1].ready;

	CHECK_EQUAL(ready->count, 90 * MS);
	CHECK_EQUAL(ready->sum, (10 + 2 * 5 + 15) * MS);
	CHECK_EQUAL(ready->max, 2);
	CHECK_EQUAL(histogram_at(ready, 0.5), 0);
	CHECK_EQUAL(histogram_at(ready, 0.9), 1);
	CHECK_EQUAL(histogram_at(ready, 0.99), 2);
	end(model);
}

/*
 * The coroutine wakes itself before it suspends: it is ready from the suspend on, and the delay's cause is the place of
 * that wake-up.
 */
static void test_yield(void)
{
	struct model *model = fold(TABLES "1ms t1 create c1 0x1010 @1\n"
					  "1ms t1 resume c1\n"
					  "5ms t1 wake c1 coroutine:1 @3 outcome=queued\n"
					  "6ms t1 suspend c1 @2\n"
					  "9ms t1 resume c1\n"
					  "11ms t1 suspend c1 channel:5 @2\n");

	CHECK_EQUAL(model_spent(model, coro(model, 1), CT_STATE_READY), 3 * MS);
	CHECK_EQUAL(model_spent(model, coro(model, 1), CT_STATE_RUNNING), 7 * MS);
	CHECK_EQUAL(model_histogram(place(model, 20)->delays)->sum, 3 * MS);
	CHECK_EQUAL(model_histogram(place(model, 30)->delays_caused)->sum, 3 * MS);
	CHECK_EQUAL(model_histogram(place(model, 20)->runs)->sum, 2 * MS);
	end(model);
}

/* Time before the observation does not count, also where events tell of it. */
static void test_before(void)
{
	struct model *model = fold("trace from=50ms until=100ms\n"
				   "process 1 pid=100 probe ledger\n"
				   "thread 1 tid=101 name=a\n"
				   "site 1 kind=source file=a.c line=20 function=take reason=get\n"
				   "20ms t1 resume c1\n"
				   "30ms t1 suspend c1 channel:5 @1\n"
				   "80ms t1 wake coroutine:1\n"
				   "90ms t1 resume c1\n");

	CHECK_EQUAL(model_spent(model, coro(model, 1), CT_STATE_RUNNING), 10 * MS);
	CHECK_EQUAL(model_spent(model, coro(model, 1), CT_STATE_WAITING), 30 * MS);
	CHECK_EQUAL(model_spent(model, coro(model, 1), CT_STATE_READY), 10 * MS);
	CHECK_EQUAL(model->threads[1].counted_from, 50 * MS);
	/*
	 * The coroutine's first run, and its time ready before that, are in no distribution: nobody saw how long they
	 * took.
	 */
	CHECK_EQUAL(model->nr_changes_before, 2);
	CHECK_EQUAL(model->processes[1].runs.count, 0);
	CHECK_EQUAL(model_histogram(place(model, 20)->waits)->sum, 30 * MS);
	CHECK_EQUAL(model_histogram(place(model, 20)->delays)->sum, 10 * MS);
	end(model);
}

static const struct model_span *span(const struct model *model, uint8_t kind, const char *name)
{
	size_t i;

	for (i = 1; i < model->spans.count; i++)
		if (model->spans.at[i].kind == kind && strcmp(model->spans.at[i].name, name) == 0)
			return &model->spans.at[i];
	return &model->spans.at[0];
}

static int64_t sum_of(const int64_t *spent)
{
	return spent[CT_STATE_UNSEEN] + spent[CT_STATE_READY] + spent[CT_STATE_RUNNING] +
	       spent[CT_STATE_WAITING] + spent[CT_STATE_SYSCALL];
}

/* A task goes from one coroutine to the next; its coroutines' states from its beginning on are its own. */
static void test_task(void)
{
	struct model *model = fold(TABLES "1ms t1 create c1 0x1010 @1\n"
					  "1ms t1 resume c1\n"
					  "5ms t1 task-begin c1 7 @2\n"
					  "8ms t1 create c2 0x2010 @1\n"
					  "10ms t1 suspend c1 channel:5 @2\n"
					  "11ms t2 resume c2\n"
					  "20ms t2 wake c2 coroutine:1 @3\n"
					  "22ms t1 resume c1\n"
					  "24ms t1 task-set c1 0\n"
					  "30ms t2 suspend c2 lock:9 @3\n"
					  "40ms t1 task-end 7\n"
					  "50ms t1 suspend c1 channel:6 @2\n");
	const struct model_span *task = span(model, CTP_KIND_TASK_BEGIN, "get");

	/* The first one: 5 to 10 running, then 10 waiting, 2 ready, 2 running. The second: 3, 19, 10. */
	CHECK_EQUAL(task->spent[CT_STATE_UNSEEN], 3 * MS);
	CHECK_EQUAL(task->spent[CT_STATE_RUNNING], (5 + 2 + 19) * MS);
	CHECK_EQUAL(task->spent[CT_STATE_READY], 2 * MS);
	CHECK_EQUAL(task->spent[CT_STATE_WAITING], (10 + 10) * MS);
	CHECK_EQUAL(task->waited[CTP_RESOURCE_CHANNEL], 10 * MS);
	CHECK_EQUAL(task->waited[CTP_RESOURCE_LOCK], 10 * MS);
	CHECK_EQUAL(task->durations->sum, 35 * MS);
	CHECK_EQUAL(task->open.total_ns, 0);
	CHECK_EQUAL(sum_of(model->slowest[0].task.spent), sum_of(task->spent));
	CHECK_EQUAL(model_work_of(model, model_find(model, 1, 2))->task, 0);
	end(model);
}

/* What a thread set before the task began, by its clock, is part of it all the same; also where it never ends. */
static void test_open_task(void)
{
	struct model *model = fold(TABLES "1ms t2 create c2 0x2010 @1\n"
					  "1ms t2 resume c2\n"
					  "10ms t2 task-set c2 7\n"
					  "10ms t1 task-begin 7 @2\n"
					  "30ms t2 suspend c2 lock:9 @3\n");
	const struct model_span *task = span(model, CTP_KIND_TASK_BEGIN, "get");

	CHECK_EQUAL(task->spent[CT_STATE_RUNNING], 20 * MS);
	CHECK_EQUAL(task->spent[CT_STATE_WAITING], 70 * MS);
	CHECK_EQUAL(task->open.total_ns, 90 * MS);
	CHECK_EQUAL(task->durations->count, 0);
	CHECK_EQUAL(model->slowest[0].duration, 90 * MS);
	end(model);
}

/* J-10: what a region comes to is how long it was open; the outer one has what the inner one has. */
static void test_regions(void)
{
	struct model *model = fold(TABLES "1ms t1 create c1 0x1010 @1\n"
					  "2ms t1 resume c1\n"
					  "3ms t1 region-begin c1 0 @2\n"
					  "5ms t1 region-begin c1 0 @3\n"
					  "7ms t1 suspend c1 lock:9 @2\n"
					  "12ms t2 wake coroutine:1 @3\n"
					  "15ms t2 resume c1\n"
					  "16ms t2 region-end c1 @3\n"
					  "20ms t2 region-end c1 @2\n"
					  "30ms t2 region-begin c1 0 @3\n"
					  "60ms t2 return c1\n"
					  "70ms t2 destroy c1\n");
	const struct model_span *outer = span(model, CTP_KIND_REGION_BEGIN, "get");
	const struct model_span *inner = span(model, CTP_KIND_REGION_BEGIN, "put");

	CHECK_EQUAL(outer->durations->sum, 17 * MS);
	CHECK_EQUAL(sum_of(outer->spent), 17 * MS);
	CHECK_EQUAL(outer->spent[CT_STATE_RUNNING], (4 + 1 + 4) * MS);
	CHECK_EQUAL(outer->waited[CTP_RESOURCE_LOCK], 5 * MS);
	CHECK_EQUAL(inner->durations->sum, 11 * MS);
	CHECK_EQUAL(inner->spent[CT_STATE_READY], 3 * MS);
	/* Its second time was not told to end; the coroutine ran for 30 ms of it. */
	CHECK_EQUAL(inner->spent[CT_STATE_RUNNING], (2 + 1 + 30) * MS);
	CHECK_EQUAL(inner->open.count, 0);
	end(model);
}

/*
 * A coroutine lies in a queue from its enqueue until it is taken out, runs or is gone; one that was put
 * nowhere is in none.
 */
static void test_run_queues(void)
{
	struct model *model = fold(TABLES "0 t1 create c1 0x1010 @1\n"
					  "0 t1 create c2 0x2010 @1\n"
					  "0 t1 create c3 0x3010 @1\n"
					  "0 t1 create c4 0x4010 @1\n"
					  "10ms t1 enqueue c1 queue:7 flags=0\n"
					  "20ms t1 enqueue c2 queue:7 flags=0\n"
					  "30ms t2 dequeue c1 queue:7\n"
					  "30ms t2 enqueue c1 queue:0 flags=1\n"
					  "40ms t2 resume c1\n"
					  "50ms t1 destroy c2\n"
					  "60ms t1 enqueue c3 queue:7 flags=0\n"
					  "60ms t1 wake coroutine:4 @3\n");
	const struct model_run_queue *shared = &model->run_queues.at[1];
	const struct model_run_queue *own = &model->run_queues.at[2];

	CHECK_EQUAL(model->run_queues.count, 3);
	CHECK_EQUAL(shared->handle, CTP_HANDLE(CTP_RESOURCE_QUEUE, 7));
	CHECK_EQUAL(shared->thread, 0);
	CHECK_EQUAL(shared->nr_entered, 3);
	CHECK_EQUAL(shared->lengths->count, 90 * MS);
	CHECK_EQUAL(shared->lengths->sum, (10 + 2 * 10 + 20 + 0 + 40) * MS);
	CHECK_EQUAL(shared->lengths->max, 2);
	CHECK_EQUAL(own->thread, 2);
	CHECK_EQUAL(own->lengths->count, 70 * MS);
	CHECK_EQUAL(own->lengths->sum, 10 * MS);
	end(model);
}

int main(void)
{
	test_run_queues();
	test_ready();
	test_task();
	test_open_task();
	test_regions();
	test_one_life();
	test_workers();
	test_workers_after_return();
	test_creator();
	test_yield();
	test_before();
	return check_result();
}
