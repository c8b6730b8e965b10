/* SPDX-License-Identifier: MIT */
/*
 * The queue between the engine and its output: order, one copy of each record and text, a limit that holds while the
 * next sink is blocked, failures of the next sink in all its functions, calls in between, and every allocation failing
 * once.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "stages/queue_blocks.h"
#include "check.h"
#include "failing_memory.h"
#include "stages/queue.h"
#include "base/vec.h"

#define NOTE_BIT (UINT64_C(1) << 63)
#define LOST_TAIL CTP_TAIL(0, CTP_KIND_LOST, CTP_LOSS_FULL, 0)
#define EVENT_TAIL CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0)

/* The next sink: keeps what the queue hands on, in its order; a test can hold the sink up, or make it fail. */
struct tape {
	struct ct_sink sink;  /* first member */
	VEC(uint64_t) values; /* a record's object, or a note's count | NOTE_BIT */
	struct ct_define_end end;
	char text[64]; /* of the last note */
	size_t longest_text;
	unsigned nr_flushes, nr_batches;
	unsigned failing_put, failing_define, failing_flush; /* which call fails; 0: none */
	enum ct_status close_status;
	bool was_closed, was_wanted;
	uint64_t nr_seen;     /* atomic: records and flushes */
	pthread_mutex_t gate; /* held by a test that holds the sink up */
};

static struct tape tape;

static enum ct_status tape_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	size_t i;

	(void)sink;
	pthread_mutex_lock(&tape.gate);
	pthread_mutex_unlock(&tape.gate);
	if (batch->stream != 3 || batch->thread != 4)
		abort();
	if (++tape.nr_batches >= tape.failing_put && tape.failing_put)
		return ct_fail(reterr, CT_ERR_SYSTEM, "this sink is full");
	for (i = 0; i < batch->nr_records; i++)
		if (!vec_push(&tape.values, batch->records[i].object))
			abort();
	__atomic_fetch_add(&tape.nr_seen, batch->nr_records, __ATOMIC_RELEASE);
	return CT_OK;
}

static enum ct_status tape_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	(void)sink;
	if (tape.failing_define && --tape.failing_define == 0)
		return ct_fail(reterr, CT_ERR_SYSTEM, "this sink defines no more");
	if (definition->type == CT_DEFINE_END)
		tape.end = definition->end;
	if (definition->type != CT_DEFINE_NOTE)
		return CT_OK;
	if (!vec_push(&tape.values, definition->note.count | NOTE_BIT))
		abort();
	snprintf(tape.text, sizeof(tape.text), "%s", definition->note.text);
	if (strlen(definition->note.text) > tape.longest_text)
		tape.longest_text = strlen(definition->note.text);
	return CT_OK;
}

static enum ct_status tape_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	(void)sink;
	tape.nr_flushes++;
	__atomic_fetch_add(&tape.nr_seen, 1, __ATOMIC_RELEASE);
	if (tape.nr_flushes == tape.failing_flush)
		return ct_fail(reterr, CT_ERR_SYSTEM, "this sink flushes no more");
	return CT_OK;
}

static enum ct_status tape_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	(void)sink;
	tape.was_closed = true;
	tape.was_wanted = is_wanted;
	return tape.close_status ? ct_fail(reterr, tape.close_status, "this sink closes badly")
				 : CT_OK;
}

static const struct ct_sink_ops tape_ops = {tape_put, tape_define, tape_flush, tape_close};

static void start_tape(void)
{
	tape = (struct tape){.sink.ops = &tape_ops};
	pthread_mutex_init(&tape.gate, NULL);
}

static struct queue *opened(void)
{
	struct queue *queue = NULL;

	start_tape();
	CHECK_EQUAL(queue_open(&tape.sink, 4 * BLOCK_BYTES, &queue, NULL), CT_OK);
	if (!queue)
		exit(1);
	return queue;
}

static void end_tape(void)
{
	vec_fini(&tape.values);
	pthread_mutex_destroy(&tape.gate);
}

static void closed(struct queue *queue)
{
	CHECK_EQUAL(sink_close(queue_sink(queue), true, NULL), CT_OK);
	CHECK(tape.was_closed && tape.was_wanted);
	end_tape();
}

