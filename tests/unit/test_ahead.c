/* SPDX-License-Identifier: MIT */
/*
 * Reading ahead: events, notes, failures and the end come in the order of the source behind it, one by one and in runs;
 * resets, and a close in the middle; how far it reads ahead; one processor; and no memory.
 */
#include <sched.h>

#include "stages/ahead.h"
#include "stages/arrange.h"
#include "check.h"
#include "failing_memory.h"
#include "base/failure.h"

#define FEW 30000u /* more than one run of events */

/* Counts from 0; the first half of each few events is carried. */
struct counting {
	struct ct_source source; /* first member */
	uint64_t next;           /* atomic, because the test checks how far the source was read */
	uint64_t nr_events;
	enum ct_status status; /* returned behind the last one */
	unsigned nr_resets;
	bool was_closed;
};

static struct counting counting;

static enum ct_status counting_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	uint64_t next = counting.next;

	(void)source;
	if (next == counting.nr_events && counting.status == CT_END)
		return CT_END;
	if (next == counting.nr_events)
		return ct_fail_at(reterr, counting.status, 7, "it broke");
	events->are_carried = next % FEW < FEW / 2;
	while (next < counting.nr_events && events->count < events->capacity &&
		(next % FEW < FEW / 2) == events->are_carried) {
		events->room[events->count++] =
			(struct ct_event){.coro = next * 3, .sequence = next};
		next++;
	}
	__atomic_store_n(&counting.next, next, __ATOMIC_RELEASE);
	return CT_OK;
}

static enum ct_status counting_reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)source, (void)reterr;
	counting.next = 0;
	counting.nr_resets++;
	return CT_OK;
}

static void counting_close(struct ct_source *source)
{
	(void)source;
	counting.was_closed = true;
}

static const struct ct_source_ops counting_ops = {
	.next = counting_next, .reset = counting_reset, .close = counting_close};
static const struct ct_tables tables = {.host = "here"};

static struct ct_source *open_ahead(uint64_t nr_events, enum ct_status status)
{
	struct ct_source *source = NULL;

	counting = (struct counting){.source = {.ops = &counting_ops, .tables = &tables},
		.nr_events = nr_events,
		.status = status};
	CHECK_EQUAL(ahead_open(&counting.source, &source, NULL), CT_OK);
	if (!source)
		exit(1);
	CHECK(source->tables == &tables);
	CHECK_EQUAL(counting.next, 0);
	return source;
}

static void close_ahead(struct ct_source *source)
{
	source_close(source);
	CHECK(counting.was_closed);
}

static bool is_right(const struct ct_event *event, bool is_carried, uint64_t at)
{
	return event->sequence == at && event->coro == at * 3 && is_carried == (at % FEW < FEW / 2);
}

/* Returns the status behind `count` correct events. */
static enum ct_status read_each(struct ct_source *source, uint64_t count, struct ct_error *reterr)
{
	const struct ct_event *event;
	enum ct_status status = CT_OK;
	uint64_t i, nr_wrong = 0;

	for (i = 0; i < count; i++) {
		status = source_next(source, &event, reterr);
		if (status)
			break;
		nr_wrong += !is_right(event, source_is_carried(source), i);
	}
	CHECK_EQUAL(i, count);
	CHECK_EQUAL(nr_wrong, 0);
	return source_next(source, &event, reterr);
}

static enum ct_status read_runs(struct ct_source *source, uint64_t count, struct ct_error *reterr)
{
	struct ct_events events = {.count = 0};
	enum ct_status status = CT_OK;
	uint64_t nr_read = 0, nr_wrong = 0;
	size_t i;

	while (status == CT_OK) {
		for (i = 0; i < events.count; i++)
			nr_wrong += !is_right(&events.at[i], events.are_carried, nr_read++);
		status = source_next_run(source, &events, reterr);
		nr_wrong += status == CT_OK && events.count == 0;
	}
	CHECK_EQUAL(nr_read, count);
	CHECK_EQUAL(nr_wrong, 0);
	CHECK_EQUAL(source_next_run(source, &events, NULL), status);
	return status;
}

static void test_order(uint64_t nr_events, enum ct_status status)
{
	struct ct_source *source = open_ahead(nr_events, status);
	const struct ct_event *event;
	struct ct_error error = {0};

	CHECK_EQUAL(read_each(source, nr_events, &error), status);
	CHECK_TEXT(error.text, status == CT_END ? "" : "it broke");
	CHECK_EQUAL(error.offset, status == CT_END ? 0 : 7);
	CHECK_EQUAL(source_next(source, &event, NULL), status);
	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	error = (struct ct_error){0};
	CHECK_EQUAL(read_runs(source, nr_events, &error), status);
	CHECK_TEXT(error.text, status == CT_END ? "" : "it broke");
	close_ahead(source);
}

static void test_leaving_early(void)
{
	struct ct_source *source = open_ahead(1000000, CT_END);
	const struct ct_event *event;
	uint64_t i;

	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	for (i = 0; i < 5000; i++)
		CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	CHECK_EQUAL(counting.nr_resets, 2);
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_EQUAL(event->sequence, 0);
	close_ahead(source);
	/* The thread has ended: nothing more is read, and it never was far ahead. */
	CHECK(counting.next > 0 && counting.next < 40000);
}

/* No run is longer than the room that was given. */
static void test_small_room(void)
{
	enum { SMALL = 60 };
	struct ct_source *source = open_ahead(FEW, CT_END);
	struct ct_event room[SMALL + 1] = {[SMALL] = {.sequence = FEW}};
	uint64_t nr_read = 0, nr_wrong = 0;
	struct ct_events events;
	size_t i;

	while (source_fill(source, room, SMALL, &events, NULL) == CT_OK) {
		nr_wrong += events.count == 0 || events.count > SMALL || events.at != room;
		for (i = 0; i < events.count; i++)
			nr_wrong += !is_right(&room[i], events.are_carried, nr_read++);
	}
	CHECK_EQUAL(nr_read, FEW);
	CHECK_EQUAL(nr_wrong, 0);
	CHECK_EQUAL(room[SMALL].sequence, FEW);
	close_ahead(source);
}

static void test_one_processor(void)
{
	cpu_set_t before, one;
	struct ct_source *source = open_ahead(100000, CT_END);
	const struct ct_event *event;
	int cpu = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : cpu, &one);
	if (sched_getaffinity(0, sizeof(before), &before) ||
		sched_setaffinity(0, sizeof(one), &one))
		SKIP("which processors are used cannot be told here");
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	sched_setaffinity(0, sizeof(before), &before);
	/* Without a thread, no more is read than was asked for. */
	CHECK_EQUAL(counting.next, ARRANGE_ROOM_EVENTS);
	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	CHECK_EQUAL(read_each(source, 100000, NULL), CT_END);
	close_ahead(source);
}

static void test_no_memory(void)
{
	struct ct_source *source = NULL;
	long nr;

	for (nr = 1; nr <= 2; nr++) {
		struct ct_error error = {0};

		fail_at = nr;
		CHECK_EQUAL(ahead_open(&counting.source, &source, &error), CT_ERR_NO_MEMORY);
		CHECK(error.text[0] && !source);
	}
	fail_at = 0;
}

int main(void)
{
	test_order(0, CT_END);
	test_order(1, CT_END);
	test_order(1024, CT_END);
	test_order(200001, CT_END);
	test_order(0, CT_ERR_CORRUPT);
	test_order(30000, CT_ERR_CORRUPT);
	test_leaving_early();
	test_small_room();
	test_one_processor();
	test_no_memory();
	return check_result();
}
