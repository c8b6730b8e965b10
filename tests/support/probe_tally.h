/* SPDX-License-Identifier: MIT */
/*
 * Numbered events, and what a reader counts of them. For tests of the probe.
 */
#ifndef TESTS_PROBE_TALLY_H
#define TESTS_PROBE_TALLY_H

#include "corotracer/ctp_probe.h"
#include "probe_reader.h"

#define TEST_KIND CTP_KIND_COUNTER

/* An event that contains its number three times, so that a torn one is recognised. */
static inline void emit_numbered(uint64_t number)
{
	ctp_emit(number, ~number, CTP_TAIL((uint32_t)number, TEST_KIND, number, number >> 8));
}

static inline bool is_whole(struct ctp_record record)
{
	uint64_t number = record.coro;

	return record.object == ~number &&
	       record.tail == CTP_TAIL((uint32_t)number, TEST_KIND, number, number >> 8);
}

/* What a reader counts, over all rings. */
struct tally {
	uint64_t numbered;
	uint64_t next; /* the number expected next */
	uint64_t out_of_order;
	uint64_t torn;
	uint64_t backwards; /* time-stamps that went back within a ring */
	uint64_t starts;
	uint64_t stops;
	uint64_t lost_records;
	uint64_t lost_told;
	uint64_t last_time;
	uint64_t last_tid;
	uint64_t unpaired;      /* a stop of a thread that was not the last to start */
	struct ctp_record lost; /* the last one */
	uint64_t numbered_before_lost;
};

static inline void tally_probe_record(struct tally *tally, struct ctp_record record)
{
	switch (CTP_TAIL_KIND(record.tail)) {
	case CTP_KIND_THREAD_START:
		tally->starts++;
		tally->last_tid = record.object;
		break;
	case CTP_KIND_THREAD_STOP:
		tally->stops++;
		tally->unpaired += record.object != tally->last_tid;
		break;
	case CTP_KIND_LOST:
		tally->lost_records++;
		tally->lost_told += record.object;
		tally->lost = record;
		tally->numbered_before_lost = tally->numbered;
		break;
	default:
		tally->torn++;
	}
}

static inline void tally_record(
	void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	struct tally *tally = context;

	(void)ring;
	(void)position;
	tally->backwards += record.time < tally->last_time;
	tally->last_time = record.time;
	if (CTP_TAIL_KIND(record.tail) != TEST_KIND) {
		tally_probe_record(tally, record);
		return;
	}
	tally->torn += !is_whole(record);
	tally->out_of_order += record.coro != tally->next;
	tally->next = record.coro + 1;
	tally->numbered++;
}

/* A thread that emits this many events, numbered from 0. */
static inline void *emit_many(void *context)
{
	uint64_t i, count = *(uint64_t *)context;

	for (i = 0; i < count; i++)
		emit_numbered(i);
	return NULL;
}

/* Enough to fill a file of 3 MiB. */
static inline void emit_some(void)
{
	uint64_t count = 100000;

	emit_many(&count);
}

static inline void attach(struct reader *reader)
{
	CHECK(ctp_attach());
	CHECK(reader_take(reader));
}

#endif