/* Puts records with the objects first, first + 1, ... from memory that is overwritten at once. */
static enum ct_status put(struct queue *queue, uint64_t first, size_t count, struct ct_error *error)
{
	struct ctp_record *records = calloc(count, sizeof(*records));
	struct ct_batch batch = {3, 4, records, count, false, false};
	enum ct_status status;
	size_t i;

	if (!records)
		abort();
	for (i = 0; i < count; i++)
		records[i] = (struct ctp_record){1, 2, first + i, EVENT_TAIL};
	status = sink_put(queue_sink(queue), &batch, error);
	memset(records, 0xff, count * sizeof(*records));
	free(records);
	return status;
}

static enum ct_status note(struct queue *queue, uint64_t count, struct ct_error *error)
{
	char text[32];
	struct ct_definition definition = {
		.type = CT_DEFINE_NOTE, .note = {.text = text, .count = count}};
	enum ct_status status;

	snprintf(text, sizeof(text), "note %" PRIu64, count);
	status = sink_define(queue_sink(queue), &definition, error);
	memset(text, 'x', sizeof(text));
	return status;
}

/* ---------------------------------------------------------------- order */

static void test_order(void)
{
	struct queue *queue = opened();
	uint64_t number = 0, i;

	/* More records than all blocks together hold, in batches of all sizes, some longer than a block. */
	for (i = 0; number < 100000; i++) {
		size_t count = i % 50 == 49 ? 20000 : i % 7 + 1;

		CHECK_EQUAL(put(queue, number, count, NULL), CT_OK);
		number += count;
		CHECK_EQUAL(note(queue, number, NULL), CT_OK);
	}
	queue_settle(queue);
	CHECK_EQUAL(tape.values.count, number + i);
	number = 0;
	for (i = 0; i < tape.values.count; i++) {
		if (tape.values.at[i] & NOTE_BIT)
			CHECK_EQUAL(tape.values.at[i] & ~NOTE_BIT, number);
		else
			CHECK_EQUAL(tape.values.at[i], number++);
	}
	CHECK_EQUAL(strtoull(tape.text + 5, NULL, 10), number);
	closed(queue);
}

/* All kinds of definitions, with texts that are missing or too long for a block. */
static void test_definitions(void)
{
	struct ct_definition loss = {.type = CT_DEFINE_LOSS, .loss = {.process = 1, .count = 3}};
	struct ct_definition site = {.type = CT_DEFINE_SITE, .site = {.segment = 1, .file = "a"}};
	struct queue *queue = opened();
	struct ct_definition large = {.type = CT_DEFINE_NOTE};
	char *text = malloc(2 * BLOCK_BYTES);

	if (!text)
		abort();
	memset(text, 'a', 2 * BLOCK_BYTES);
	text[2 * BLOCK_BYTES - 1] = '\0';
	large.note.text = text;
	CHECK_EQUAL(sink_define(queue_sink(queue), &loss, NULL), CT_OK);
	CHECK_EQUAL(sink_define(queue_sink(queue), &site, NULL), CT_OK);
	CHECK_EQUAL(note(queue, 1, NULL), CT_OK);
	CHECK_EQUAL(sink_define(queue_sink(queue), &large, NULL), CT_OK);
	CHECK_EQUAL(note(queue, 2, NULL), CT_OK);
	queue_settle(queue);
	CHECK_EQUAL(tape.values.count, 3);
	CHECK_EQUAL(tape.values.at[0], 1 | NOTE_BIT);
	CHECK_EQUAL(tape.values.at[1], 0 | NOTE_BIT);
	CHECK_EQUAL(tape.longest_text, 2 * BLOCK_BYTES - 1);
	CHECK_TEXT(tape.text, "note 2");
	free(text);
	closed(queue);
}

/* Where the count is never reached the wait ends with the test's time. */
static void wait_until_seen(uint64_t count)
{
	while (__atomic_load_n(&tape.nr_seen, __ATOMIC_ACQUIRE) < count)
		sched_yield();
}

/*
 * A definition that speaks of the events before it brings those to the next sink; so does a flush, which does not wait.
 */
static void test_nobody_settles(void)
{
	struct ct_definition beat = {.type = CT_DEFINE_HEARTBEAT};
	struct queue *queue = opened();

	put(queue, 0, 10, NULL);
	CHECK_EQUAL(sink_define(queue_sink(queue), &beat, NULL), CT_OK);
	wait_until_seen(10);
	pthread_mutex_lock(&tape.gate);
	put(queue, 10, 10, NULL);
	CHECK_EQUAL(sink_flush(queue_sink(queue), NULL), CT_OK);
	pthread_mutex_unlock(&tape.gate);
	wait_until_seen(21);
	CHECK_EQUAL(tape.nr_flushes, 1);
	closed(queue);
}

