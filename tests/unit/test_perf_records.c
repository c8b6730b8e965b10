/* SPDX-License-Identifier: MIT */
/*
 * The records of a perf ring: samples, switches and losses are read, also where one goes on at the ring's beginning. A
 * record whose lengths contradict each other ends the reading, and nothing behind it is believed.
 */
#include <linux/perf_event.h>

#include "check.h"
#include "kernel/perf_records.h"

#define RING 512u

static union {
	uint8_t bytes[RING];
	uint64_t aligned;
} ring;

static uint64_t head;

static void put(const void *from, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		ring.bytes[head++ % RING] = ((const uint8_t *)from)[i];
}

static void put_header(uint32_t type, uint16_t misc, size_t rest)
{
	struct perf_event_header header = {type, misc, (uint16_t)(sizeof(header) + rest)};

	put(&header, sizeof(header));
}

static void put_thread(uint32_t tid, uint64_t time)
{
	uint32_t ids[2] = {1, tid};

	put(ids, sizeof(ids));
	put(&time, sizeof(time));
}

static void put_switch(uint16_t misc, uint32_t tid, uint64_t time)
{
	put_header(PERF_RECORD_SWITCH, misc, 16);
	put_thread(tid, time);
}

/* What the next samples have as their address. */
static uint64_t address;

static void put_stack(uint16_t misc, uint64_t time, uint64_t period, uint64_t claimed,
	const uint64_t *calls, size_t count)
{
	put_header(PERF_RECORD_SAMPLE, misc, 40 + count * sizeof(*calls));
	put_thread(7, time);
	put(&address, sizeof(address));
	put(&period, sizeof(period));
	put(&claimed, sizeof(claimed));
	put(calls, count * sizeof(*calls));
}

static void put_calls(
	uint16_t misc, uint64_t time, uint64_t claimed, const uint64_t *calls, size_t count)
{
	put_stack(misc, time, 10101010, claimed, calls, count);
}

static void put_lost(uint64_t count, uint64_t time)
{
	uint64_t words[2] = {99, count};

	put_header(PERF_RECORD_LOST, 0, 32);
	put(words, sizeof(words));
	put_thread(7, time);
}

static bool next(uint64_t *position, struct perf_record *record, bool *is_corrupt)
{
	const struct perf_bytes bytes = {ring.bytes, RING};

	return perf_records_next(&bytes, position, head, record, is_corrupt);
}

static void expect_end(uint64_t position)
{
	struct perf_record record;
	bool is_corrupt;

	CHECK(!next(&position, &record, &is_corrupt) && !is_corrupt);
	CHECK_EQUAL(position, head);
}

static void test_kinds(void)
{
	static const uint64_t calls[] = {PERF_CONTEXT_USER, 0x1000, 0x2000, 0x3000};
	struct perf_record record;
	uint64_t position;
	bool is_corrupt;

	/* The first sample begins so near to the end that its calls go on at the beginning. */
	head = position = RING - 40;
	put_calls(PERF_RECORD_MISC_USER, 100, 4, calls, 4);
	put_calls(PERF_RECORD_MISC_KERNEL, 101, 4, calls, 4);
	put_switch(PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT, 7, 102);
	put_header(PERF_RECORD_THROTTLE, 0, 8);
	put(calls, 8);
	put_switch(0, 7, 103);
	put_stack(PERF_RECORD_MISC_KERNEL, 104, 1, 2, calls, 2);
	put_switch(PERF_RECORD_MISC_SWITCH_OUT, 7, 104);
	address = 0x7f0010;
	put_stack(PERF_RECORD_MISC_USER, 105, 1, 2, calls, 2);
	address = 0;
	put_lost(12, 105);

	CHECK(next(&position, &record, &is_corrupt) && record.kind == PERF_SAMPLE);
	CHECK_EQUAL(record.tid, 7);
	CHECK_EQUAL(record.time, 100);
	CHECK_EQUAL(record.nr_calls, 3);
	CHECK_EQUAL(record.calls[0], 0x1000);
	CHECK_EQUAL(record.calls[2], 0x3000);
	CHECK(!record.is_in_kernel);
	CHECK(next(&position, &record, &is_corrupt) && record.kind == PERF_SAMPLE);
	CHECK(record.is_in_kernel && record.nr_calls == 3);
	CHECK(next(&position, &record, &is_corrupt) && record.kind == PERF_SWITCH_OUT);
	CHECK(record.is_preempted && record.time == 102);
	CHECK(next(&position, &record, &is_corrupt) && record.kind == PERF_SWITCH_IN);
	CHECK(!record.is_preempted && record.time == 103);
	CHECK(next(&position, &record, &is_corrupt) && record.kind == PERF_STACK);
	CHECK(record.time == 104 && record.nr_calls == 1 && record.calls[0] == 0x1000);
	CHECK(next(&position, &record, &is_corrupt) && record.kind == PERF_SWITCH_OUT);
	CHECK(!record.is_preempted && record.time == 104);
	CHECK(next(&position, &record, &is_corrupt) && record.kind == PERF_FAULT);
	CHECK(record.address == 0x7f0010 && record.nr_calls == 1 && record.calls[0] == 0x1000);
	CHECK(next(&position, &record, &is_corrupt) && record.kind == PERF_LOST);
	CHECK_EQUAL(record.count, 12);
	expect_end(position);
}

/* A deep stack is cut, and what comes behind it is still found. */
static void test_deep(void)
{
	uint64_t calls[50];
	struct perf_record record;
	uint64_t position, i;
	bool is_corrupt;

	for (i = 0; i < 50; i++)
		calls[i] = i + 1;
	head = position = 0;
	put_calls(PERF_RECORD_MISC_USER, 1, 50, calls, 50);
	put_switch(0, 9, 2);
	CHECK(next(&position, &record, &is_corrupt));
	CHECK_EQUAL(record.nr_calls, 50);
	CHECK(next(&position, &record, &is_corrupt) && record.tid == 9);
	expect_end(position);
}

static void expect_corrupt(void)
{
	struct perf_record record;
	uint64_t position = 0;
	bool is_corrupt;

	CHECK(!next(&position, &record, &is_corrupt));
	CHECK(is_corrupt);
	CHECK_EQUAL(position, head);
}

static void test_corrupt(void)
{
	static const uint64_t calls[] = {0x1000, 0x2000};
	const struct perf_event_header empty = {0};

	head = 0; /* more calls than the record has room for */
	put_calls(0, 1, 3, calls, 2);
	expect_corrupt();
	head = 0; /* as many as would overflow a length */
	put_calls(0, 1, UINT64_MAX / 8 + 2, calls, 2);
	expect_corrupt();
	head = 0; /* no length */
	put(&empty, sizeof(empty));
	put_switch(0, 7, 1);
	expect_corrupt();
	head = 0; /* longer than what is there */
	put_header(PERF_RECORD_SWITCH, 0, 400);
	put_thread(7, 1);
	expect_corrupt();
	head = 0; /* a switch without its time */
	put_header(PERF_RECORD_SWITCH, 0, 8);
	put(calls, 8);
	expect_corrupt();
	head = 4; /* half a header */
	expect_corrupt();
	head = RING + 8; /* more than the ring holds */
	expect_corrupt();
}

int main(void)
{
	test_kinds();
	test_deep();
	test_corrupt();
	return 0;
}
