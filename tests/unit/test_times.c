/* SPDX-License-Identifier: MIT */
/*
 * How long: what a small trace comes to, by coroutine, by worker and by place, in numbers that can be counted by
 * hand.
 */
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

/* It is started, runs, waits, is woken by another one, runs on the other thread, and ends. */
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

	CHECK_EQUAL(one->spent[CT_STATE_UNSEEN], 2 * MS);
	CHECK_EQUAL(one->spent[CT_STATE_RUNNING], (4 + 11) * MS);
	CHECK_EQUAL(one->spent[CT_STATE_WAITING], 13 * MS);
	CHECK_EQUAL(one->spent[CT_STATE_READY], 9 * MS);
	CHECK_EQUAL(model_life(one), 39 * MS);
	CHECK_EQUAL(one->nr_resumes, 2);
	CHECK_EQUAL(one->nr_migrations, 1);
	CHECK_EQUAL(one->nr_events, 6);
	CHECK_EQUAL(two->spent[CT_STATE_RUNNING], 15 * MS);
	CHECK_EQUAL(two->spent[CT_STATE_WAITING], 75 * MS);

	CHECK_EQUAL(model_histogram(place(model, 20)->waits)->sum, 13 * MS);
	CHECK_EQUAL(model_histogram(place(model, 20)->delays)->sum, 9 * MS);
	CHECK_EQUAL(model_histogram(place(model, 20)->runs)->sum, 11 * MS);
	CHECK_EQUAL(place(model, 20)->nr_waiting, 0);
	CHECK_EQUAL(model_histogram(place(model, 10)->runs)->count, 2);
	CHECK_EQUAL(model_histogram(place(model, 10)->runs)->sum, (4 + 15) * MS);
	CHECK_EQUAL(model_histogram(place(model, 10)->runs)->max, 15 * MS);
	CHECK_EQUAL(model->coros.at[place(model, 10)->longest.coro].id, 2);
	CHECK_EQUAL(place(model, 10)->longest.until, 25 * MS);
	CHECK_EQUAL(place(model, 10)->nr_started, 2);
	CHECK_EQUAL(place(model, 10)->nr_alive, 1);
	CHECK_EQUAL(model_histogram(place(model, 10)->lives)->sum, 39 * MS);
	CHECK_EQUAL(place(model, 10)->nr_events, 6 + 4);
	CHECK_EQUAL(model_histogram(place(model, 30)->delays_caused)->sum, 9 * MS);
	CHECK_EQUAL(model_histogram(place(model, 30)->waits)->count, 0);
	CHECK_EQUAL(place(model, 30)->nr_waiting, 1);
	CHECK_EQUAL(model->processes[1].delays.sum, 9 * MS);
	end(model);
}

/* Outside of coroutines, in a call, asleep: each instant is one of them, from its first event to the end. */
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

/* Its own wake comes before it waits: it is ready from then on, and the yield is the waker's place. */
static void test_yield(void)
{
	struct model *model = fold(TABLES "1ms t1 create c1 0x1010 @1\n"
					  "1ms t1 resume c1\n"
					  "5ms t1 wake c1 coroutine:1 @3 outcome=queued\n"
					  "6ms t1 suspend c1 @2\n"
					  "9ms t1 resume c1\n"
					  "11ms t1 suspend c1 channel:5 @2\n");

	CHECK_EQUAL(coro(model, 1)->spent[CT_STATE_READY], 3 * MS);
	CHECK_EQUAL(coro(model, 1)->spent[CT_STATE_RUNNING], 7 * MS);
	CHECK_EQUAL(model_histogram(place(model, 20)->delays)->sum, 3 * MS);
	CHECK_EQUAL(model_histogram(place(model, 30)->delays_caused)->sum, 3 * MS);
	CHECK_EQUAL(model_histogram(place(model, 20)->runs)->sum, 2 * MS);
	end(model);
}

/* What was before the observation counts for nothing, also where it is told. */
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

	CHECK_EQUAL(coro(model, 1)->spent[CT_STATE_RUNNING], 10 * MS);
	CHECK_EQUAL(coro(model, 1)->spent[CT_STATE_WAITING], 30 * MS);
	CHECK_EQUAL(coro(model, 1)->spent[CT_STATE_READY], 10 * MS);
	CHECK_EQUAL(model->threads[1].counted_from, 50 * MS);
	end(model);
}

int main(void)
{
	test_one_life();
	test_workers();
	test_yield();
	test_before();
	return check_result();
}