/* ---------------------------------------------------------------- the bound */

#define MANY_BATCHES 200

static void *put_many(void *context)
{
	uint64_t i;

	for (i = 0; i < MANY_BATCHES; i++)
		if (put(context, i * 1000, 1000, NULL))
			abort();
	return NULL;
}

/* 6.4 MB go through 1 MiB while the next sink takes nothing: put waits, and no record is lost. */
static void test_bound(void)
{
	struct queue *queue = opened();
	struct queue_state state;
	pthread_t producer;
	uint64_t i;

	pthread_mutex_lock(&tape.gate);
	if (pthread_create(&producer, NULL, put_many, queue))
		abort();
	do {
		sched_yield();
		queue_state(queue, &state);
	} while (state.nr_full == 0);
	CHECK_EQUAL(tape.values.count, 0);
	pthread_mutex_unlock(&tape.gate);
	pthread_join(producer, NULL);
	queue_settle(queue);
	queue_state(queue, &state);
	CHECK_EQUAL(state.most_bytes, 4 * BLOCK_BYTES);
	CHECK_EQUAL(state.nr_lost, 0);
	CHECK_EQUAL(tape.values.count, MANY_BATCHES * 1000);
	for (i = 0; i < tape.values.count; i++)
		CHECK_EQUAL(tape.values.at[i], i);
	closed(queue);
}

/* ---------------------------------------------------------------- failures */

static void put_with_lost(struct queue *queue)
{
	const struct ctp_record records[] = {
		{1, 2, 3, EVENT_TAIL}, {1, 2, 3, LOST_TAIL}, {1, 2, 3, EVENT_TAIL}};
	const struct ct_batch batch = {3, 4, records, 3, false, false};

	CHECK_EQUAL(sink_put(queue_sink(queue), &batch, NULL), CT_OK);
}

/*
 * The queue took all of five batches, and the second fails in the next sink: that one and the rest count as lost,
 * except records that tell of losses.
 */
static void test_failing_put(void)
{
	struct ct_definition end = {.type = CT_DEFINE_END, .end = {.nr_events = 100, .nr_lost = 5}};
	struct queue *queue = opened();
	struct queue_state state;
	struct ct_error error;

	tape.failing_put = 2;
	pthread_mutex_lock(&tape.gate);
	CHECK_EQUAL(put(queue, 0, 10, NULL), CT_OK);
	CHECK_EQUAL(put(queue, 10, 10, NULL), CT_OK);
	CHECK_EQUAL(note(queue, 7, NULL), CT_OK);
	CHECK_EQUAL(put(queue, 20, 10, NULL), CT_OK);
	put_with_lost(queue);
	CHECK_EQUAL(sink_flush(queue_sink(queue), NULL), CT_OK);
	pthread_mutex_unlock(&tape.gate);
	queue_settle(queue);
	queue_state(queue, &state);
	CHECK_EQUAL(state.nr_lost, 22);
	CHECK_TEXT(state.trouble ? state.trouble : "none", "this sink is full");
	CHECK_EQUAL(tape.nr_batches, 4);
	CHECK_EQUAL(tape.nr_flushes, 0);
	CHECK_EQUAL(tape.values.count, 11);
	CHECK_EQUAL(tape.values.at[10], 7 | NOTE_BIT);
	CHECK_EQUAL(put(queue, 30, 10, &error), CT_ERR_SYSTEM);
	CHECK_TEXT(error.text, "this sink is full");
	CHECK_EQUAL(put(queue, 30, 10, NULL), CT_ERR_SYSTEM);
	CHECK_EQUAL(sink_flush(queue_sink(queue), &error), CT_ERR_SYSTEM);
	/* The next sink may keep definitions still. */
	CHECK_EQUAL(note(queue, 8, NULL), CT_OK);
	CHECK_EQUAL(sink_define(queue_sink(queue), &end, NULL), CT_OK);
	queue_settle(queue);
	CHECK_TEXT(tape.text, "note 8");
	CHECK_EQUAL(tape.end.nr_events, 78);
	CHECK_EQUAL(tape.end.nr_lost, 27);
	queue_state(queue, &state);
	CHECK_EQUAL(state.nr_lost, 22);
	closed(queue);
}

/* A failure is told once, by the first call that can tell it: here a definition. */
static void test_failing_define(void)
{
	struct queue *queue = opened();
	struct queue_state state;
	struct ct_error error;

	tape.failing_define = 1;
	CHECK_EQUAL(note(queue, 1, NULL), CT_OK);
	CHECK_EQUAL(put(queue, 0, 4, NULL), CT_OK);
	queue_settle(queue);
	CHECK_EQUAL(note(queue, 2, &error), CT_ERR_SYSTEM);
	CHECK_TEXT(error.text, "this sink defines no more");
	CHECK_EQUAL(note(queue, 3, NULL), CT_OK);
	queue_settle(queue);
	CHECK_TEXT(tape.text, "note 3");
	/* What the next sink takes in spite of the failure is not lost. */
	CHECK_EQUAL(tape.nr_batches, 1);
	queue_state(queue, &state);
	CHECK_EQUAL(state.nr_lost, 0);
	closed(queue);
}

/* The close tells every failure that no call has told; where the close itself fails, it tells its own. */
static void test_failing_at_the_end(void)
{
	struct queue *queue = opened();
	struct ct_error error;

	tape.failing_flush = 1;
	pthread_mutex_lock(&tape.gate);
	put(queue, 0, 1, NULL);
	CHECK_EQUAL(sink_flush(queue_sink(queue), NULL), CT_OK);
	pthread_mutex_unlock(&tape.gate);
	CHECK_EQUAL(sink_close(queue_sink(queue), true, &error), CT_ERR_SYSTEM);
	CHECK_TEXT(error.text, "this sink flushes no more");
	CHECK(tape.was_closed);
	end_tape();

	queue = opened();
	tape.failing_put = 1;
	tape.close_status = CT_ERR_NOT_FOUND;
	put(queue, 0, 1, NULL);
	CHECK_EQUAL(sink_close(queue_sink(queue), false, &error), CT_ERR_NOT_FOUND);
	CHECK_TEXT(error.text, "this sink closes badly");
	CHECK(!tape.was_wanted);
	end_tape();
}

/* ---------------------------------------------------------------- calls */

struct called {
	struct queue *queue;
	uint64_t argument;
	size_t nr_values; /* that the next sink had by then */
	bool takes_signals;
	pthread_t thread;
};

static void note_call(void *context, uint64_t argument)
{
	struct called *called = context;
	sigset_t blocked;

	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	called->takes_signals = !sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGUSR1);
	called->argument = argument;
	called->nr_values = tape.values.count;
	called->thread = pthread_self();
}

static void test_calls(void)
{
	struct queue *queue = opened();
	struct called called = {.queue = queue};

	put(queue, 0, 10, NULL);
	queue_call(queue, note_call, &called, 42);
	put(queue, 10, 10, NULL);
	queue_settle(queue);
	CHECK_EQUAL(called.argument, 42);
	CHECK_EQUAL(called.nr_values, 10);
	CHECK(!called.takes_signals);
	CHECK(!pthread_equal(called.thread, pthread_self()));
	CHECK_EQUAL(tape.values.count, 20);
	closed(queue);
}

/* ---------------------------------------------------------------- memory */

static void test_memory(void)
{
	struct queue *queue = NULL;
	struct ct_error error;
	long failing;

	start_tape();
	for (failing = 1; failing < 20; failing++) {
		fail_at = failing;
		if (queue_open(&tape.sink, BLOCK_BYTES, &queue, &error) == CT_OK)
			break;
		CHECK_EQUAL(error.status, CT_ERR_NO_MEMORY);
		CHECK(!tape.was_closed);
	}
	fail_at = 0;
	CHECK(failing > 4 && queue);
	if (!queue)
		exit(1);
	/* From here on the queue allocates nothing. */
	nr_allocations = 0;
	CHECK_EQUAL(note(queue, 1, NULL), CT_OK);
	CHECK_EQUAL(sink_flush(queue_sink(queue), NULL), CT_OK);
	CHECK_EQUAL(nr_allocations, 0);
	closed(queue);
}

int main(void)
{
	test_order();
	test_definitions();
	test_nobody_settles();
	test_bound();
	test_failing_put();
	test_failing_define();
	test_failing_at_the_end();
	test_calls();
	test_memory();
	return check_result();
}
